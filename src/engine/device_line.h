// DeviceLine: a device, the partitions that wait for it, and those on it.
//
// A device is out of service from the moment when its backend says that it is ill (Backend::health(), asked after each
// error), or after kSickAfter errors of the device in a row, wrong proofs included: its partitions go elsewhere. After
// the quarantine it is on trial, if its backend has nothing against it: a success takes it back, an error puts it out
// for twice as long, up to kLongestQuarantine. Lock rank: 60. Thread-safety: concurrently. In-flight tokens end before
// the line.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <vector>

#include "backend/busy_time.h"
#include "engine/ordered_queue.h"
#include "engine/snapshot.h"
#include "engine/task.h"

namespace cuzk::engine {

class DeviceLine {
 public:
  static constexpr unsigned kSickAfter = 2;
  static constexpr std::chrono::nanoseconds kLongestQuarantine = std::chrono::hours(1);
  static constexpr std::chrono::nanoseconds kBusyWindow = std::chrono::minutes(1);

  DeviceLine(Device device, unsigned max_in_flight, std::chrono::nanoseconds quarantine)
      : device_(std::move(device)), max_in_flight_(max_in_flight), first_quarantine_(quarantine) {}

  const Device& device() const noexcept { return device_; }
  OrderedQueue<TaskPtr>& ready() noexcept { return ready_; }
  const OrderedQueue<TaskPtr>& ready() const noexcept { return ready_; }

  /// Waits until one more may be on the device; false: stopped.
  bool wait_room(const StopToken& stop);
  /// A partition is on its way to it, until the token ends.
  std::shared_ptr<const void> expect();
  /// One more is, until the token ends.
  std::shared_ptr<const void> enter(const Task& task);
  /// A proof that verifies.
  void note_success();
  /// Of a proof; only those of the device count, a proof that does not verify among them.
  void note_error(const Error& error);
  /// Of a proof that was made on it.
  void note_kernels(const backend::DeviceTimes& times);
  /// Ends a quarantine that has lasted long enough. To be called from time to time.
  void look_again();

  bool in_service() const;
  /// Out of service, and by what its backend says: not before it is set up anew.
  bool is_ill() const;
  std::uint64_t proofs() const;
  /// Partitions that are on their way to it or on it.
  std::size_t load() const;
  std::size_t in_flight() const;
  DeviceSnapshot snapshot() const;

 private:
  struct Entry {
    DeviceSnapshot::Proving what;
    std::uint64_t number;
  };
  struct Quarantine {
    std::string reason;  // empty: it is in service
    bool ill = false;    // says its backend
    std::uint64_t since_ns = 0;
    std::uint64_t until_ns = 0;
  };
  void leave(std::uint64_t number);
  void put_out_of_service_locked(std::string reason, bool ill) CUZK_REQUIRES(mutex_);

  const Device device_;
  const unsigned max_in_flight_;
  const std::chrono::nanoseconds first_quarantine_;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t expected_ CUZK_GUARDED_BY(mutex_) = 0;
  std::vector<Entry> in_flight_ CUZK_GUARDED_BY(mutex_);
  std::uint64_t next_number_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t proofs_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t errors_ CUZK_GUARDED_BY(mutex_) = 0;
  unsigned errors_in_a_row_ CUZK_GUARDED_BY(mutex_) = 0;
  Quarantine quarantine_ CUZK_GUARDED_BY(mutex_);
  std::uint64_t quarantines_ CUZK_GUARDED_BY(mutex_) = 0;
  unsigned quarantines_in_a_row_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t busy_ns_ CUZK_GUARDED_BY(mutex_) = 0;
  std::uint64_t busy_since_ns_ CUZK_GUARDED_BY(mutex_) = 0;
  backend::BusyTime kernels_ CUZK_GUARDED_BY(mutex_);
  OrderedQueue<TaskPtr> ready_;  // ends first: its tasks have tokens
};

}  // namespace cuzk::engine
