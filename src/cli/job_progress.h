// JobProgressLine: how a job at a service stands, as one line on standard error, while something else waits for its
// end.
//
// On a terminal the line is repainted; elsewhere a new line is written when something has changed, at most every 10 s.
// Nothing is shown for the first second. Thread-safety: external.
#pragma once

#include <string>
#include <thread>

#include "client/client.h"

namespace cuzk::cli {

/// "window-post wpost-2k: 3 of 10 partitions, 2 witness, 1 proving"
std::string progress_text(const client::JobState& job);

class JobProgressLine {
 public:
  /// Follows the job from a thread of its own until this object ends.
  JobProgressLine(const client::Client& client, std::string job_id);
  JobProgressLine(const JobProgressLine&) = delete;
  JobProgressLine& operator=(const JobProgressLine&) = delete;
  ~JobProgressLine();

 private:
  std::jthread follower_;
};

}  // namespace cuzk::cli
