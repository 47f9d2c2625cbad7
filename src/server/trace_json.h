// Timelines of jobs as a trace that Perfetto and chrome://tracing open: a process for each job, a track for each of its
// partitions, a slice for each phase. Below a partition's track are those of its work on a device: copies, quotient,
// sums, B in G2, which run beside each other.
//
// Format: "Trace Event Format" of Chrome, complete events; microseconds since the first of the jobs was accepted.
// Thread-safety: pure function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/job.h"

namespace cuzk::server {

/// now_ns is monotonic_ns(): where a phase that runs ends.
std::string trace_json(const std::vector<const engine::JobStatus*>& jobs, std::uint64_t now_ns);

}  // namespace cuzk::server
