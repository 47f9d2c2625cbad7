#include "server/status_json.h"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "busy_snapshot.h"

namespace cuzk::server {
namespace {

using Json = nlohmann::json;
using Schema = std::map<std::string, std::string>;

/// What a value may be: "text", "count", "number", "flag", "null", joined with "|".
///
/// Keys that pollers of the Rust daemon read; not one may be missing or be of another type.
const Schema& known_keys() {
  static const Schema kSchema = {
      {"uptime_secs", "number"},
      {"memory.total_bytes", "count"},
      {"memory.used_bytes", "count"},
      {"memory.available_bytes", "count"},
      {"synthesis.max_concurrent", "count"},
      {"synthesis.active", "count"},
      {"pipelines[].job_id", "text"},
      {"pipelines[].proof_kind", "text"},
      {"pipelines[].started_secs_ago", "number"},
      {"pipelines[].total_partitions", "count"},
      {"pipelines[].partitions_done", "count"},
      {"pipelines[].partitions[].index", "count"},
      {"pipelines[].partitions[].state", "text"},
      {"pipelines[].partitions[].synth_ms", "count|null"},
      {"pipelines[].partitions[].gpu_ms", "count|null"},
      {"gpu_workers[].worker_id", "count"},
      {"gpu_workers[].gpu_ordinal", "count"},
      {"gpu_workers[].state", "text"},
      {"gpu_workers[].current_job", "text|null"},
      {"gpu_workers[].current_partition", "count|null"},
      {"gpu_workers[].busy_secs", "number|null"},
      {"allocations.srs[].circuit_id", "text"},
      {"allocations.srs[].bytes", "count"},
      {"allocations.srs[].last_used_secs_ago", "number"},
      {"allocations.srs[].evictable", "flag"},
      {"allocations.pce[].circuit_id", "text"},
      {"allocations.pce[].bytes", "count"},
      {"allocations.pce[].last_used_secs_ago", "number"},
      {"allocations.pce[].evictable", "flag"},
      {"counters.total_completed", "count"},
      {"counters.total_failed", "count"},
      {"counters.completed_by_kind.porep-c2", "count"},
      {"counters.completed_by_kind.circom", "count"},
      {"counters.failed_by_kind.porep-c2", "count"},
      {"counters.failed_by_kind.circom", "count"},
      {"counters.queue_depth", "count"},
      {"buffers.synth_in_flight", "count"},
      {"buffers.provers_in_flight", "count"},
      {"buffers.aux_in_flight", "count"},
      {"buffers.shells_in_flight", "count"},
      {"buffers.pending_handles", "count"},
  };
  return kSchema;
}

/// Keys of ours beside them.
const Schema& added_keys() {
  static const Schema kSchema = {
      {"version", "text"},
      {"ready", "flag"},
      {"accepting", "flag"},
      {"unwritten_ends", "count"},
      {"warnings[]", "text"},
      {"memory.peak_bytes", "count"},
      {"memory.critical_reserve_bytes", "count"},
      {"memory.by_tag.key", "count"},
      {"memory.by_tag.circuit", "count"},
      {"memory.by_tag.abc", "count"},
      {"memory.by_tag.witness", "count"},
      {"memory.by_tag.payload", "count"},
      {"memory.by_tag.workspace", "count"},
      {"memory.by_tag.cache", "count"},
      {"memory.by_tag.pool", "count"},
      {"memory.payloads.limit_bytes", "count"},
      {"memory.payloads.payload_bytes", "count"},
      {"memory.payloads.statement_bytes", "count"},
      {"memory.payloads.receiving_bytes", "count"},
      {"memory.waiting[].tag", "text"},
      {"memory.waiting[].bytes", "count"},
      {"memory.waiting[].waited_secs", "number"},
      {"memory.waiting[].owner", "text"},
      {"allocations.srs[].device", "count"},
      {"allocations.srs[].loading", "flag"},
      {"allocations.srs[].users", "count"},
      {"allocations.srs[].load_secs", "number"},
      {"allocations.pce[].device", "count"},
      {"allocations.pce[].loading", "flag"},
      {"allocations.pce[].users", "count"},
      {"allocations.pce[].load_secs", "number"},
      {"pool.chunks", "count"},
      {"pool.free_bytes", "count"},
      {"pool.in_use_bytes", "count"},
      {"pool.pinned_bytes", "count"},
      {"pool.pageable_bytes", "count"},
      {"pool.hits", "count"},
      {"pool.misses", "count"},
      {"pool.fallbacks", "count"},
      {"queues[].name", "text"},
      {"queues[].length", "count"},
      {"queues[].capacity", "count"},
      {"queues[].oldest_secs", "number"},
      {"devices[].ordinal", "count"},
      {"devices[].name", "text"},
      {"devices[].is_cpu", "flag"},
      {"devices[].in_service", "flag"},
      {"devices[].trouble", "text|null"},
      {"devices[].ill", "flag"},
      {"devices[].out_of_service_secs", "number"},
      {"devices[].quarantines", "count"},
      {"devices[].proofs", "count"},
      {"devices[].errors", "count"},
      {"devices[].busy_secs", "number"},
      {"devices[].kernel_secs", "number"},
      {"devices[].kernel_share", "number|null"},
      {"devices[].max_in_flight", "count"},
      {"devices[].in_flight[].job_id", "text"},
      {"devices[].in_flight[].proof_kind", "text"},
      {"devices[].in_flight[].partition", "count"},
      {"devices[].in_flight[].secs", "number"},
      {"devices[].memory", "null"},  // of one without memory of its own
      {"devices[].memory.total_bytes", "count"},
      {"devices[].memory.free_bytes", "count"},
      {"devices[].memory.budget_bytes", "count"},
      {"devices[].memory.used_bytes", "count"},
      {"jobs[].job_id", "text"},
      {"jobs[].label", "text"},
      {"jobs[].proof_kind", "text"},
      {"jobs[].circuit", "text"},
      {"jobs[].priority", "text"},
      {"jobs[].state", "text"},
      {"jobs[].decoding", "flag"},
      {"jobs[].partitions_done", "count"},
      {"jobs[].total_partitions", "count"},
      {"jobs[].queue_position", "count"},
      {"jobs[].payload_bytes", "count"},
      {"jobs[].accepted_secs_ago", "number"},
      {"jobs[].finished_secs_ago", "number|null"},
      {"jobs[].duration_secs", "number"},
      {"jobs[].error", "text|null"},
      {"jobs[].failure", "text|null"},
      {"jobs[].phases[].name", "text"},
      {"jobs[].phases[].begin_ms", "number"},
      {"jobs[].phases[].end_ms", "number|null"},
      {"jobs[].partitions[].index", "count"},
      {"jobs[].partitions[].stage", "text"},
      {"jobs[].partitions[].attempts", "count"},
      {"jobs[].partitions[].device", "text"},
      {"jobs[].partitions[].path", "text"},
      {"jobs[].partitions[].pinned_bytes", "count"},
      {"jobs[].partitions[].pageable_bytes", "count"},
      {"jobs[].partitions[].error", "text|null"},
      {"jobs[].partitions[].instead", "text|null"},
      {"jobs[].partitions[].failed[].device", "text"},
      {"jobs[].partitions[].failed[].error", "text"},
      {"jobs[].partitions[].on_device_ms", "null"},  // before its end, and where the device has no clock of its own
      {"jobs[].partitions[].on_device_ms.h2d_witness", "number"},
      {"jobs[].partitions[].on_device_ms.split", "number"},
      {"jobs[].partitions[].on_device_ms.ntt", "number"},
      {"jobs[].partitions[].on_device_ms.msm_general", "number"},
      {"jobs[].partitions[].on_device_ms.finish", "number"},
      {"jobs[].partitions[].phases[].name", "text"},
      {"jobs[].partitions[].phases[].begin_ms", "number"},
      {"jobs[].partitions[].phases[].end_ms", "number|null"},
      {"failures[].job_id", "text"},
      {"failures[].proof_kind", "text"},
      {"failures[].error", "text"},
      {"failures[].class", "text"},
      {"failures[].secs_ago", "number"},
      {"kinds[].proof_kind", "text"},
      {"kinds[].waiting", "count"},
      {"kinds[].running", "count"},
      {"kinds[].accepted", "count"},
      {"kinds[].joined", "count"},
      {"kinds[].recovered", "count"},
      {"kinds[].completed", "count"},
      {"kinds[].cancelled", "count"},
      {"kinds[].failed.caller", "count"},
      {"kinds[].failed.transient", "count"},
      {"kinds[].failed.defect", "count"},
      {"kinds[].partitions_proved", "count"},
      {"kinds[].partitions_retried", "count"},
      {"kinds[].proofs_rejected", "count"},
      {"kinds[].cpu_fallbacks", "count"},
  };
  return kSchema;
}

std::set<std::string> types_of(const Json& value) {
  if (value.is_null()) return {"null"};
  if (value.is_string()) return {"text"};
  if (value.is_boolean()) return {"flag"};
  if (value.is_number_unsigned()) return {"count", "number"};
  return {"number"};
}

/// Every leaf by its path.
void flatten(const Json& value, const std::string& path, std::multimap<std::string, Json>& leaves) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) flatten(member, path.empty() ? key : path + "." + key, leaves);
  } else if (value.is_array()) {
    for (const Json& element : value) flatten(element, path + "[]", leaves);
  } else {
    leaves.emplace(path, value);
  }
}

