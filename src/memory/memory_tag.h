// What memory is for, and how urgent the work is that asks for it.
//
// Thread-safety: values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cuzk::memory {

/// The consumers that status and messages tell apart.
enum class MemoryTag : std::uint8_t {
  key,        // proving keys, resident
  circuit,    // compiled circuits, resident
  abc,        // a, b, c of a partition
  witness,    // the witness of a partition
  payload,    // bytes of requests
  workspace,  // what a stage needs while it runs
  cache,      // results and other things that can be made again
  pool,       // buffers being made ready before anyone has asked
};
inline constexpr std::size_t kMemoryTags = 8;

constexpr std::string_view to_string(MemoryTag tag) noexcept {
  constexpr std::array<std::string_view, kMemoryTags> kNames = {"key",     "circuit",   "abc",   "witness",
                                                                "payload", "workspace", "cache", "pool"};
  return kNames[static_cast<std::size_t>(tag)];
}

/// Higher first. critical may use the budget's reserve.
enum class Priority : std::uint8_t { low, normal, high, critical };

constexpr std::string_view to_string(Priority priority) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"low", "normal", "high", "critical"};
  return kNames[static_cast<std::size_t>(priority)];
}

}  // namespace cuzk::memory
