// Decoding of vanilla proofs at the shape of 32 GiB sectors, with random values: the text of a C1 (51 MB within 68 MB
// of base64), a window partition's 2,349 sectors, an update's partition. peak_x_inner: memory above the request's text
// at its peak, and the text, in multiples of the inner text.
#include <malloc.h>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "filecoin/wire/base64.h"
#include "filecoin/wire/bincode.h"
#include "filecoin/wire/c1_bincode.h"
#include "filecoin/wire/c1_json.h"
#include "tests/gen/vanilla_proofs.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using test::must;

constexpr std::uint32_t kSealNumber = 8;  // StackedDrg32GiBV1_1

const SectorShape& sector() { return *find_sector_shape("32GiB"); }

/// Resets the process's high-water mark and tells how far it rises above the memory held now.
class PeakMemory {
 public:
  PeakMemory() {
    malloc_trim(0);
    if (std::FILE* const file = std::fopen("/proc/self/clear_refs", "w")) {
      std::fputs("5", file);
      std::fclose(file);
    }
    before_ = status_kib("VmRSS:");
  }
  double bytes() const { return 1024.0 * static_cast<double>(status_kib("VmHWM:") - before_); }

 private:
  static long status_kib(const char* name) {
    std::FILE* const file = std::fopen("/proc/self/status", "r");
    char line[256];
    long value = 0;
    while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr)
      if (std::string_view(line).starts_with(name)) value = std::atol(line + std::string_view(name).size());
    if (file != nullptr) std::fclose(file);
    return value;
  }
  long before_;
};

void c1_json(benchmark::State& state) {
  static const std::string inner =
      write_phase1_json(test::RandomVanillaProofs(sector(), 1).porep(must(seal_proof(kSealNumber))));
  static const std::string text =
      "{\"SectorNum\":1,\"Phase1Out\":\"" + encode_base64(text_bytes(inner)) + "\",\"SectorSize\":34359738368}";
  double peak = 0;
  for (auto _ : state) {
    const PeakMemory memory;
    const C1Output c1 = must(read_c1_json(text));
    benchmark::DoNotOptimize(c1.proof.partitions.data());
    peak = memory.bytes();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(inner.size()) * state.iterations());
  state.counters["inner_bytes"] = static_cast<double>(inner.size());
  state.counters["peak_x_inner"] = (peak + static_cast<double>(text.size())) / static_cast<double>(inner.size());
}
BENCHMARK(c1_json)->Name("filecoin/wire/c1_json_32g")->Unit(benchmark::kMillisecond)->MinTime(3);

void c1_bincode(benchmark::State& state) {
  const auto seal = must(seal_proof(kSealNumber));
  const auto bytes = write_phase1_bincode(test::RandomVanillaProofs(sector(), 1).porep(seal));
  for (auto _ : state) benchmark::DoNotOptimize(must(read_phase1_bincode(bytes, seal)).partitions.data());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) * state.iterations());
}
BENCHMARK(c1_bincode)->Name("filecoin/wire/c1_bincode_32g")->Unit(benchmark::kMillisecond);

void window_partition(benchmark::State& state) {
  const auto bytes =
      write_post_bincode(test::RandomVanillaProofs(sector(), 1).post(ProofKind::window), sector(), ProofKind::window);
  for (auto _ : state) {
    std::vector<PostVanillaProof> proofs;
    for (unsigned i = 0; i < sector().window_sectors; ++i)
      proofs.push_back(must(read_post_bincode(bytes, sector(), ProofKind::window)));
    benchmark::DoNotOptimize(proofs.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size() * sector().window_sectors) * state.iterations());
}
BENCHMARK(window_partition)->Name("filecoin/wire/window_partition_32g")->Unit(benchmark::kMillisecond);

void update_partition(benchmark::State& state) {
  const auto bytes = write_update_bincode(test::RandomVanillaProofs(sector(), 1).update(), sector());
  for (auto _ : state) benchmark::DoNotOptimize(must(read_update_bincode(bytes, sector())).challenges.data());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) * state.iterations());
}
BENCHMARK(update_partition)->Name("filecoin/wire/update_partition_32g")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cuzk::filecoin
