// Progress: what a long command is doing, on standard error.
//
// A stage has a name and a total (elements, bytes; 0 when unknown). Nothing is shown for its first second. On a
// terminal one line is repainted at most 10 times a second ("msm h 42% 3.1 s") and cleared at the end of the stage;
// elsewhere a line is written every 10 s. There is no thread: advance() paints when it is time. Thread-safety:
// advance() concurrently (a relaxed counter and one clock reading: call it per chunk, not per element); begin() and
// end() by one thread, not while others advance. One stage at a time: begin() ends the stage before.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "support/mutex.h"

namespace cuzk {

class Progress {
 public:
  /// Where the text goes, whether that is a terminal, and the clock; tests bring their own.
  struct Output {
    std::function<void(std::string_view)> write;
    bool terminal = false;
    std::function<std::uint64_t()> now_ns;
  };

  /// Standard error and the monotonic clock.
  Progress();
  explicit Progress(Output output);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void begin(std::string_view stage, std::uint64_t total = 0);
  void advance(std::uint64_t count) noexcept;
  void end();

 private:
  void paint(std::uint64_t now) CUZK_REQUIRES(mutex_);

  Output output_;
  std::atomic<bool> running_ = false;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::uint64_t> next_paint_ns_ = 0;
  Mutex mutex_;
  std::string stage_ CUZK_GUARDED_BY(mutex_);
  std::uint64_t total_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t begin_ns_ CUZK_GUARDED_BY(mutex_) = 0;
  bool line_shown_ CUZK_GUARDED_BY(mutex_) = false;
};

/// A Progress or none: what functions take, so that silence costs a null test and no caller needs to ask.
class ProgressRef {
 public:
  ProgressRef(Progress* progress = nullptr) noexcept : progress_(progress) {}  // implicit: &progress or nullptr

  void begin(std::string_view stage, std::uint64_t total = 0) const {
    if (progress_ != nullptr) progress_->begin(stage, total);
  }
  void advance(std::uint64_t count) const noexcept {
    if (progress_ != nullptr) progress_->advance(count);
  }
  void end() const {
    if (progress_ != nullptr) progress_->end();
  }

 private:
  Progress* progress_;
};

}  // namespace cuzk
