// PageLocker: what makes pages stay where they are, so that a device can read them by itself.
//
// By the driver of the devices where there is one, which also tells the devices about the pages; else by mlock.
// Errors: exhausted (a limit), unavailable (not permitted); the text names the limit. Thread-safety: concurrently, on
// blocks that do not overlap. No lock of this layer is held during a call.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "support/bytes.h"
#include "support/result.h"

namespace cuzk::memory {

class PageLocker {
 public:
  PageLocker() = default;
  PageLocker(const PageLocker&) = delete;
  PageLocker& operator=(const PageLocker&) = delete;
  virtual ~PageLocker() = default;

  virtual std::string_view name() const noexcept = 0;
  /// The block is mapped, page-aligned and a multiple of a page; its pages need not be touched yet.
  virtual Status lock(MutableBytes block) = 0;
  /// Of a block that was locked; nothing reads it any more.
  virtual void unlock(MutableBytes block) noexcept = 0;
};

/// mlock(2): bounded by RLIMIT_MEMLOCK, unless the process has CAP_IPC_LOCK.
std::shared_ptr<PageLocker> make_mlock_locker();

/// cuMemHostRegister of the CUDA driver that this machine has; the pages are page-locked for all devices. unavailable
/// where there is none, saying what is missing.
Result<std::shared_ptr<PageLocker>> make_cuda_locker();

/// What locks pages on this machine: the driver, else mlock.
struct LockerChoice {
  std::shared_ptr<PageLocker> locker;
  std::string reason;  // why it is not the driver; empty: it is
};
LockerChoice choose_page_locker();

/// Refuses always, for the reason given: machines where nothing may be locked, and tests.
std::shared_ptr<PageLocker> make_refusing_locker(std::string_view reason);

}  // namespace cuzk::memory
