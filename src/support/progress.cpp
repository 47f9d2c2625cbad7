#include "support/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "support/clock.h"

namespace cuzk {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kSilence = kSecond;
constexpr std::uint64_t kRepaint = kSecond / 10;
constexpr std::uint64_t kLine = 10 * kSecond;
constexpr std::string_view kClearLine = "\r\x1b[K";  // ECMA-48: carriage return, erase to the end of the line

Progress::Output standard_error() {
  return {.write = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); },
          .terminal = ::isatty(STDERR_FILENO) == 1,
          .now_ns = monotonic_ns};
}

/// Percent of total, at most 100: a stage may count more than it announced.
unsigned percent(std::uint64_t done, std::uint64_t total) noexcept {
  const double share = static_cast<double>(done) / static_cast<double>(total);
  return static_cast<unsigned>(std::min(share, 1.0) * 100);
}

std::string describe(const std::string& stage, std::uint64_t done, std::uint64_t total, std::uint64_t elapsed_ns) {
  std::string text = stage;
  if (total > 0) text += " " + std::to_string(percent(done, total)) + "%";
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, " %.1f s", static_cast<double>(elapsed_ns) / static_cast<double>(kSecond));
  return text + seconds;
}

}  // namespace

Progress::Progress() : Progress(standard_error()) {}

Progress::Progress(Output output) : output_(std::move(output)) {}

Progress::~Progress() { end(); }

void Progress::begin(std::string_view stage, std::uint64_t total) {
  end();
  const std::uint64_t now = output_.now_ns();
  const MutexLock lock(mutex_);
  stage_ = stage;
  total_ = total;
  begin_ns_ = now;
  done_.store(0, std::memory_order_relaxed);
  next_paint_ns_.store(now + (output_.terminal ? kSilence : kLine), std::memory_order_relaxed);
  running_.store(true, std::memory_order_relaxed);
}

// Relaxed: the counters order nothing, the text is painted under the lock, and a lost repaint is made up for by the
// next.
void Progress::advance(std::uint64_t count) noexcept {
  done_.fetch_add(count, std::memory_order_relaxed);
  if (!running_.load(std::memory_order_relaxed)) return;
  const std::uint64_t now = output_.now_ns();
  std::uint64_t due = next_paint_ns_.load(std::memory_order_relaxed);
  if (now < due) return;
  const std::uint64_t next = now + (output_.terminal ? kRepaint : kLine);
  if (!next_paint_ns_.compare_exchange_strong(due, next, std::memory_order_relaxed)) return;  // another thread paints
  const MutexLock lock(mutex_);
  paint(now);
}

void Progress::paint(std::uint64_t now) {
  const std::uint64_t elapsed = now > begin_ns_ ? now - begin_ns_ : 0;
  const std::string text = describe(stage_, done_.load(std::memory_order_relaxed), total_, elapsed);
  output_.write(output_.terminal ? std::string(kClearLine) + text : text + "\n");
  line_shown_ = output_.terminal;
}

void Progress::end() {
  const MutexLock lock(mutex_);
  running_.store(false, std::memory_order_relaxed);
  if (line_shown_) output_.write(kClearLine);
  line_shown_ = false;
}

}  // namespace cuzk
