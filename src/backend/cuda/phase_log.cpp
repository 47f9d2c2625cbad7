#include "backend/cuda/phase_log.h"

#include "backend/cuda/nvtx.h"
#include "support/clock.h"

namespace cuzk::cuda {

namespace {

constexpr std::uint64_t kOldAnchorNs = 5'000'000'000;  // then a float still tells half a microsecond

}  // namespace

Result<std::unique_ptr<DeviceClock>> DeviceClock::create() {
  CUZK_TRY(auto stream, Stream::create(true));
  CUZK_TRY(auto first, Event::create(true));
  CUZK_TRY(auto next, Event::create(true));
  CUZK_CHECK_OK(first.record(stream));
  CUZK_CHECK_OK(stream.wait());  // the first of a stream is slow
  const std::uint64_t now = monotonic_ns();
  CUZK_CHECK_OK(first.record(stream));
  CUZK_CHECK_OK(stream.wait());
  return std::unique_ptr<DeviceClock>(
      new DeviceClock(std::move(stream), Anchor{std::move(first), now}, Anchor{std::move(next), 0}));
}

Status DeviceClock::keep_up() {
  const MutexLock lock(mutex_);
  const std::uint64_t now = monotonic_ns();
  if (next_.queued_ns != 0 || now - anchor_.queued_ns < kOldAnchorNs) return {};
  CUZK_CHECK_OK(next_.event.record(stream_));
  next_.queued_ns = now;
  return {};
}

void DeviceClock::use_next_locked() {
  if (next_.queued_ns == 0) return;
  const auto ms = Event::elapsed_ms(anchor_.event, next_.event);
  if (!ms) return;  // it has not happened yet; the next proof asks again
  at_.move(*ms, next_.queued_ns);
  std::swap(anchor_, next_);
  next_.queued_ns = 0;
}

Result<std::vector<std::uint64_t>> DeviceClock::host_ns(std::span<const Event> events) {
  const MutexLock lock(mutex_);
  use_next_locked();
  std::vector<std::uint64_t> times;
  times.reserve(events.size());
  for (const Event& event : events) {
    CUZK_TRY(const float ms, Event::elapsed_ms(anchor_.event, event));
    times.push_back(at_.host_ns(ms));
  }
  return times;
}

Status PhaseLog::prepare() {
  constexpr std::size_t kOrdinary = 24;
  while (events_.size() < kOrdinary) {
    CUZK_TRY(auto event, Event::create(true));
    events_.push_back(std::move(event));
  }
  return {};
}

Status PhaseLog::record(const Stream& stream) {
  if (used_ == events_.size()) {
    CUZK_TRY(auto event, Event::create(true));
    events_.push_back(std::move(event));
  }
  return events_[used_++].record(stream);
}

Status PhaseLog::run(const Stream& stream, std::initializer_list<Step> steps) {
  CUZK_CHECK_OK(record(stream));
  for (const Step& step : steps) {
    const NvtxRange range(to_string(step.phase));
    CUZK_CHECK_OK(step.queue());
    CUZK_CHECK_OK(record(stream));
    marks_.push_back({.phase = step.phase, .begin = used_ - 2, .end = used_ - 1});
  }
  return {};
}

Result<std::vector<backend::DeviceTimes::Span>> PhaseLog::read(DeviceClock& clock) const {
  CUZK_TRY(const auto times, clock.host_ns(std::span(events_).first(used_)));
  std::vector<backend::DeviceTimes::Span> spans;
  spans.reserve(marks_.size() + 1);
  for (const Mark& mark : marks_) {
    spans.push_back({.phase = mark.phase, .begin_ns = times[mark.begin], .end_ns = times[mark.end]});
  }
  return spans;
}

}  // namespace cuzk::cuda
