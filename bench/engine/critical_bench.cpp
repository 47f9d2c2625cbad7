// A small proof (2^15 random rows, BLS12-381) that comes while a CPU works on large ones (2^17): from submit to result,
// by its priority. "idle" has no large ones; "critical" has lane, submitter and finisher of its own and the right of
// way on the cores; "high" shares all of them, first in each queue. Real time; all cores.
#include <benchmark/benchmark.h>

#include "backend/cpu/cpu_backend.h"
#include "engine/circom_jobs.h"
#include "engine/engine.h"
#include "formats/zkey_file.h"
#include "groth16/setup.h"
#include "support/log.h"
#include "support/right_of_way.h"
#include "tests/gen/circuits.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::engine {
namespace {

using cuzk::test::must;
using C = Bls12_381;

/// A circuit's key, in a file, and a witness.
struct Sample {
  Sample(Arena& arena, const std::string& path, unsigned log_rows) {
    std::mt19937_64 random(log_rows);
    const std::size_t size = (std::size_t{1} << log_rows) - 10;
    const auto satisfied = cuzk::test::random_circuit<C::Fr>({size, 3, size}, random);
    const r1cs::RowCircuit<C::Fr>& circuit = satisfied.circuit;
    const auto key = must(groth16::setup<C>(arena, circuit, must(groth16::Trapdoor<C::Fr>::random()),
                                            groth16::QuotientBasis::odd_coset_lagrange, RootFamily::iden3));
    must(formats::write_zkey<C>(path, key, circuit));
    values = satisfied.values();
  }
  std::vector<U256> values;
};
using Samples = std::map<std::string, Sample>;

class SampleStatement final : public Statement {
 public:
  SampleStatement(std::string circuit, std::uint32_t partitions, const Sample& sample)
      : circuit_(std::move(circuit)), partitions_(partitions), sample_(sample) {}

  const std::string& circuit() const noexcept override { return circuit_; }
  std::uint32_t partitions() const noexcept override { return partitions_; }
  std::optional<std::vector<U256>> public_inputs(std::uint32_t) const override { return std::nullopt; }
  Result<r1cs::Witness> witness(Arena&, std::uint32_t, const StopToken&) const override {
    return r1cs::Witness(sample_.values);
  }

 private:
  const std::string circuit_;
  const std::uint32_t partitions_;
  const Sample& sample_;
};

class SampleKind final : public JobKind {
 public:
  explicit SampleKind(const Samples& samples) : samples_(samples) {}

  const std::string& name() const noexcept override { return name_; }
  memory::Priority default_priority() const noexcept override { return Priority::normal; }
  Result<std::shared_ptr<const Statement>> read(const JobContent& content, const Reading& reading) const override {
    reading.decoded();
    return std::make_shared<const SampleStatement>(content.circuit, content.partitions, samples_.at(content.circuit));
  }

 private:
  const Samples& samples_;
  const std::string name_ = "sample";
};

struct Service {
  Service() {
    set_log_sink([](const LogRecord&) {});
    std::map<std::string, std::string> files;
    for (const auto& [id, log_rows] : {std::pair("small", 15U), std::pair("large", 17U)}) {
      files[id] = folder.file(id);
      samples.try_emplace(id, cores.ordinary(), files[id], log_rows);
    }
    catalogue = must(circom_catalogue(cores.ordinary(), files));
    Device cpu;
    cpu.name = "cpu";
    cpu.bls12_381 = std::make_shared<backend::CpuBackend<C>>(cores.ordinary(),
                                                             backend::CpuOptions{.urgent_arena = &cores.urgent()});
    EngineOptions options;
    options.arena = &cores.ordinary();
    options.critical_arena = &cores.urgent();
    options.budget = must(memory::MemoryBudget::create({.total_bytes = 4 * memory::kGiB}));
    options.catalogue = catalogue.get();
    options.kinds = {std::make_shared<SampleKind>(samples)};
    options.devices = {cpu};
    engine = must(Engine::create(options));
    for (const auto& [id, path] : files) static_cast<void>(must(engine->preload(id)));
  }

  JobHandle submit(const std::string& circuit, std::uint32_t partitions, Priority priority) {
    JobRequest request;
    request.priority = priority;
    request.content.kind = "sample";
    request.content.circuit = circuit;
    request.content.partitions = partitions;
    const auto number = std::make_shared<const std::string>(std::to_string(next_++));  // each job is another one
    request.content.payloads.push_back({text_bytes(*number), number});
    return must(engine->submit(std::move(request)));
  }

  cuzk::test::TemporaryFolder folder;
  SharedCores cores;
  Samples samples;
  std::unique_ptr<Catalogue> catalogue;
  std::unique_ptr<Engine> engine;

 private:
  unsigned next_ = 0;
};

Service& service() {
  static Service instance;
  return instance;
}

void prove_small(benchmark::State& state, Priority priority, bool beside_large) {
  Service& at = service();
  std::optional<JobHandle> large;
  if (beside_large) {
    large = at.submit("large", 1000, Priority::normal);
    const auto has_finished_one = [&] { return large->status().finished_partitions > 0; };
    for (std::uint64_t seen = 0; !has_finished_one();) seen = must(large->wait_for_change(seen));
  }
  for (auto _ : state) {
    const auto result = must(at.submit("small", 1, priority).await());
    if (result->state != JobState::completed) state.SkipWithError(result->error.c_str());
  }
  if (large) static_cast<void>(must(at.engine->cancel(large->job_id())));
}

BENCHMARK_CAPTURE(prove_small, idle, Priority::critical, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove_small, critical, Priority::critical, true)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove_small, high, Priority::high, true)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cuzk::engine
