// Movement: whether the engine still gets on with its work, judged from outside.
//
// What is worked on makes steps: a job that is being decoded, a partition whose key is loaded, whose witness is made,
// or that is on a device. A step is the beginning or the end of a phase (engine/timeline.h). What has gone longest
// without one decides, whatever moves beside it:
//
//   on an accelerator   only a step is movement;
//   on this machine     so is computing, and reading from disks: a phase may take hours here, and the process computes
//                       meanwhile, or loads a key from a slow disk.
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

/// What the process has used so far.
struct ProcessUse {
  std::uint64_t cpu_ns = 0;
  std::uint64_t read_bytes = 0;
};

class Movement {
 public:
  explicit Movement(std::chrono::nanoseconds limit = std::chrono::minutes(10)) : limit_(limit) {}

  /// Times come from the snapshot.
  Motion observe(const engine::EngineSnapshot& snapshot, const ProcessUse& use);

 private:
  void note_work(std::uint64_t now_ns, const ProcessUse& use);

  const std::chrono::nanoseconds limit_;
  std::uint64_t worked_ns_ = 0;          // when the process last computed or read
  std::uint64_t kept_ns_ = 0;            // when last somebody waited while a key was kept
  std::uint64_t finishers_busy_ns_ = 0;  // when last somebody waited for one
  std::uint64_t observed_ns_ = 0;        // last call
  ProcessUse observed_use_;              // then
};

}  // namespace cuzk::server
