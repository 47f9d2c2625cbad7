#include "memory/page_locker.h"

#include <cerrno>
#include <string>

#include <sys/mman.h>
#include <sys/resource.h>

#include "memory/cuda_driver.h"
#include "memory/memory_size.h"
#include "support/log.h"
#include "support/os_error.h"

namespace cuzk::memory {

namespace {

std::string lock_limit_text() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : format_memory_size(limit.rlim_cur);
}

class MlockLocker final : public PageLocker {
 public:
  std::string_view name() const noexcept override { return "mlock"; }

  Status lock(MutableBytes block) override {
    if (::mlock(block.data(), block.size()) == 0) return {};
    return fail(os_error(errno, "cannot lock " + format_memory_size(block.size()) + " of memory")
                    .context("RLIMIT_MEMLOCK is " + lock_limit_text()));
  }

  void unlock(MutableBytes block) noexcept override { static_cast<void>(::munlock(block.data(), block.size())); }
};

class CudaLocker final : public PageLocker {
 public:
  explicit CudaLocker(std::shared_ptr<CudaDriver> driver) : driver_(std::move(driver)) {}

  std::string_view name() const noexcept override { return "cuMemHostRegister"; }
  Status lock(MutableBytes block) override {
    Status locked = driver_->register_host(block);
    if (locked) return locked;
    return fail(std::move(locked).error().context("page-locking " + format_memory_size(block.size())));
  }
  void unlock(MutableBytes block) noexcept override {
    if (const Status unlocked = driver_->unregister_host(block); !unlocked) log_error(unlocked.error().to_string());
  }

 private:
  const std::shared_ptr<CudaDriver> driver_;
};

class RefusingLocker final : public PageLocker {
 public:
  explicit RefusingLocker(std::string_view reason) : reason_(reason) {}

  std::string_view name() const noexcept override { return "none"; }
  Status lock(MutableBytes /*block*/) override { return fail(Code::unavailable, reason_); }
  void unlock(MutableBytes /*block*/) noexcept override {}

 private:
  std::string reason_;
};

}  // namespace

std::shared_ptr<PageLocker> make_mlock_locker() { return std::make_shared<MlockLocker>(); }

Result<std::shared_ptr<PageLocker>> make_cuda_locker() {
  CUZK_TRY(auto driver, CudaDriver::load());
  return std::make_shared<CudaLocker>(std::move(driver));
}

LockerChoice choose_page_locker() {
  auto by_driver = make_cuda_locker();
  if (by_driver) return {*std::move(by_driver), {}};
  return {make_mlock_locker(), by_driver.error().to_string()};
}

std::shared_ptr<PageLocker> make_refusing_locker(std::string_view reason) {
  return std::make_shared<RefusingLocker>(reason);
}

}  // namespace cuzk::memory
