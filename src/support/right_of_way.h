// RightOfWay: urgent work beside ordinary work on the same cores.
//
// SharedCores has an arena for each. The library's threads go to urgent loops first, and return to ordinary ones chunk
// by chunk. Threads that call ordinary loops are not the library's: while somebody holds a RightOfWay, they pause
// between two chunks, so that the cores are those of the urgent work, in its loops and between them. No pause is longer
// than `longest_pause`: ordinary work goes on slowly, whatever the urgent work waits for, and looks at its stops.
//
// A RightOfWay is held around computation, not around waiting. Who holds one never pauses, whatever loops he calls.
// Thread-safety: concurrently; both arenas end after all loops. The arenas outlive who uses them.
#pragma once

#include <chrono>
#include <memory>

#include "support/parallel.h"

namespace cuzk {

class Crossing;

class SharedCores {
 public:
  /// As Arena.
  explicit SharedCores(unsigned threads = 0, std::chrono::nanoseconds longest_pause = std::chrono::seconds(1));

  Arena& ordinary() noexcept { return ordinary_; }
  Arena& urgent() noexcept { return urgent_; }

 private:
  std::shared_ptr<Crossing> crossing_;
  Arena ordinary_;
  Arena urgent_;
};

/// While it lives, ordinary loops beside this arena pause; nothing where it is not the urgent one of SharedCores. Ends
/// on the thread that made it.
class RightOfWay {
 public:
  explicit RightOfWay(const Arena& arena) noexcept;
  RightOfWay(const RightOfWay&) = delete;
  RightOfWay& operator=(const RightOfWay&) = delete;
  ~RightOfWay();

 private:
  Crossing* const crossing_;  // null: none
};

}  // namespace cuzk
