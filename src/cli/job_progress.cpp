#include "cli/job_progress.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <map>

#include "cli/report.h"
#include "support/clock.h"
#include "support/sleep.h"
#include "support/thread.h"

namespace cuzk::cli {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

class Painter {
 public:
  /// What takes less than a second shows nothing.
  bool wait_to_begin(const StopToken& stop) const {
    const std::uint64_t elapsed = watch_.elapsed_ns();
    return elapsed >= kSecond || !stopped_within(std::chrono::nanoseconds(kSecond - elapsed), stop);
  }
  void show(const client::JobState& job) {
    const std::string text = progress_text(job);
    const double seconds = static_cast<double>(job.age_ms) / 1000;
    if (!job.is_open()) return;
    if (terminal_) {
      std::fprintf(stderr, "\r\033[K%s  %s", text.c_str(), human_seconds(seconds).c_str());
      shown_ = true;
    } else if (text != last_ && since_last_.elapsed_ns() > (last_.empty() ? 0 : 10 * kSecond)) {
      std::fprintf(stderr, "%s  %s\n", text.c_str(), human_seconds(seconds).c_str());
      last_ = text;
      since_last_.restart();
    }
  }
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  const bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  const Stopwatch watch_;
  Stopwatch since_last_;
  std::string last_;
  bool shown_ = false;
};

}  // namespace

std::string progress_text(const client::JobState& job) {
  std::string text = job.kind + " " + job.circuit + ": ";
  if (job.decoding) return text + "decoding";
  if (job.state == "accepted") return text + "waiting";
  text += std::to_string(job.finished_partitions) + " of " + std::to_string(job.partitions) + " partitions";
  std::map<std::string, unsigned> stages;
  for (const client::PartitionState& partition : job.progress) ++stages[partition.stage];
  for (const char* stage : {"witness", "queued", "proving", "finishing", "failed"}) {
    if (const auto found = stages.find(stage); found != stages.end()) {
      text += ", " + std::to_string(found->second) + " " + stage;
    }
  }
  return text;
}

JobProgressLine::JobProgressLine(const client::Client& client, std::string job_id) {
  follower_ = named_thread("cuzk-progress", [&client, job_id = std::move(job_id)](const StopToken& stop) {
    Painter painter;
    const auto told = [&](const client::JobState& job) {
      if (painter.wait_to_begin(stop)) painter.show(job);  // nothing may follow for long
      return !stop.stop_requested();
    };
    // What fails here is told by the call that waits for the proof, which may outlive the service (--retry).
    Status ended;
    do {
      ended = client.watch(job_id, told, stop);
      painter.clear();
    } while (!ended && !stopped_within(std::chrono::seconds{1}, stop));
  });
}

JobProgressLine::~JobProgressLine() {
  follower_.request_stop();
  if (follower_.joinable()) follower_.join();
}

}  // namespace cuzk::cli
