// Rounds: one thread that looks at many things again and again, in the place of a thread for each that would wait.
//
// For what changes often and is told seldom. While there is nothing to look at the thread sleeps. Thread-safety:
// concurrently; nothing is called under the lock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/mutex.h"
#include "support/stop.h"

namespace cuzk::server {

class Rounds {
 public:
  class Member {
   public:
    Member() = default;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    virtual ~Member() = default;

    /// Waits for nothing. False: it need not be looked at any more.
    virtual bool look() noexcept = 0;
  };

  /// `rest` lies between two rounds; `name` is that of the thread.
  Rounds(const std::string& name, std::chrono::milliseconds rest, std::size_t max_members);
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;
  ~Rounds() = default;

  /// Looks at it from now on; false: there are as many as may be, and nothing was done.
  bool add(std::shared_ptr<Member> member);
  std::size_t max_members() const noexcept { return max_members_; }

 private:
  void work(const StopToken& stop);

  const std::chrono::milliseconds rest_;
  const std::size_t max_members_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<std::shared_ptr<Member>> members_ CUZK_GUARDED_BY(mutex_);
  std::jthread thread_;  // ends before what it uses
};

}  // namespace cuzk::server
