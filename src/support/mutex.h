// Mutex and MutexLock: std::mutex with the attributes by which clang proves that a guarded member is read under its
// lock.
//
// libstdc++'s own classes carry no attributes. Under g++ and nvcc the macros are empty.
// Waiting: std::condition_variable_any over MutexLock.
#pragma once

#include <mutex>

#if defined(__clang__)
#define CUZK_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define CUZK_THREAD_ATTRIBUTE(x)
#endif

#define CUZK_GUARDED_BY(mutex) CUZK_THREAD_ATTRIBUTE(guarded_by(mutex))
#define CUZK_REQUIRES(mutex) CUZK_THREAD_ATTRIBUTE(requires_capability(mutex))

namespace cuzk {

class CUZK_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() CUZK_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() CUZK_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Holds a Mutex for a scope; lock and unlock in between are for waits.
class CUZK_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) CUZK_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() CUZK_THREAD_ATTRIBUTE(release_capability()) {
    if (held_) mutex_.unlock();
  }

  void lock() CUZK_THREAD_ATTRIBUTE(acquire_capability()) {
    mutex_.lock();
    held_ = true;
  }
  void unlock() CUZK_THREAD_ATTRIBUTE(release_capability()) {
    held_ = false;
    mutex_.unlock();
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

}  // namespace cuzk
