#include "server/rounds.h"

#include <algorithm>

#include "support/thread.h"

namespace cuzk::server {

Rounds::Rounds(const std::string& name, std::chrono::milliseconds rest, std::size_t max_members)
    : rest_(rest),
      max_members_(max_members),
      thread_(named_thread(name, [this](const StopToken& stop) { work(stop); })) {}

bool Rounds::add(std::shared_ptr<Member> member) {
  {
    const MutexLock lock(mutex_);
    if (members_.size() == max_members_) return false;
    members_.push_back(std::move(member));
  }
  wake_.notify_one();
  return true;
}

void Rounds::work(const StopToken& stop) {
  MutexLock lock(mutex_);
  while (true) {
    wake_.wait(lock, stop, [this]() CUZK_REQUIRES(mutex_) { return !members_.empty(); });
    if (stop.stop_requested()) return;
    std::vector<std::shared_ptr<Member>> done = members_;
    lock.unlock();
    std::erase_if(done, [](const auto& member) { return member->look(); });
    lock.lock();
    std::erase_if(members_, [&](const auto& member) { return std::ranges::find(done, member) != done.end(); });
    lock.unlock();
    done.clear();  // what ends here ends outside the lock
    lock.lock();
    wake_.wait_for(lock, stop, rest_, [] { return false; });
  }
}

}  // namespace cuzk::server
