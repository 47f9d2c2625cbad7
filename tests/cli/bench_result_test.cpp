#include "cli/bench_result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cuzk::cli {
namespace {

TEST(Distribution, PercentilesAreValuesThatOccurred) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const Distribution d = distribution_of(values);
  EXPECT_EQ(d.count, 100U);
  EXPECT_EQ(d.min, 1);
  EXPECT_EQ(d.mean, 50.5);
  EXPECT_EQ(d.p50, 50);
  EXPECT_EQ(d.p90, 90);
  EXPECT_EQ(d.p99, 99);
  EXPECT_EQ(d.max, 100);
}

TEST(Distribution, OfFewValues) {
  EXPECT_EQ(distribution_of({}).count, 0U);
  const Distribution one = distribution_of({3});
  EXPECT_EQ(one.p50, 3);
  EXPECT_EQ(one.p99, 3);
  const Distribution two = distribution_of({4, 2});
  EXPECT_EQ(two.p50, 2);
  EXPECT_EQ(two.p90, 4);
}

BenchResult example() {
  const client::Times times{.queue = 100, .key = 0, .witness = 200, .compute = 300, .total = 700};
  return {.mode = "stress",
          .asked = 4,
          .concurrency = 2,
          .wall_seconds = 6,
          .items = {"a", "b"},
          .samples = {{0, SampleEnd::completed, 1, times, ""},
                      {1, SampleEnd::completed, 3, times, ""},
                      {1, SampleEnd::caller, 9, {}, "wrong"},
                      {0, SampleEnd::refused, 9, {}, "no room"}}};
}

TEST(BenchResult, AsJson) {
  JsonWriter writer;
  write_result(writer, example());
  const auto json = nlohmann::json::parse(writer.take());
  EXPECT_EQ(json["completed"], 2);
  EXPECT_EQ(json["refused"], 1);
  EXPECT_EQ(json["failed"]["caller"], 1);
  EXPECT_EQ(json["failed"]["defect"], 0);
  EXPECT_EQ(json["proofs_per_minute"], 20.0);
  EXPECT_EQ(json["seconds_per_proof"], 3.0);
  EXPECT_EQ(json["latency_seconds"]["count"], 2);
  EXPECT_EQ(json["latency_seconds"]["mean"], 2.0);
  EXPECT_EQ(json["compute_seconds"]["p90"], 0.3);
  EXPECT_EQ(json["proofs"][1]["name"], "b");
  EXPECT_EQ(json["proofs"][1]["latency_seconds"]["max"], 3.0);
  EXPECT_EQ(json["errors"], nlohmann::json({"wrong", "no room"}));
}

TEST(BenchResult, TellsHowManyMetTheirDeadline) {
  BenchResult result = example();
  EXPECT_EQ(text_of(result).find("deadline"), std::string::npos);
  result.samples[1].met_deadline = true;
  result.samples[2].met_deadline = false;
  result.samples[3].met_deadline = false;
  EXPECT_NE(text_of(result).find("1 of 3 proofs with a deadline met it"), std::string::npos);
  JsonWriter writer;
  write_result(writer, result);
  const auto json = nlohmann::json::parse(writer.take());
  EXPECT_EQ(json["deadlines"], nlohmann::json({{"proofs", 3}, {"met", 1}}));
  EXPECT_EQ(json["proofs"][0]["deadlines"], nlohmann::json({{"proofs", 1}, {"met", 0}}));
  EXPECT_EQ(json["proofs"][1]["deadlines"], nlohmann::json({{"proofs", 2}, {"met", 1}}));
}

TEST(BenchResult, AsTextHasFailuresAndEachProof) {
  const std::string text = text_of(example());
  EXPECT_NE(text.find("2 of 4 proofs"), std::string::npos);
  EXPECT_NE(text.find("20.000 a minute"), std::string::npos);
  EXPECT_NE(text.find("1 refused, failed: 1 caller, 0 transient, 0 defect"), std::string::npos);
  EXPECT_NE(text.find("latency of b"), std::string::npos);
  EXPECT_NE(text.find("no room"), std::string::npos);
}

TEST(BenchResult, NothingCompletedIsNoNumber) {
  JsonWriter writer;
  write_result(writer, {.mode = "single", .asked = 0, .items = {"a"}, .samples = {}});
  const auto json = nlohmann::json::parse(writer.take());
  EXPECT_TRUE(json["seconds_per_proof"].is_null());
  EXPECT_EQ(json["proofs_per_minute"], 0.0);
}

}  // namespace
}  // namespace cuzk::cli
