#include "cli/remote.h"
#include "cli/service_json.h"
#include "cli/table.h"

namespace cuzk::cli {
namespace {

std::string age(std::uint64_t ms) { return human_seconds(static_cast<double>(ms) / 1000); }

std::string table_of(const std::vector<client::JobState>& jobs) {
  Table table({"JOB", "KIND", "CIRCUIT", "PRIORITY", "STATE", "DONE", "TIME", "ERROR"});
  for (const client::JobState& job : jobs) {
    table.add({job.job_id, job.kind, job.circuit, job.priority, job.decoding ? "decoding" : job.state,
               std::to_string(job.finished_partitions) + "/" + std::to_string(job.partitions), age(job.age_ms),
               job.error});
    for (const client::PartitionState& partition : job.progress) {
      table.add({"  partition " + std::to_string(partition.index), "", "", "", partition.stage,
                 partition.attempts > 1 ? "attempt " + std::to_string(partition.attempts) : "",
                 age(partition.witness_ms + partition.evaluate_ms + partition.prove_ms + partition.verify_ms),
                 partition.note.empty() ? partition.error : partition.note});
    }
  }
  return table.empty() ? "no jobs" : table.text();
}

}  // namespace

Status jobs(const JobsOptions& options, Report& report) {
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const auto found, client->jobs({.kind = options.kind,
                                           .states = options.states,
                                           .limit = options.limit,
                                           .with_partitions = options.partitions}));
  report.say(table_of(found));
  JsonWriter json;
  json.begin_object().key("jobs").begin_array();
  for (const client::JobState& job : found) write_job(json, job);
  json.end_array().end_object();
  report.result(std::move(json));
  return {};
}

}  // namespace cuzk::cli
