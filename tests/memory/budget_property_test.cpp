// Random sequences of what can be done to a budget, against a model of a few lines.
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "memory/budget.h"
#include "tests/memory/fake_time.h"
#include "tests/support/eventually.h"
#include "tests/support/must.h"

namespace cuzk::memory {
namespace {

using cuzk::test::eventually;
using cuzk::test::must;
using test::FakeTime;

constexpr std::uint64_t kTotal = 100;
constexpr std::uint64_t kReserve = 20;

std::shared_ptr<MemoryBudget> make_budget(TimeSource& time) {
  BudgetOptions options;
  options.total_bytes = kTotal;
  options.critical_reserve_bytes = kReserve;
  options.time = &time;
  return must(MemoryBudget::create(std::move(options)));
}

enum class Act : std::uint8_t { reserve, release, shrink, split, absorb, transfer, ordinary };

struct Step {
  Act act;
  std::uint8_t amount;
  std::uint8_t which;
  Priority priority;
};

rc::Gen<Step> any_step() {
  return rc::gen::construct<Step>(
      rc::gen::element(Act::reserve, Act::reserve, Act::reserve, Act::release, Act::shrink, Act::split, Act::absorb,
                       Act::transfer, Act::ordinary),
      rc::gen::inRange<std::uint8_t>(0, 120), rc::gen::arbitrary<std::uint8_t>(),
      rc::gen::element(Priority::low, Priority::normal, Priority::high, Priority::critical));
}

std::string owner_of(std::uint8_t n) {
  std::string name("owner ");
  name += std::to_string(n % 5);
  return name;
}

/// One reservation and what the model knows about it.
struct Held {
  Reservation reservation;
  std::uint64_t bytes;
  bool critical;
  std::string owner;
};

class Books {
 public:
  explicit Books(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}

  void apply(const Step& step) {
    if (step.act == Act::reserve) {
      reserve(step);
    } else if (!held_.empty()) {
      change(step, held_[step.which % held_.size()]);
    }
    check();
  }

  void end() {
    held_.clear();
    check();
    RC_ASSERT(budget_->snapshot().holders.empty());
  }

 private:
  std::uint64_t used() const {
    std::uint64_t sum = 0;
    for (const Held& h : held_) sum += h.bytes;
    return sum;
  }
  std::uint64_t critical() const {
    std::uint64_t sum = 0;
    for (const Held& h : held_) sum += h.critical ? h.bytes : 0;
    return sum;
  }

  void reserve(const Step& step) {
    const bool is_critical = step.priority == Priority::critical;
    const std::uint64_t kept = is_critical ? 0 : kReserve - std::min(kReserve, critical());
    const bool fits = used() + kept + step.amount <= kTotal;
    ReserveRequest request;
    request.bytes = step.amount;
    request.owner = owner_of(step.which);
    request.priority = step.priority;
    auto got = budget_->try_reserve(request);
    RC_ASSERT(got.has_value() == fits);
    if (got) held_.push_back({*std::move(got), step.amount, is_critical, request.owner});
  }

  void change(const Step& step, Held& it) {
    const std::uint64_t part = it.bytes == 0 ? 0 : step.amount % (it.bytes + 1);
    switch (step.act) {
      case Act::release:
        it.reservation.release();
        held_.erase(held_.begin() + (&it - held_.data()));
        break;
      case Act::shrink:
        it.reservation.shrink(part);
        it.bytes -= part;
        break;
      case Act::split: {
        it.bytes -= part;
        Held other{it.reservation.split(part), part, it.critical, it.owner};
        held_.push_back(std::move(other));
        break;
      }
      case Act::absorb:
        absorb(step, it);
        break;
      case Act::transfer:
        it.owner = owner_of(step.amount);
        it.reservation.transfer(MemoryTag::workspace, it.owner);
        break;
      case Act::ordinary:
        it.critical = false;
        it.reservation.make_ordinary();
        break;
      case Act::reserve:
        break;
    }
  }

  void absorb(const Step& step, Held& it) {
    Held& other = held_[step.amount % held_.size()];
    if (&other == &it) return;
    it.reservation.absorb(std::move(other.reservation));
    it.bytes += other.bytes;
    held_.erase(held_.begin() + (&other - held_.data()));
  }

  void check() const {
    const BudgetSnapshot now = budget_->snapshot();
    RC_ASSERT(now.used == used());
    RC_ASSERT(now.reserved == used());
    std::map<std::string, std::uint64_t> by_owner;
    std::map<std::string, std::uint64_t> in_snapshot;
    for (const Held& h : held_) {
      by_owner[h.owner] += h.bytes;
      RC_ASSERT(h.reservation.bytes() == h.bytes);
      RC_ASSERT(h.reservation.owner() == h.owner);
    }
    for (const Account& account : now.holders) in_snapshot[account.owner] += account.bytes;
    RC_ASSERT(by_owner == in_snapshot);
  }

