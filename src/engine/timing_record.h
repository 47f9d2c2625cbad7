// Timing records: a proven partition's timeline as the lines "CUZK_TIMING: name=value ... job=J part=K gpu=N" that
// readers of logs know from other provers (docs/formats/timing_record.md). Milliseconds, whole; what does not exist
// here is 0.
//
// Thread-safety: pure function; the sink concurrently.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/timeline.h"

namespace cuzk::engine {

struct TimingSubject {
  std::string_view job;  // what is no plain visible character in it, and '%' and '=', is written as %XX
  std::uint32_t partition = 0;
  unsigned device = 0;
  bool is_cpu = true;  // then "gpu=-1", and no time of a GPU
};

/// Several lines, each with its newline.
std::string timing_record(const TimingSubject& subject, const PartitionTimeline& timeline);

/// To standard error, a record at once.
void write_timing_record(std::string_view record);

}  // namespace cuzk::engine
