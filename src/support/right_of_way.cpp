#include "support/right_of_way.h"

#include <atomic>
#include <condition_variable>
#include <utility>

#include "support/mutex.h"
#include "support/parallel_engine.h"

namespace cuzk {

/// Where urgent and ordinary work meet.
class Crossing {
 public:
  explicit Crossing(std::chrono::nanoseconds longest_pause) noexcept : longest_pause_(longest_pause) {}

  void enter() noexcept {
    ++held_here;
    const MutexLock lock(mutex_);
    ++holders_;
  }
  void leave() noexcept {
    --held_here;
    const MutexLock lock(mutex_);
    if (--holders_ == 0) free_.notify_all();
  }
  /// Waits until nobody has the right of way, or for the longest pause.
  void give_way() noexcept {
    if (holders_.load(std::memory_order_relaxed) == 0 || held_here > 0) return;
    MutexLock lock(mutex_);
    free_.wait_for(lock, longest_pause_, [&] { return holders_ == 0; });
  }

 private:
  static thread_local unsigned held_here;  // by this thread, anywhere

  const std::chrono::nanoseconds longest_pause_;
  Mutex mutex_;
  std::condition_variable_any free_;
  std::atomic<unsigned> holders_ = 0;  // changes under the lock
};

thread_local unsigned Crossing::held_here = 0;

namespace {

/// What a thread is to the loops of this file.
enum class Role : std::uint8_t {
  none,
  caller,  // of a loop: it is there anyway, and would take a core
  helper,  // of the library
};
thread_local Role role_here = Role::none;

class RoleScope {
 public:
  explicit RoleScope(Role role) noexcept : former_(role_here) {
    if (former_ == Role::none) role_here = role;
  }
  RoleScope(const RoleScope&) = delete;
  RoleScope& operator=(const RoleScope&) = delete;
  ~RoleScope() { role_here = former_; }

 private:
  const Role former_;
};

class OrdinaryEngine final : public ParallelEngine {
 public:
  OrdinaryEngine(std::unique_ptr<ParallelEngine> below, std::shared_ptr<Crossing> crossing) noexcept
      : below_(std::move(below)), crossing_(std::move(crossing)) {}

  void run(const ParallelLoop& loop) noexcept override {
    const RoleScope scope(Role::caller);
    const auto body = [&](std::size_t begin, std::size_t end) {
      const RoleScope chunk_scope(Role::helper);
      if (role_here == Role::caller || !below_->lends_threads()) crossing_->give_way();
      loop.body(begin, end);
    };
    below_->run({loop.begin, loop.end, loop.grain, body});
  }

 private:
  const std::unique_ptr<ParallelEngine> below_;
  const std::shared_ptr<Crossing> crossing_;
};

class UrgentEngine final : public ParallelEngine {
 public:
  UrgentEngine(std::unique_ptr<ParallelEngine> below, std::shared_ptr<Crossing> crossing) noexcept
      : below_(std::move(below)), crossing_(std::move(crossing)) {}

  void run(const ParallelLoop& loop) noexcept override { below_->run(loop); }
  Crossing* crossing() const noexcept override { return crossing_.get(); }

 private:
  const std::unique_ptr<ParallelEngine> below_;
  const std::shared_ptr<Crossing> crossing_;
};

}  // namespace

SharedCores::SharedCores(unsigned threads, std::chrono::nanoseconds longest_pause)
    : crossing_(std::make_shared<Crossing>(longest_pause)),
      ordinary_(ParallelAccess::make(
          threads, ThreadsGo::last,
          [&](auto below) { return std::make_unique<OrdinaryEngine>(std::move(below), crossing_); })),
      urgent_(ParallelAccess::make(threads, ThreadsGo::first, [&](auto below) {
        return std::make_unique<UrgentEngine>(std::move(below), crossing_);
      })) {}

RightOfWay::RightOfWay(const Arena& arena) noexcept : crossing_(ParallelAccess::crossing(arena)) {
  if (crossing_ != nullptr) crossing_->enter();
}

RightOfWay::~RightOfWay() {
  if (crossing_ != nullptr) crossing_->leave();
}

}  // namespace cuzk
