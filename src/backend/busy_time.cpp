#include "backend/busy_time.h"

namespace cuzk::backend {

void BusyTime::add(std::uint64_t begin_ns, std::uint64_t end_ns) {
  Interval joined{std::max(begin_ns, forgotten_ns_), end_ns};
  if (joined.begin >= joined.end) return;
  // Those that it meets become part of it.
  const auto first =
      std::ranges::lower_bound(intervals_, joined.begin, {}, [](const Interval& interval) { return interval.end; });
  auto last = first;
  for (; last != intervals_.end() && last->begin <= joined.end; ++last) {
    joined = {std::min(joined.begin, last->begin), std::max(joined.end, last->end)};
    total_ns_ -= last->end - last->begin;
  }
  total_ns_ += joined.end - joined.begin;
  intervals_.insert(intervals_.erase(first, last), joined);
  if (intervals_.size() <= kIntervals) return;
  forgotten_ns_ = intervals_.front().end;
  intervals_.erase(intervals_.begin());
}

void BusyTime::add(const DeviceTimes& times) {
  for (const DeviceTimes::Span& span : times.spans) {
    if (is_computed_on_device(span.phase)) add(span.begin_ns, span.end_ns);
  }
}

std::optional<double> BusyTime::share(std::uint64_t since_ns) const noexcept {
  std::uint64_t first = 0, busy = 0;
  for (const Interval& interval : intervals_) {
    if (interval.end <= since_ns) continue;
    const std::uint64_t begin = std::max(interval.begin, since_ns);
    if (busy == 0) first = begin;
    busy += interval.end - begin;
  }
  if (busy == 0) return std::nullopt;
  return static_cast<double>(busy) / static_cast<double>(intervals_.back().end - first);
}

}  // namespace cuzk::backend
