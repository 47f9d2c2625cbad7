// The state of the service as JSON: what /status answers, and jobs as the JSON API tells them.
//
// The keys that pollers of the Rust daemon know are there with their names and units; docs/http.md has the list. Times
// are seconds, those of phases milliseconds since the job was accepted. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/snapshot.h"

namespace cuzk {
class JsonWriter;
}  // namespace cuzk

namespace cuzk::server {

/// What the engine does not know of the process around it.
struct ServiceFacts {
  std::string version;
  bool ready = false;                 // preloads are done
  std::vector<std::string> warnings;  // what an operator should know
};

/// Jobs that ended before the newest so many are left out; open ones never are.
inline constexpr std::size_t kShownEndedJobs = 50;

std::string status_json(const engine::EngineSnapshot& snapshot, const ServiceFacts& facts);

/// {"jobs": [...]} without their partitions, oldest first.
std::string jobs_json(const std::vector<engine::JobStatus>& jobs, std::uint64_t now_ns);
/// One with its partitions. now_ns is monotonic_ns().
std::string job_json(const engine::JobStatus& job, std::uint64_t now_ns);

/// Open jobs and the newest `ended` of the others, in their order.
std::vector<const engine::JobStatus*> shown_jobs(const std::vector<engine::JobStatus>& jobs, std::size_t ended);

}  // namespace cuzk::server
