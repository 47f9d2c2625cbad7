#include "server/trace_json.h"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "busy_snapshot.h"

namespace cuzk::server {
namespace {

using Json = nlohmann::json;
using Track = std::pair<int, int>;

Json trace_of(const std::vector<engine::JobStatus>& jobs) {
  std::vector<const engine::JobStatus*> shown;
  for (const engine::JobStatus& job : jobs) shown.push_back(&job);
  return Json::parse(trace_json(shown, kBusyNow));
}

Track track_of(const Json& event) { return {event["pid"], event["tid"]}; }

TEST(TraceJson, ATrackForEachPartitionAndASliceForEachPhase) {
  const Json events = trace_of({running_job("porep-1000-7")})["traceEvents"];
  std::map<Track, std::string> names;
  std::map<Track, std::vector<std::string>> slices;
  for (const Json& event : events) {
    if (event["name"] == "thread_name") names[track_of(event)] = event["args"]["name"];
    if (event["ph"] == "X" && event["cat"] != "job") slices[track_of(event)].push_back(event["name"]);
  }
  EXPECT_EQ(names, (std::map<Track, std::string>{{{1, 0}, "job"},
                                                 {{1, 1}, "partition 0 on cpu"},
                                                 {{1, 2}, "partition 1 on H200, attempt 2"},
                                                 {{1, 3}, "on the device: copies"},
                                                 {{1, 4}, "on the device: quotient"},
                                                 {{1, 5}, "on the device: sums"}}));
  EXPECT_EQ(slices[Track(1, 0)], (std::vector<std::string>{"decode", "check"}));
  EXPECT_EQ(slices[Track(1, 1)], (std::vector<std::string>{"queue", "key", "memory", "witness", "evaluate",
                                                           "device_queue", "start", "finish", "verify"}));
  EXPECT_EQ(slices[Track(1, 2)], (std::vector<std::string>{"queue", "witness", "start"}));
  EXPECT_EQ(slices[Track(1, 3)], (std::vector<std::string>{"h2d_witness"}));
  EXPECT_EQ(slices[Track(1, 4)], (std::vector<std::string>{"ntt", "ntt", "finish"}));
  EXPECT_EQ(slices[Track(1, 5)], (std::vector<std::string>{"split", "msm_general"}));
}

TEST(TraceJson, TimesAreMicrosecondsSinceTheFirstJob) {
  engine::JobStatus later = running_job("later");
  later.timeline.accepted_ns += kBusySecond;
  const Json events = trace_of({later, running_job("first")})["traceEvents"];
  std::map<std::string, Json> wholes;
  for (const Json& event : events) {
    if (event["ph"] == "X" && event["cat"] == "job") wholes[event["args"]["job_id"]] = event;
  }
  EXPECT_EQ(wholes["first"]["ts"], 0.0);
  EXPECT_EQ(wholes["first"]["dur"], 60e6);
  EXPECT_EQ(wholes["first"]["name"], "running");
  EXPECT_EQ(wholes["later"]["ts"], 1e6);
}

TEST(TraceJson, WhatRunsEndsNow) {
  int running = 0;
  const Json trace = trace_of({running_job("x")});
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] != "start" || event["tid"] != 2) continue;
    ++running;
    EXPECT_EQ(event["ts"].get<double>() + event["dur"].get<double>(), 60e6);
    EXPECT_EQ(event["args"]["unfinished"], true);
  }
  EXPECT_EQ(running, 1);
}

// The rules of the format: every event has type, name and track; slices of a track follow or hold each other.
TEST(TraceJson, IsWellFormed) {
  const Json trace = trace_of({failed_job("a", 10), running_job("b"), running_job("c")});
  EXPECT_EQ(trace["displayTimeUnit"], "ms");
  std::map<Track, std::vector<std::pair<double, double>>> slices;
  std::set<Track> named;
  for (const Json& event : trace["traceEvents"]) {
    ASSERT_TRUE(event["name"].is_string() && event["pid"].is_number_unsigned() && event["tid"].is_number_unsigned());
    if (event["ph"] == "M") {
      if (event["name"] == "thread_name") named.insert(track_of(event));
      continue;
    }
    ASSERT_EQ(event["ph"], "X");
    ASSERT_GE(event["ts"].get<double>(), 0);
    ASSERT_GE(event["dur"].get<double>(), 0);
    slices[track_of(event)].emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
  }
  for (const auto& [track, all] : slices) {
    EXPECT_TRUE(named.contains(track));
    for (const auto& [begin, end] : all) {
      for (const auto& [other_begin, other_end] : all) {
        const bool apart = end <= other_begin || other_end <= begin;
        const bool nested = (begin <= other_begin && other_end <= end) || (other_begin <= begin && end <= other_end);
        EXPECT_TRUE(apart || nested);
      }
    }
  }
}

TEST(TraceJson, NoJobIsATraceToo) { EXPECT_TRUE(trace_of({})["traceEvents"].empty()); }

}  // namespace
}  // namespace cuzk::server
