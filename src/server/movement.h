// Movement: whether the engine still gets on with its work, judged from outside.
//
// What is worked on makes steps: a job that is being decoded, a partition whose key is loaded, whose witness is made,
// or that is on a device. A step is the beginning or the end of a phase (engine/timeline.h). What has gone longest
// without one decides, whatever moves beside it:
//
//   on an accelerator   only a step is movement;
//   on this machine     so is computing: a phase may take hours here, and the process computes meanwhile.
//
// What waits for its turn, for memory or for a device waits for what is worked on. Where nothing is, it may wait for a
// key that is idle and is kept for a while; else the last step of any job counts. Only a long standstill is one.
// Thread-safety: one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/snapshot.h"

namespace cuzk::server {

struct Motion {
  bool alive = true;
  std::string reason;  // why not
};

class Movement {
 public:
  explicit Movement(std::chrono::nanoseconds limit = std::chrono::minutes(10)) : limit_(limit) {}

  /// cpu_ns: processor time of the process so far. Times come from the snapshot.
  Motion observe(const engine::EngineSnapshot& snapshot, std::uint64_t cpu_ns);

 private:
  void note_computing(std::uint64_t now_ns, std::uint64_t cpu_ns);

  const std::chrono::nanoseconds limit_;
  std::uint64_t computed_ns_ = 0;        // when the process last did
  std::uint64_t kept_ns_ = 0;            // when last somebody waited while a key was kept
  std::uint64_t finishers_busy_ns_ = 0;  // when last somebody waited for one
  std::uint64_t observed_ns_ = 0;        // last call
  std::uint64_t observed_cpu_ = 0;       // cpu_ns then
};

}  // namespace cuzk::server
