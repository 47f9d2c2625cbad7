#include "server/call_threads.h"

#include <exception>

#include "support/log.h"
#include "support/thread.h"

namespace cuzk::server {

CallThreads::~CallThreads() {
  Threads threads;
  Threads ended;
  {
    MutexLock lock(mutex_);
    ending_ = true;
    threads.swap(threads_);
    ended.swap(ended_);
  }
  wake_.notify_all();
}  // joins

bool CallThreads::start(std::function<void()> body) {
  Threads ended;  // are joined without the lock
  {
    MutexLock lock(mutex_);
    ended.swap(ended_);
    if (ending_ || busy_ == limit_) return false;
    if (busy_ == threads_.size() && !add_thread()) return false;
    ++busy_;
    bodies_.push_back(std::move(body));
  }
  wake_.notify_one();
  return true;
}

bool CallThreads::add_thread() {
  try {
    Threads fresh(1);
    const auto self = fresh.begin();
    *self = named_thread(name_, [this, self](const StopToken&) { work(self); });
    threads_.splice(threads_.end(), fresh);
    return true;
  } catch (const std::exception& error) {  // the system gives no thread, or no memory
    log_warn("no thread for another call: " + std::string(error.what()));
    return false;
  }
}

void CallThreads::work(Threads::iterator self) {
  MutexLock lock(mutex_);
  while (true) {
    wake_.wait_for(lock, idle_, [this]() CUZK_REQUIRES(mutex_) { return ending_ || !bodies_.empty(); });
    if (bodies_.empty()) {
      if (!ending_) ended_.splice(ended_.end(), threads_, self);
      return;
    }
    {
      const std::function<void()> body = std::move(bodies_.front());
      bodies_.pop_front();
      lock.unlock();
      body();
    }
    lock.lock();
    --busy_;
  }
}

}  // namespace cuzk::server