  std::shared_ptr<MemoryBudget> budget_;
  std::vector<Held> held_;
};

TEST(MemoryBudgetProperty, TheSumOfWhatIsHeldIsWhatIsUsed) {
  const bool holds = rc::check("books", [] {
    FakeTime time;
    Books books(make_budget(time));
    for (const Step& step : *rc::gen::container<std::vector<Step>>(any_step())) books.apply(step);
    books.end();
  });
  EXPECT_TRUE(holds);
}

// The queue: threads wait, the model says who must be served, in which order.

enum class Event : std::uint8_t { arrive, release, cancel, pass_time };

struct QueueStep {
  Event event;
  std::uint8_t amount;
  std::uint8_t which;
  Priority priority;
  std::uint8_t patience;  // seconds; 0: for ever
};

rc::Gen<QueueStep> any_queue_step() {
  return rc::gen::construct<QueueStep>(
      rc::gen::element(Event::arrive, Event::arrive, Event::arrive, Event::release, Event::release, Event::cancel,
                       Event::pass_time),
      rc::gen::inRange<std::uint8_t>(1, 81), rc::gen::arbitrary<std::uint8_t>(),
      rc::gen::element(Priority::low, Priority::normal, Priority::high, Priority::critical),
      rc::gen::inRange<std::uint8_t>(0, 4));
}

enum class State : std::uint8_t { waiting, granted, cancelled, late, gone };

/// A request, the thread that makes it, and the state in which the model has it.
struct Client {
  std::uint64_t bytes;
  Priority priority;
  TimeSource::TimePoint deadline;
  State expected = State::waiting;
  std::stop_source stop;
  Reservation reservation;
  std::atomic<State> actual = State::waiting;
  std::jthread thread;
};

class Queue {
 public:
  Queue() : budget_(make_budget(time_)) {}

  void apply(const QueueStep& step) {
    switch (step.event) {
      case Event::arrive:
        arrive(step);
        break;
      case Event::release:
        if (Client* const client = pick(State::granted, step.which)) {
          client->expected = State::gone;
          client->actual = State::gone;
          serve();
          client->reservation.release();
        }
        break;
      case Event::cancel:
        if (Client* const client = pick(State::waiting, step.which)) {
          client->expected = State::cancelled;
          serve();
          client->stop.request_stop();
        }
        break;
      case Event::pass_time:
        pass_time();
        break;
    }
    settle();
  }

  /// Everybody is served in the end, or was told why not.
  void end() {
    while (Client* const client = pick(State::granted, 0)) {
      client->expected = State::gone;
      client->actual = State::gone;
      serve();
      client->reservation.release();
      settle();
    }
    for (const auto& client : clients_) RC_ASSERT(client->expected != State::waiting);
    RC_ASSERT(budget_->snapshot().used == 0U);
  }

  ~Queue() {
    for (const auto& client : clients_) client->stop.request_stop();
  }

 private:
  void arrive(const QueueStep& step) {
    auto client = std::make_unique<Client>();
    client->bytes = step.amount;
    client->priority = step.priority;
    client->deadline =
        step.patience == 0 ? TimeSource::TimePoint::max() : time_.now() + std::chrono::seconds(step.patience);
    clients_.push_back(std::move(client));
    Client& it = *clients_.back();
    serve();
    it.thread = std::jthread([this, &it] {
      ReserveRequest request;
      request.bytes = it.bytes;
      request.priority = it.priority;
      request.stop = it.stop.get_token();
      request.deadline = Deadline::at(it.deadline);
      auto got = budget_->reserve(request);
      if (got) {
        it.reservation = *std::move(got);
        it.actual = State::granted;
      } else {
        it.actual = got.error().code() == Code::cancelled ? State::cancelled : State::late;
      }
    });
  }

  void pass_time() {
    const auto then = time_.now() + std::chrono::seconds(1);
    for (const auto& client : clients_) {
      if (client->expected == State::waiting && client->deadline <= then) client->expected = State::late;
    }
    serve();
    time_.advance(std::chrono::seconds(1));
  }

  Client* pick(State state, std::uint8_t which) {
    std::vector<Client*> found;
    for (const auto& client : clients_) {
      if (client->expected == state) found.push_back(client.get());
    }
    return found.empty() ? nullptr : found[which % found.size()];
  }

  Client* first_waiting() {
    Client* first = nullptr;
    for (const auto& client : clients_) {
      if (client->expected != State::waiting) continue;
      if (first == nullptr || client->priority > first->priority) first = client.get();
    }
    return first;
  }

  /// The model's rule: the first of the queue as long as he fits.
  void serve() {
    while (Client* const first = first_waiting()) {
      std::uint64_t used = 0;
      std::uint64_t critical = 0;
      for (const auto& client : clients_) {
        if (client->expected != State::granted) continue;
        used += client->bytes;
        critical += client->priority == Priority::critical ? client->bytes : 0;
      }
      const std::uint64_t kept = first->priority == Priority::critical ? 0 : kReserve - std::min(kReserve, critical);
      if (used + kept + first->bytes > kTotal) return;
      first->expected = State::granted;
    }
  }

  void settle() {
    RC_ASSERT(eventually([&] {
      time_.notify();
      std::size_t waiting = 0;
      for (const auto& client : clients_) {
        if (client->actual != client->expected) return false;
        waiting += client->expected == State::waiting ? 1U : 0U;
      }
      return budget_->snapshot().waiting.size() == waiting;
    }));
  }

  FakeTime time_;
  std::shared_ptr<MemoryBudget> budget_;
  std::vector<std::unique_ptr<Client>> clients_;
};

TEST(MemoryBudgetProperty, TheQueueServesAsTheModelSays) {
  const bool holds = rc::check("queue", [] {
    Queue queue;
    const auto steps = *rc::gen::container<std::vector<QueueStep>>(any_queue_step());
    for (const QueueStep& step : steps) queue.apply(step);
    queue.end();
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace cuzk::memory
