// When there will be room again, as far as the past tells: what who was refused is told to wait.
//
// Times are monotonic nanoseconds. Thread-safety: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace cuzk::engine {

inline constexpr std::chrono::milliseconds kShortestWait = std::chrono::seconds{1};
inline constexpr std::chrono::milliseconds kLongestWait = std::chrono::minutes{1};
/// Until a service that is stopping may be there again.
inline constexpr std::chrono::milliseconds kRestartWait = std::chrono::seconds{5};

/// The mean time between the last 16 of these ends, and now. Where none has ended it takes as long again as the oldest
/// open job has taken. Not below kShortestWait, not above kLongestWait.
std::chrono::milliseconds wait_for_an_end(std::vector<std::uint64_t> ends_ns, std::uint64_t oldest_open_ns,
                                          std::uint64_t now_ns);

}  // namespace cuzk::engine
