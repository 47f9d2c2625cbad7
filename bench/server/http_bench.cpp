// What it costs to be watched: the pages that dashboards, pollers and scrapers ask for again and again, of a service
// that is full (256 open PoRep jobs of ten partitions, 50 that ended).
#include <benchmark/benchmark.h>

#include "server/http_message.h"
#include "server/metrics_text.h"
#include "server/status_json.h"
#include "server/trace_json.h"

namespace cuzk::server {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

engine::JobStatus job_of(int number, engine::JobState state) {
  engine::JobStatus job;
  job.job_id = "porep-1000-" + std::to_string(number);
  job.label = job.job_id;
  job.kind = "porep-c2";
  job.circuit = "porep-32g";
  job.state = state;
  job.timeline.accepted_ns = kMs;
  if (!job.is_open()) job.timeline.finished_ns = kMs * 1000;
  job.partitions.resize(10);
  for (engine::PartitionStatus& partition : job.partitions) {
    partition.stage = engine::Stage::finishing;
    partition.timeline.device = "NVIDIA H200";
    for (std::size_t i = 0; i < engine::kPhases; ++i) {
      partition.timeline.phases[i] = {(2 * i + 1) * kMs + 123'456, (2 * i + 2) * kMs + 234'567};
    }
  }
  return job;
}

engine::EngineSnapshot full_service() {
  engine::EngineSnapshot snapshot;
  snapshot.now_ns = 2000 * kMs;
  for (int i = 0; i < 306; ++i) {
    snapshot.jobs.push_back(job_of(i, i < 50 ? engine::JobState::completed : engine::JobState::running));
  }
  for (const char* kind : {"porep-c2", "snap-update", "window-post", "winning-post", "circom"}) {
    snapshot.kinds.push_back({kind, 128, 128});
    engine::KindMetrics& metrics = snapshot.metrics.kinds[kind];
    for (engine::Histogram& phase : metrics.phases) phase.add(kMs);
  }
  snapshot.devices.resize(8);
  snapshot.queues.resize(12);
  return snapshot;
}

void BM_StatusJson(benchmark::State& state) {
  const engine::EngineSnapshot snapshot = full_service();
  std::size_t bytes = 0;
  for (auto _ : state) bytes = status_json(snapshot, {}).size();
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(BM_StatusJson)->Unit(benchmark::kMillisecond);

void BM_MetricsText(benchmark::State& state) {
  const engine::EngineSnapshot snapshot = full_service();
  std::size_t bytes = 0;
  for (auto _ : state) bytes = metrics_text(snapshot).size();
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(BM_MetricsText)->Unit(benchmark::kMillisecond);

void BM_TraceJson(benchmark::State& state) {
  const engine::EngineSnapshot snapshot = full_service();
  const auto jobs = shown_jobs(snapshot.jobs, 200);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = trace_json(jobs, snapshot.now_ns).size();
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(BM_TraceJson)->Unit(benchmark::kMillisecond);

/// Reading a request and writing its reply, without a socket.
void BM_Exchange(benchmark::State& state) {
  const std::string head = "GET /status HTTP/1.1\r\nHost: 127.0.0.1:9821\r\nAccept: application/json\r\n\r\n";
  for (auto _ : state) benchmark::DoNotOptimize(http_exchange(head, [](const HttpRequest&) { return HttpReply{}; }));
}
BENCHMARK(BM_Exchange)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cuzk::server
