#include "engine/turnover.h"

#include <algorithm>
#include <functional>

namespace cuzk::engine {

namespace {

constexpr std::size_t kEnds = 16;

}  // namespace

std::chrono::milliseconds wait_for_an_end(std::vector<std::uint64_t> ends_ns, std::uint64_t oldest_open_ns,
                                          std::uint64_t now_ns) {
  std::ranges::sort(ends_ns, std::greater<>());
  ends_ns.resize(std::min(ends_ns.size(), kEnds));
  const std::uint64_t since = ends_ns.empty() ? oldest_open_ns : ends_ns.back();
  const std::uint64_t wait_ns = (now_ns - std::min(now_ns, since)) / std::max<std::size_t>(ends_ns.size(), 1);
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(wait_ns));
  return std::clamp(wait, kShortestWait, kLongestWait);
}

}  // namespace cuzk::engine
