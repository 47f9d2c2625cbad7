#include "server/metrics_text.h"

#include <random>

#include <gtest/gtest.h>

#include "busy_snapshot.h"
#include "prometheus_text.h"
#include "tests/gen/seed.h"

namespace cuzk::server {
namespace {

using Labels = PrometheusText::Labels;

TEST(MetricsText, KeepsTheNamesThatScrapersKnow) {
  const std::string text = metrics_text(busy_snapshot());
  for (const char* line : {
           "cuzk_proofs_completed_total 7\n",
           "cuzk_proofs_failed_total 2\n",
           "cuzk_uptime_seconds 2.5\n",
           "cuzk_queue_depth 2\n",
           "cuzk_running_jobs 1\n",
           "cuzk_gpu_workers 3\n",
           "cuzk_proofs_completed{proof_kind=\"porep_c2\"} 3\n",
           "cuzk_proofs_failed{proof_kind=\"porep_c2\"} 2\n",
           "cuzk_proof_duration_seconds_count{proof_kind=\"porep_c2\"} 2\n",
           "cuzk_proof_duration_seconds_sum{proof_kind=\"porep_c2\"} 700.04\n",
           "cuzk_proof_duration_seconds_bucket{proof_kind=\"porep_c2\",le=\"0.05\"} 1\n",
           "cuzk_proof_duration_seconds_bucket{proof_kind=\"porep_c2\",le=\"1800\"} 2\n",
           "cuzk_proof_duration_seconds_bucket{proof_kind=\"porep_c2\",le=\"+Inf\"} 2\n",
           "cuzk_phase_duration_seconds_count{proof_kind=\"porep_c2\",phase=\"witness\"} 1\n",
           "cuzk_device_phase_duration_seconds_sum{proof_kind=\"porep_c2\",phase=\"msm_h\"} 0.73\n",
           "cuzk_queue_length{queue=\"device 0\"} 3\n",
       }) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(MetricsText, TypesAreThoseThatScrapersKnow) {
  const PrometheusText text(metrics_text(busy_snapshot()));
  for (const auto& [name, type] : std::map<std::string, std::string>{{"cuzk_proofs_completed_total", "counter"},
                                                                     {"cuzk_proofs_failed_total", "counter"},
                                                                     {"cuzk_uptime_seconds", "gauge"},
                                                                     {"cuzk_queue_depth", "gauge"},
                                                                     {"cuzk_proofs_completed", "counter"},
                                                                     {"cuzk_proofs_failed", "counter"},
                                                                     {"cuzk_proof_duration_seconds", "histogram"},
                                                                     {"cuzk_running_jobs", "gauge"},
                                                                     {"cuzk_gpu_workers", "gauge"}}) {
    ASSERT_TRUE(text.families().contains(name)) << name;
    EXPECT_EQ(text.families().at(name).type, type) << name;
  }
}

TEST(MetricsText, TellsEverythingThatOperatorsAskFor) {
  const PrometheusText text(metrics_text(busy_snapshot()));
  const auto expect = [&](const std::string& name, const Labels& labels, double value) {
    EXPECT_EQ(text.value(name, labels), value) << name;
  };
  expect("cuzk_jobs_failed_total", {{"proof_kind", "porep_c2"}, {"class", "transient"}}, 1);
  expect("cuzk_jobs_open", {{"proof_kind", "porep_c2"}, {"state", "waiting"}}, 2);
  expect("cuzk_jobs_accepted_total", {{"proof_kind", "winning_post"}}, 0);  // of every kind from the start
  expect("cuzk_jobs_refused_total", {}, 2);
  expect("cuzk_journal_unwritten_ends", {}, 3);
  expect("cuzk_queue_oldest_seconds", {{"queue", "device 0"}}, 1);
  expect("cuzk_memory_bytes", {{"part", "used"}}, 48'000);
  expect("cuzk_memory_tag_bytes", {{"tag", "key"}}, 40'000);
  expect("cuzk_memory_waiting_bytes", {}, 20'000);
  expect("cuzk_memory_waiting_oldest_seconds", {}, 3);
  expect("cuzk_memory_requests_total", {{"end", "granted_at_once"}}, 5);
  expect("cuzk_payload_bytes", {{"part", "receiving"}}, 20);
  expect("cuzk_cpu_fallbacks_total", {{"proof_kind", "porep_c2"}}, 1);
  expect("cuzk_reduced_proofs_total", {{"proof_kind", "porep_c2"}}, 2);
  expect("cuzk_pool_hits_total", {}, 5);
  expect("cuzk_pool_misses_total", {}, 2);
  expect("cuzk_pool_fallbacks_total", {}, 1);
  expect("cuzk_moved_bytes_total", {{"proof_kind", "porep_c2"}, {"memory", "pinned"}}, 4096);
  expect("cuzk_moved_bytes_total", {{"proof_kind", "porep_c2"}, {"memory", "pageable"}}, 0);
  expect("cuzk_device_busy_seconds_total", {{"device", "0"}}, 7);
  expect("cuzk_device_kernel_seconds_total", {{"device", "0"}}, 6);
  expect("cuzk_device_kernel_share", {{"device", "0"}}, 0.9375);
  expect("cuzk_h2d_bytes_total", {{"proof_kind", "porep_c2"}, {"way", "pinned_abc"}}, 55'000);
  expect("cuzk_h2d_seconds_total", {{"proof_kind", "porep_c2"}, {"way", "pinned_abc"}}, 1e-6);
  expect("cuzk_h2d_bytes_total", {{"proof_kind", "porep_c2"}, {"way", "key"}}, 47e9);
  expect("cuzk_h2d_seconds_total", {{"proof_kind", "porep_c2"}, {"way", "key"}}, 2);
  expect("cuzk_device_in_service", {{"device", "1"}}, 0);
  expect("cuzk_device_memory_bytes", {{"device", "0"}, {"part", "free"}}, 900);
  expect("cuzk_resident_bytes", {{"what", "key"}, {"circuit", "porep-32g"}, {"device", "0"}}, 48e9);
  EXPECT_GT(text.value("process_resident_memory_bytes"), 1e6);
  EXPECT_GT(text.value("process_cpu_seconds_total"), 0);
}

TEST(MetricsText, AnyNameIsALabel) {
  const PrometheusText text(metrics_text(busy_snapshot()));
  EXPECT_EQ(
      text.value("cuzk_resident_bytes", {{"what", "circuit"}, {"circuit", "a \"key\"\\\nof circom"}, {"device", "0"}}),
      0);
}

TEST(MetricsText, AnEmptyServiceIsWellFormed) { EXPECT_NO_THROW(PrometheusText(metrics_text({}))); }

void count_something(engine::Metrics& metrics, std::mt19937_64& random) {
  constexpr std::array<const char*, 3> kKinds = {"porep-c2", "circom", "winning-post"};
  const std::string kind = kKinds[random() % kKinds.size()];
  engine::JobTimeline job;
  job.accepted_ns = 1;
  job.finished_ns = 1 + random() % 4'000'000'000'000;
  engine::PartitionTimeline partition;
  partition.pageable_bytes = random() % 1000;
  partition[engine::Phase::witness] = {1, 2 + random() % 1'000'000'000};
  switch (random() % 6) {
    case 0:
      return metrics.accepted(kind);
    case 1:
      return metrics.completed(kind, job);
    case 2:
      return metrics.failed(kind, static_cast<store::FailureClass>(random() % 3));
    case 3:
      return metrics.partition_proved(kind, partition);
    case 4:
      return metrics.cancelled(kind);
    default:
      return metrics.refused();
  }
}

// What a summary over the last thousand proofs did: its count and sum fell again.
TEST(MetricsText, CountersNeverFallOverAThousandJobs) {
  std::mt19937_64 random(test::run_seed());
  engine::Metrics metrics;
  engine::EngineSnapshot snapshot;
  std::map<std::string, double> before;
  for (int i = 0; i < 3000; ++i) {
    count_something(metrics, random);
    if (i % 10 != 0) continue;
    snapshot.metrics = metrics.snapshot();
    const std::map<std::string, double> now = PrometheusText(metrics_text(snapshot)).monotonic();
    for (const auto& [name, value] : before) {
      ASSERT_TRUE(now.contains(name)) << name;
      ASSERT_LE(value, now.at(name)) << name;
    }
    before = now;
  }
  EXPECT_GT(before.size(), 100U);
}

TEST(PrometheusTextTest, RefusesWhatIsNone) {
  const std::string head = "# HELP a b\n# TYPE a counter\n";
  EXPECT_NO_THROW(PrometheusText(head + "a{x=\"1\\n\\\"\\\\\"} 1\n"));
  for (const char* text : {"a 1\n", "# HELP a b\n# TYPE a counter\na -1\n", "# HELP a b\n# TYPE a counter\na 1\na 1\n",
                           "# HELP a b\n# TYPE a counter\na{x=\"1} 1\n", "# HELP a b\n# TYPE a counter\nb 1\n",
                           "# TYPE a counter\na 1\n", "# HELP a b\n# TYPE a counter\na 1",
                           "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
                           "# HELP a b\n# TYPE a counter\na{x=\"\\q\"} 1\n"}) {
    EXPECT_THROW(PrometheusText{text}, std::runtime_error) << text;
  }
}

}  // namespace
}  // namespace cuzk::server
