#include "cli/bench_workload.h"

#include <filesystem>
#include <map>

#include "cli/files.h"
#include "filecoin/registry.h"
#include "server/duration.h"
#include "server/settings.h"

namespace cuzk::cli {
namespace {

constexpr std::int64_t kMaxWeight = 1'000'000;

/// A table of the file before its files are read.
struct Entry {
  std::string name;
  unsigned line = 0;
  std::uint64_t weight = 1;
  ProofInput input;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), folder_(std::filesystem::path(path).parent_path()) {}

  Result<std::vector<Entry>> read() {
    CUZK_TRY(const MappedFile file, open_input(path_));
    CUZK_TRY(const server::Settings settings, in_file(path_, server::parse_settings(text_of(file))));
    for (const server::Setting& setting : settings.keys) CUZK_CHECK_OK(take(setting));
    for (const Entry& entry : entries_) CUZK_CHECK_OK(check(entry));
    if (entries_.empty()) return fail(fault(1, "no table: nothing is to be proved"));
    return std::move(entries_);
  }

 private:
  Error fault(unsigned line, std::string message) const {
    return Error(Code::malformed, std::move(message))
        .at({.file = path_, .section = "line " + std::to_string(line), .offset = 0, .expected = {}, .found = {}});
  }

  Entry& entry_of(const server::Setting& setting) {
    for (Entry& entry : entries_) {
      if (entry.name == setting.path[0]) return entry;
    }
    entries_.push_back({.name = setting.path[0], .line = setting.line, .weight = 1, .input = {}});
    return entries_.back();
  }

  Status take(const server::Setting& setting) {
    if (setting.path.size() != 2) return fail(fault(setting.line, "a key outside a table, or below one"));
    Entry& entry = entry_of(setting);
    const std::string& name = setting.path[1];
    if (std::string* const text = text_member(entry.input, name)) return take_text(setting, *text);
    if (std::string* const file = file_member(entry.input, name)) {
      CUZK_CHECK_OK(take_text(setting, *file));
      *file = (folder_ / *file).string();
      return {};
    }
    if (auto* const number = number_member(entry.input, name)) return take_number(setting, *number);
    if (name == "deadline") return take_duration(setting, entry.input.deadline);
    if (name != "weight") return fail(fault(setting.line, "no such key: " + name));
    std::optional<std::uint64_t> weight;
    CUZK_CHECK_OK(take_number(setting, weight));
    if (*weight > static_cast<std::uint64_t>(kMaxWeight)) return fail(fault(setting.line, "weight is above a million"));
    entry.weight = *weight;
    return {};
  }

  Status take_text(const server::Setting& setting, std::string& to) const {
    const std::string* const text = setting.value.text();
    if (text == nullptr) return fail(fault(setting.line, setting.path[1] + " is no text"));
    to = *text;
    return {};
  }

  Status take_number(const server::Setting& setting, std::optional<std::uint64_t>& to) const {
    const std::int64_t* const number = setting.value.integer();
    if (number == nullptr || *number < 0) return fail(fault(setting.line, setting.path[1] + " is no number from 0"));
    to = static_cast<std::uint64_t>(*number);
    return {};
  }

  /// A number is one of seconds.
  Status take_duration(const server::Setting& setting, Milliseconds& to) const {
    const std::int64_t* const seconds = setting.value.integer();
    const std::string* const text = setting.value.text();
    const auto span = server::parse_duration(seconds != nullptr ? std::to_string(*seconds)
                                             : text != nullptr  ? *text
                                                                : "");
    if (!span) return fail(fault(setting.line, setting.path[1] + ": " + span.error().message()));
    to = *span;
    return {};
  }

  static std::string* text_member(ProofInput& input, const std::string& name) {
    const std::map<std::string_view, std::string*> members = {
        {"kind", &input.kind},
        {"key", &input.key},
        {"randomness", &input.randomness},
        {"comm_r_old", &input.comm_r_old},
        {"comm_r_new", &input.comm_r_new},
        {"comm_d_new", &input.comm_d_new},
        {"label", &input.label},
        {"priority", &input.priority},
    };
    const auto found = members.find(name);
    return found == members.end() ? nullptr : found->second;
  }
  static std::string* file_member(ProofInput& input, const std::string& name) {
    if (name == "vanilla" || name == "c1") return &input.vanilla;
    if (name == "public") return &input.public_data;
    return name == "wtns" ? &input.witness : nullptr;
  }
  static std::optional<std::uint64_t>* number_member(ProofInput& input, const std::string& name) {
    if (name == "registered_proof") return &input.registered_proof;
    if (name == "miner_id") return &input.miner_id;
    if (name == "sector_number") return &input.sector_number;
    if (name == "sector_size") return &input.sector_size;
    return name == "partition" ? &input.partition : nullptr;
  }

  Status check(const Entry& entry) const {
    const ProofInput& input = entry.input;
    const std::string table = "[" + entry.name + "] ";
    if (input.kind.empty() && (input.key.empty() || input.witness.empty())) {
      return fail(fault(entry.line, table + "needs kind and vanilla, or key and wtns"));
    }
    if (!input.kind.empty() && !filecoin::proof_kind_from(input.kind)) {
      return fail(fault(entry.line, table + "kind is none of porep, winning, window, snap"));
    }
    if (!input.kind.empty() && input.vanilla.empty()) return fail(fault(entry.line, table + "needs vanilla"));
    return {};
  }

  const std::string& path_;
  const std::filesystem::path folder_;
  std::vector<Entry> entries_;
};

/// SplitMix64: numbers that look drawn, the same everywhere.
std::uint64_t mixed(std::uint64_t value) noexcept {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace

Result<Workload> Workload::of(const ProofInput& input) {
  Workload workload;
  CUZK_TRY(RequestInput request, RequestInput::read(input));
  const std::string name = input.kind.empty() ? input.key : input.kind;
  workload.items_.push_back({.name = name, .weight = 1, .input = std::move(request)});
  workload.weights_ = 1;
  return workload;
}

Result<Workload> Workload::read(const std::string& path) {
  CUZK_TRY(const std::vector<Entry> entries, Reader(path).read());
  Workload workload;
  for (const Entry& entry : entries) {
    CUZK_TRY(RequestInput request, RequestInput::read(entry.input));
    workload.items_.push_back({.name = entry.name, .weight = entry.weight, .input = std::move(request)});
    workload.weights_ += entry.weight;
  }
  if (workload.weights_ > 0) return workload;
  return fail(Code::malformed, path + ": all weights are 0");
}

std::size_t Workload::choose(std::uint64_t n, std::uint64_t seed) const noexcept {
  std::uint64_t drawn = mixed(mixed(seed) + n) % weights_;
  for (std::size_t i = 0; i + 1 < items_.size(); ++i) {
    if (drawn < items_[i].weight) return i;
    drawn -= items_[i].weight;
  }
  return items_.size() - 1;
}

}  // namespace cuzk::cli
