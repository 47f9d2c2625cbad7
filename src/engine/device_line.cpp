#include "engine/device_line.h"

#include <algorithm>

#include "support/clock.h"
#include "support/log.h"

namespace cuzk::engine {

bool DeviceLine::wait_room(const StopToken& stop) {
  MutexLock lock(mutex_);
  changed_.wait(lock, stop, [&]() CUZK_REQUIRES(mutex_) { return in_flight_.size() < max_in_flight_; });
  return !stop.stop_requested();
}

std::shared_ptr<const void> DeviceLine::expect() {
  const MutexLock lock(mutex_);
  ++expected_;
  return {this, [this](const void*) {
            const MutexLock end_lock(mutex_);
            --expected_;
          }};
}

std::shared_ptr<const void> DeviceLine::enter(const Task& task) {
  const MutexLock lock(mutex_);
  const std::uint64_t number = next_number_++;
  const std::uint64_t now = monotonic_ns();
  if (in_flight_.empty()) busy_since_ns_ = now;
  in_flight_.push_back({.what = {.job_id = task.job->job_id(),
                                 .kind = task.job->identity().kind,
                                 .partition = task.partition,
                                 .since_ns = now},
                        .number = number});
  return {this, [this, number](const void*) { leave(number); }};
}

void DeviceLine::leave(std::uint64_t number) {
  const MutexLock lock(mutex_);
  std::erase_if(in_flight_, [&](const Entry& entry) { return entry.number == number; });
  if (in_flight_.empty()) busy_ns_ += monotonic_ns() - busy_since_ns_;
  changed_.notify_all();
}

void DeviceLine::note_success() {
  const MutexLock lock(mutex_);
  ++proofs_;
  errors_in_a_row_ = 0;
  if (quarantine_.reason.empty()) quarantines_in_a_row_ = 0;
}

void DeviceLine::note_kernels(const backend::DeviceTimes& times) {
  const MutexLock lock(mutex_);
  kernels_.add(times);
}

void DeviceLine::note_error(const Error& error) {
  if (error.code() != Code::device) return;
  const Status health = device_.health();
  const MutexLock lock(mutex_);
  ++errors_;
  ++errors_in_a_row_;
  if (!quarantine_.reason.empty()) return;
  if (!health) {
    put_out_of_service_locked(health.error().to_string(), true);
  } else if (errors_in_a_row_ >= kSickAfter || quarantines_in_a_row_ > 0) {
    put_out_of_service_locked(std::to_string(errors_in_a_row_) + " errors in a row, the last: " + error.to_string(),
                              false);
  }
}

void DeviceLine::put_out_of_service_locked(std::string reason, bool ill) {
  const std::uint64_t now = monotonic_ns();
  const unsigned doublings = std::min(quarantines_in_a_row_, 16U);
  const std::chrono::nanoseconds span = std::min(first_quarantine_ * (1U << doublings), kLongestQuarantine);
  quarantine_ = {.reason = std::move(reason),
                 .ill = ill,
                 .since_ns = now,
                 .until_ns = now + static_cast<std::uint64_t>(span.count())};
  ++quarantines_;
  ++quarantines_in_a_row_;
  log_error("device " + std::to_string(device_.ordinal) + " (" + device_.name +
            ") is out of service: " + quarantine_.reason);
}

void DeviceLine::look_again() {
  const std::uint64_t now = monotonic_ns();
  const auto is_over = [&]()
                           CUZK_REQUIRES(mutex_) { return !quarantine_.reason.empty() && now >= quarantine_.until_ns; };
  {
    const MutexLock lock(mutex_);
    if (!is_over()) return;
  }
  const Status health = device_.health();
  const MutexLock lock(mutex_);
  if (!is_over()) return;
  if (!health) {
    quarantine_.reason = health.error().to_string();
    quarantine_.ill = true;
    quarantine_.until_ns = now + static_cast<std::uint64_t>(first_quarantine_.count());
    return;
  }
  quarantine_ = {};
  errors_in_a_row_ = 0;
  log_warn("device " + std::to_string(device_.ordinal) + " (" + device_.name + ") is on trial");
}

bool DeviceLine::in_service() const {
  const MutexLock lock(mutex_);
  return quarantine_.reason.empty();
}

bool DeviceLine::is_ill() const {
  const MutexLock lock(mutex_);
  return quarantine_.ill;
}

std::uint64_t DeviceLine::proofs() const {
  const MutexLock lock(mutex_);
  return proofs_;
}

std::size_t DeviceLine::load() const {
  const MutexLock lock(mutex_);
  return expected_ + in_flight_.size();
}

std::size_t DeviceLine::in_flight() const {
  const MutexLock lock(mutex_);
  return in_flight_.size();
}

DeviceSnapshot DeviceLine::snapshot() const {
  DeviceSnapshot all;
  all.ordinal = device_.ordinal;
  all.name = device_.name;
  all.is_cpu = device_.is_cpu;
  all.max_in_flight = max_in_flight_;
  if (const auto memory = device_.memory()) {
    const memory::DeviceMemory now = memory->memory_now();
    all.memory = {.total_bytes = now.total_bytes,
                  .free_bytes = now.free_bytes,
                  .budget_bytes = memory->budget()->total_bytes(),
                  .used_bytes = memory->budget()->snapshot().used};
  }
  const MutexLock lock(mutex_);
  all.in_service = quarantine_.reason.empty();
  all.trouble = quarantine_.reason;
  all.is_ill = quarantine_.ill;
  all.quarantined_ns = all.in_service ? 0 : monotonic_ns() - quarantine_.since_ns;
  all.quarantines = quarantines_;
  all.proofs = proofs_;
  all.errors = errors_;
  const std::uint64_t now = monotonic_ns();
  all.busy_ns = busy_ns_ + (in_flight_.empty() ? 0 : now - busy_since_ns_);
  all.kernel_ns = kernels_.total_ns();
  all.kernel_share = kernels_.share(now - std::min(now, static_cast<std::uint64_t>(kBusyWindow.count())));
  for (const Entry& entry : in_flight_) all.in_flight.push_back(entry.what);
  return all;
}

}  // namespace cuzk::engine