bool allows(const std::string& schema, const std::set<std::string>& types) {
  for (std::size_t at = 0; at <= schema.size();) {
    const std::size_t end = std::min(schema.find('|', at), schema.size());
    if (types.contains(schema.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

Json status() {
  return Json::parse(status_json(busy_snapshot(), {"1.2.3", true, {"anyone who reaches 0.0.0.0:9821 may use it"}}));
}

TEST(StatusJson, HasExactlyTheKeysAndTypesOfItsSchema) {
  Schema schema = known_keys();
  schema.insert(added_keys().begin(), added_keys().end());
  std::multimap<std::string, Json> leaves;
  flatten(status(), "", leaves);
  std::set<std::string> seen;
  for (const auto& [path, value] : leaves) {
    const auto wanted = schema.find(path);
    ASSERT_NE(wanted, schema.end()) << path << " is not in the schema";
    EXPECT_TRUE(allows(wanted->second, types_of(value))) << path << ": " << value;
    seen.insert(path);
  }
  for (const auto& [path, type] : schema) EXPECT_TRUE(seen.contains(path)) << path << " is missing";
}

/// "a.b[].c" is {"a", "b"}: up to the first list, or to what depends on kinds.
std::vector<std::string> certain_part(const std::string& path) {
  std::vector<std::string> keys;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    keys.push_back(path.substr(at, end - at));
    if (keys.back().ends_with("[]")) {
      keys.back().resize(keys.back().size() - 2);
      break;
    }
    if (keys.back().ends_with("_by_kind")) break;
    at = end + 1;
  }
  return keys;
}

// A poller decodes the first answer of an idle service too.
TEST(StatusJson, AnIdleServiceHasTheKeysOfAPoller) {
  const Json idle = Json::parse(status_json({}, {}));
  for (const auto& [path, type] : known_keys()) {
    const Json* at = &idle;
    for (const std::string& key : certain_part(path)) {
      ASSERT_TRUE(at->contains(key)) << path;
      at = &at->at(key);
    }
    EXPECT_FALSE(at->is_null() && type.find("null") == std::string::npos) << path;
  }
  EXPECT_TRUE(idle["pool"].is_null());
}

TEST(StatusJson, PipelinesHaveTheStatesOfPollers) {
  const Json pipelines = status()["pipelines"];
  ASSERT_EQ(pipelines.size(), 2U);  // the job that failed ten minutes ago is gone
  EXPECT_EQ(pipelines[0]["job_id"], "porep-1000-7");
  EXPECT_EQ(pipelines[0]["started_secs_ago"], 60.0);
  EXPECT_EQ(pipelines[0]["partitions"], Json::parse(R"([{"index": 0, "state": "done", "synth_ms": 4000, "gpu_ms": 4000},
                            {"index": 1, "state": "gpu", "synth_ms": 14000, "gpu_ms": 15000}])"));
  EXPECT_EQ(pipelines[1]["partitions"],
            Json::parse(R"([{"index": 0, "state": "failed", "synth_ms": null, "gpu_ms": null}])"));

  engine::EngineSnapshot snapshot;
  snapshot.now_ns = kBusyNow;
  snapshot.jobs = {running_job("x")};
  for (const auto& [stage, state] : std::map<engine::Stage, std::string>{{engine::Stage::waiting, "pending"},
                                                                         {engine::Stage::witness, "synthesizing"},
                                                                         {engine::Stage::queued, "synth_done"},
                                                                         {engine::Stage::proving, "gpu"},
                                                                         {engine::Stage::finishing, "gpu"},
                                                                         {engine::Stage::done, "done"},
                                                                         {engine::Stage::failed, "failed"}}) {
    snapshot.jobs[0].partitions[0].stage = stage;
    EXPECT_EQ(Json::parse(status_json(snapshot, {}))["pipelines"][0]["partitions"][0]["state"], state);
  }
}

TEST(StatusJson, WorkersAreTheSlotsOfAllDevices) {
  EXPECT_EQ(status()["gpu_workers"], Json::parse(R"([
    {"worker_id": 0, "gpu_ordinal": 0, "state": "proving", "current_job": "porep-1000-7", "current_partition": 1,
     "busy_secs": 15.0},
    {"worker_id": 1, "gpu_ordinal": 0, "state": "idle", "current_job": null, "current_partition": null,
     "busy_secs": null},
    {"worker_id": 2, "gpu_ordinal": 1, "state": "idle", "current_job": null, "current_partition": null,
     "busy_secs": null}])"));
}

TEST(StatusJson, CountersAndBuffersAreTrue) {
  const Json all = status();
  EXPECT_EQ(all["counters"], Json::parse(R"({"total_completed": 7, "total_failed": 2, "queue_depth": 2,
      "completed_by_kind": {"porep-c2": 3, "circom": 4}, "failed_by_kind": {"porep-c2": 2, "circom": 0}})"));
  EXPECT_EQ(all["buffers"], Json::parse(R"({"synth_in_flight": 0, "provers_in_flight": 1, "aux_in_flight": 1,
                                            "shells_in_flight": 1, "pending_handles": 0})"));
}

TEST(StatusJson, PhasesAreMillisecondsSinceTheJobWasAccepted) {
  const Json job = status()["jobs"][1];
  EXPECT_EQ(job["phases"], Json::parse(R"([{"name": "decode", "begin_ms": 0.0, "end_ms": 1000.0},
                                           {"name": "check", "begin_ms": 1000.0, "end_ms": 2000.0}])"));
  EXPECT_EQ(job["partitions"][1]["phases"], Json::parse(R"([{"name": "queue", "begin_ms": 30000.0, "end_ms": 31000.0},
                            {"name": "witness", "begin_ms": 31000.0, "end_ms": 45000.0},
                            {"name": "start", "begin_ms": 45000.0, "end_ms": null}])"));
  EXPECT_EQ(job["partitions"][1]["error"], "the device was lost");
  EXPECT_EQ(job["duration_secs"], 60.0);
}

TEST(StatusJson, FailuresAreTheNewestTwenty) {
  engine::EngineSnapshot snapshot;
  snapshot.now_ns = kBusyNow;
  for (std::uint64_t i = 0; i < 40; ++i) snapshot.jobs.push_back(failed_job("job " + std::to_string(i), (i * 7) % 40));
  const Json failures = Json::parse(status_json(snapshot, {}))["failures"];
  ASSERT_EQ(failures.size(), 20U);
  for (std::size_t i = 0; i < failures.size(); ++i) EXPECT_EQ(failures[i]["secs_ago"], static_cast<double>(i));
}

TEST(StatusJson, EndedJobsAreBoundedAndOpenOnesAreNot) {
  engine::EngineSnapshot snapshot;
  snapshot.now_ns = kBusyNow;
  for (std::uint64_t i = 0; i < 1000; ++i) snapshot.jobs.push_back(failed_job("ended", 1000 - i));
  for (std::uint64_t i = 0; i < 200; ++i) snapshot.jobs.push_back(running_job("open"));
  const Json jobs = Json::parse(status_json(snapshot, {}))["jobs"];
  ASSERT_EQ(jobs.size(), 200 + kShownEndedJobs);
  EXPECT_EQ(jobs[0]["finished_secs_ago"], static_cast<double>(kShownEndedJobs));
}

TEST(StatusJson, AListOfJobsLeavesTheirPartitionsOut) {
  const Json list = Json::parse(jobs_json(busy_snapshot().jobs, kBusyNow));
  ASSERT_EQ(list["jobs"].size(), 3U);
  EXPECT_FALSE(list["jobs"][1].contains("partitions"));
  EXPECT_EQ(Json::parse(job_json(running_job("x"), kBusyNow))["partitions"].size(), 2U);
}

}  // namespace
}  // namespace cuzk::server
