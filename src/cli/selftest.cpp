// A proof with a known result on each device: whether it computes what it should.
#include <algorithm>

#include "backend/cpu/cpu_backend.h"
#include "backend/known_answer.h"
#include "cli/commands.h"
#include "server/accelerators.h"
#include "support/clock.h"

namespace cuzk::cli {
namespace {

/// Enough for the known proofs, and no more of a device on which others may work.
constexpr std::uint64_t kDeviceBytes = std::uint64_t{512} << 20;

struct Verdict {
  std::string device;
  Status status{};
  std::uint64_t ns = 0;
};

class Selftest {
 public:
  explicit Selftest(Arena& arena) : arena_(arena) {}

  Status prepare() {
    CUZK_TRY(bn254_, made<Bn254>());
    CUZK_TRY(bls12_381_, made<Bls12_381>());
    return {};
  }
  Verdict cpu() const {
    engine::Device device;
    device.name = "cpu";
    device.bn254 = std::make_shared<backend::CpuBackend<Bn254>>(arena_);
    device.bls12_381 = std::make_shared<backend::CpuBackend<Bls12_381>>(arena_);
    return check(device);
  }
  Verdict accelerator(const backend::CudaDeviceInfo& info) const {
    const auto opened = server::open_accelerator(arena_, info, kDeviceBytes);
    if (opened) return check(*opened);
    return {.device = server::full_name(info), .status = fail(opened.error().code(), opened.error().to_string())};
  }

 private:
  template <class C> Result<std::unique_ptr<const backend::KnownAnswer<C>>> made() const {
    CUZK_TRY(auto answer, backend::KnownAnswer<C>::create(arena_));
    return std::make_unique<const backend::KnownAnswer<C>>(std::move(answer));
  }
  Verdict check(const engine::Device& device) const {
    const Stopwatch watch;
    Status status = bn254_->check(*device.bn254);
    if (status) status = bls12_381_->check(*device.bls12_381);
    return {.device = device.name, .status = std::move(status), .ns = watch.elapsed_ns()};
  }

  Arena& arena_;
  std::unique_ptr<const backend::KnownAnswer<Bn254>> bn254_;
  std::unique_ptr<const backend::KnownAnswer<Bls12_381>> bls12_381_;
};

struct Chosen {
  bool cpu = false;
  std::vector<backend::CudaDeviceInfo> accelerators;
};

/// A name that means no device, or several, is an error here: what was not tested must not look as if it were.
Result<Chosen> choose(std::vector<std::string> names) {
  Chosen chosen;
  const bool all = names.empty();
  chosen.cpu = std::erase(names, "cpu") > 0 || all;
  const server::VisibleDevices visible = server::visible_accelerators();
  if (names.empty()) {
    if (all && visible) chosen.accelerators = *visible;
    return chosen;
  }
  if (!visible) return fail(Code::unavailable, names.front() + " is no device here: " + visible.error().message());
  server::ChosenAccelerators found = server::choose_accelerators(names, visible);
  if (!found.warnings.empty()) return fail(Code::invalid_argument, found.warnings.front());
  chosen.accelerators = std::move(found.devices);
  return chosen;
}

std::string line_of(const Verdict& verdict) {
  const std::string time = human_seconds(static_cast<double>(verdict.ns) * 1e-9);
  return verdict.device + ": " + (verdict.status ? "ok, " + time : "FAILED: " + verdict.status.error().to_string());
}

JsonWriter json_of(const std::vector<Verdict>& verdicts) {
  JsonWriter json;
  json.begin_object().key("devices").begin_array();
  for (const Verdict& verdict : verdicts) {
    json.begin_object();
    json.key("device").string(verdict.device).key("ok").boolean(verdict.status.has_value());
    json.key("seconds").real(static_cast<double>(verdict.ns) * 1e-9).key("error");
    verdict.status ? json.null() : json.string(verdict.status.error().to_string());
    json.end_object();
  }
  json.end_array().end_object();
  return json;
}

}  // namespace

Status selftest(const SelftestOptions& options, Arena& arena, Report& report) {
  CUZK_TRY(const Chosen chosen, choose(options.devices));
  Selftest test(arena);
  CUZK_CHECK_OK(test.prepare());
  std::vector<Verdict> verdicts;
  const auto note = [&](Verdict verdict) {
    report.say(line_of(verdict));
    verdicts.push_back(std::move(verdict));
  };
  if (chosen.cpu) note(test.cpu());
  for (const backend::CudaDeviceInfo& info : chosen.accelerators) note(test.accelerator(info));
  report.result(json_of(verdicts));
  const auto failed = std::ranges::count_if(verdicts, [](const Verdict& verdict) { return !verdict.status; });
  if (failed == 0) return {};
  return fail(Code::device, std::to_string(failed) + " of " + std::to_string(verdicts.size()) + " devices failed");
}

}  // namespace cuzk::cli
