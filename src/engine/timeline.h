// Timeline: when what happened to a job and to each of its partitions. Status, metrics, timing records, traces and
// benchmarks are views of it; nothing else counts time.
//
// Times are monotonic_ns(). Thread-safety: values (the job's lock guards the live ones).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device_times.h"

namespace cuzk::engine {

enum class Phase : std::uint8_t {
  decode,        // of the job: payloads to values
  check,         // of the job: vanilla proofs against their roots
  queue,         // waits for its turn
  key,           // key and compiled circuit are made resident, or are there
  memory,        // waits for the budget
  witness,       // is generated
  evaluate,      // a, b, c on the host; nothing where the device does it
  device_queue,  // waits for a device
  start,         // prove_start: all that reads the witness
  finish,        // prove_finish, with the wait for a finisher
  verify,
};
inline constexpr std::size_t kPhases = 11;

constexpr std::string_view to_string(Phase phase) noexcept {
  constexpr std::array<std::string_view, kPhases> kNames = {
      "decode", "check", "queue", "key", "memory", "witness", "evaluate", "device_queue", "start", "finish", "verify"};
  return kNames[static_cast<std::size_t>(phase)];
}

struct PhaseSpan {
  std::uint64_t begin_ns = 0;  // 0: has not begun
  std::uint64_t end_ns = 0;    // 0: runs, or has not begun

  /// Of one that runs: until `now_ns`.
  std::uint64_t duration_ns(std::uint64_t now_ns) const noexcept {
    return begin_ns == 0 ? 0 : (end_ns == 0 ? now_ns : end_ns) - begin_ns;
  }
};

/// How a, b, c or the witness came to the device.
enum class MemoryPath : std::uint8_t { none, host, packed_witness, pinned, pageable };

constexpr std::string_view to_string(MemoryPath path) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"none", "host", "packed_witness", "pinned", "pageable"};
  return kNames[static_cast<std::size_t>(path)];
}

/// One attempt at a partition; the last one is kept.
struct PartitionTimeline {
  std::array<PhaseSpan, kPhases> phases{};
  std::uint32_t attempts = 0;
  std::string device;  // empty: none yet
  MemoryPath path = MemoryPath::none;
  std::uint64_t pinned_bytes = 0;  // moved to the device
  std::uint64_t pageable_bytes = 0;
  std::string given_up;                                   // for want of the device's memory, in words; empty: nothing
  std::shared_ptr<const backend::DeviceTimes> on_device;  // null: no proof yet, or the device has no clock of its own

  PhaseSpan& operator[](Phase phase) noexcept { return phases[static_cast<std::size_t>(phase)]; }
  const PhaseSpan& operator[](Phase phase) const noexcept { return phases[static_cast<std::size_t>(phase)]; }
};

struct JobTimeline {
  std::uint64_t accepted_ns = 0;
  std::uint64_t finished_ns = 0;  // 0: is not
  PhaseSpan decode;
  PhaseSpan check;
  std::vector<PartitionTimeline> partitions;
};

}  // namespace cuzk::engine
