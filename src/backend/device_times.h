// DeviceTimes: where a proof's time on a device went, by the device's own events.
//
// Phases on different streams of a device overlap; a phase may have several spans. Times are monotonic_ns() of the
// host, to some tens of microseconds; differences within a device to its clock's microsecond. Thread-safety: values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cuzk::backend {

enum class DevicePhase : std::uint8_t {
  h2d_witness,  // the witness crosses, and is packed there where it comes plain
  h2d_abc,      // a, b, c cross
  h2d_key,      // points that are not resident cross
  split,        // scalars are told apart: 0, 1, general values
  evaluate,     // a, b, c from the witness
  ntt,          // transforms, and the product between them; its last span is what follows the product
  msm_h,        // the quotient's sum
  subset_sums,  // of points whose scalar is 1, in G1
  msm_general,  // of the other values, in G1
  msm_b_g2,     // both sums of B in G2
  finish,       // on the host: windows put together, the proof assembled
};
inline constexpr std::size_t kDevicePhases = 11;

constexpr const char* to_string(DevicePhase phase) noexcept {
  constexpr std::array<const char*, kDevicePhases> kNames = {"h2d_witness", "h2d_abc",  "h2d_key", "split",
                                                             "evaluate",    "ntt",      "msm_h",   "subset_sums",
                                                             "msm_general", "msm_b_g2", "finish"};
  return kNames[static_cast<std::size_t>(phase)];
}

/// Whether kernels compute in it, and not a copy or the host.
constexpr bool is_computed_on_device(DevicePhase phase) noexcept {
  return phase >= DevicePhase::split && phase != DevicePhase::finish;
}

/// A way to the device, and what it goes through on the host.
enum class Way : std::uint8_t {
  packed_witness,  // ordinary memory
  plain_witness,   // likewise
  pinned_abc,      // the pool's page-locked chunks, which the device reads itself
  pageable_abc,    // chunks that are not all page-locked, or values that the host has just computed
  key,             // points that stay with the host
};
inline constexpr std::size_t kWays = 5;

constexpr std::string_view to_string(Way way) noexcept {
  constexpr std::array<std::string_view, kWays> kNames = {"packed_witness", "plain_witness", "pinned_abc",
                                                          "pageable_abc", "key"};
  return kNames[static_cast<std::size_t>(way)];
}

/// In which its bytes cross. A proof takes one way of each phase.
constexpr DevicePhase phase_of(Way way) noexcept {
  if (way == Way::key) return DevicePhase::h2d_key;
  return way <= Way::plain_witness ? DevicePhase::h2d_witness : DevicePhase::h2d_abc;
}

struct DeviceTimes {
  struct Span {
    DevicePhase phase{};
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;

    std::uint64_t ns() const noexcept { return end_ns - std::min(begin_ns, end_ns); }
  };
  std::vector<Span> spans;  // of a phase: the earlier one first
  std::array<std::uint64_t, kWays> bytes{};

  std::uint64_t bytes_by(Way way) const noexcept { return bytes[static_cast<std::size_t>(way)]; }
  /// All spans of a phase together.
  std::uint64_t ns(DevicePhase phase) const noexcept {
    std::uint64_t sum = 0;
    for (const Span& span : spans) sum += span.phase == phase ? span.ns() : 0;
    return sum;
  }
  /// From the first beginning to the last end of spans that `some` is true of; none: there is no such.
  template <class Some> std::optional<Span> extent(Some some) const {
    std::optional<Span> whole;
    for (const Span& span : spans) {
      if (!some(span.phase)) continue;
      if (!whole) whole = span;
      whole->begin_ns = std::min(whole->begin_ns, span.begin_ns);
      whole->end_ns = std::max(whole->end_ns, span.end_ns);
    }
    return whole;
  }
};

}  // namespace cuzk::backend
