// Task: one partition on its way through the pipeline, with everything that it holds. Dropping it gives all back.
//
// Thread-safety: external; one stage at a time owns it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/job_record.h"
#include "engine/residents.h"
#include "engine/slots.h"

namespace cuzk::engine {

/// A device for a partition.
struct DeviceChoice {
  unsigned device = 0;
  std::string instead{};  // it is the CPU that stands in for an accelerator: of which, and why
  std::string refused{};  // it might have been the CPU: why not
};

struct Task {
  // Members end in reverse order: what holds memory before the Reservation that pays for it, users before the used.
  std::shared_ptr<Job> job;
  std::uint32_t partition = 0;
  std::shared_ptr<const ProvingCircuit> circuit;
  unsigned device = 0;
  DeviceChoice choice{};  // of the device
  bool second_attempt = false;
  std::optional<unsigned> avoid_device{};  // where the first attempt failed
  std::optional<unsigned> loaded_on{};     // key and circuit were, or wait there for memory until it is its turn
  bool doubtful_witness = false;           // a proof of it did not verify: it is checked before another is made
  std::optional<unsigned> suspect{};       // device of that proof; to blame if the witness turns out to be good
  bool good_witness = false;               // it was checked
  std::uint64_t queued_ns = 0;
  std::unique_ptr<const Residents::Wish> wish{};  // of one that waits for a load
  Supplies supplies{};
  Slots::Slot slot{};                        // of those that wait for a device
  std::shared_ptr<const void> on_its_way{};  // to the device, or waits for a load there
  std::shared_ptr<const void> in_flight{};   // on the device
  std::vector<U256> public_inputs{};
  PartitionInput input{};
  std::unique_ptr<ProofTicket> ticket{};

  /// Another attempt where the first one failed: by other means, where there are some.
  bool is_again_here() const noexcept { return second_attempt && avoid_device == device; }
  /// Copies out of page-locked memory may be what failed.
  memory::BufferMemory abc_memory() const noexcept {
    return is_again_here() ? memory::BufferMemory::pageable : memory::BufferMemory::pinned;
  }
  /// What key and circuit have as their name.
  ResidentName resident() const { return {circuit->id(), device}; }
  Order order() const noexcept { return job->order(partition); }
  bool critical() const noexcept { return job->priority() == Priority::critical; }
};
using TaskPtr = std::unique_ptr<Task>;

}  // namespace cuzk::engine
