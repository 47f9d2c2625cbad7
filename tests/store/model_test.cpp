// Random sequences of operations by two owners, against a model of a journal in plain memory.
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/store/journals.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using namespace test;  // NOLINT: the helpers of these tests

constexpr std::uint64_t kJobs = 4;
constexpr std::uint32_t kPartitions = 2;
constexpr std::size_t kOwners = 2;
constexpr milliseconds kModelLease{100};
constexpr milliseconds kModelAge{300};

/// What is known of one job; the rules of store/journal.h in a few lines.
struct ModelJob {
  JobState state = JobState::accepted;
  std::int32_t priority = 0;
  WallTime accepted{};
  WallTime finished{};
  std::size_t owner = 0;
  WallTime lease_until{};
  int lease = 0;  // the number of the lease that holds; 0: none
  std::array<std::string, kPartitions> proofs{};
  std::string result{};

  bool free(WallTime now) const {
    return state == JobState::accepted || (state == JobState::running && lease_until <= now);
  }
};

struct HeldLease {
  std::uint64_t job = 0;
  int lease = 0;
  std::size_t owner = 0;
  Lease real{};
};

/// The journals of two owners on one file, and the model; each operation is done to both and the answers compared.
class Both {
 public:
  Both() {
    for (auto& journal : journals_) {
      SqliteJournalOptions options;
      options.clock = clock_.reader();
      journal = open(folder_.file("journal.db"), options);
    }
  }

  void step(int operation, std::uint64_t job, std::size_t owner, std::size_t pick) {
    switch (operation) {
      case 0:
        return accept(job, owner, static_cast<std::int32_t>(pick % 3), pick % 2 == 0);
      case 1:
        return take(owner, pick % 3);
      case 2:
        return renew(owner);
      case 3:
        return clock_.advance(milliseconds(pick % 120));
      case 4:
        return cancel(job, owner);
      case 5:
        return expire(owner);
      case 6:
        return with_lease(pick, [&](HeldLease& held) { release(held); });
      case 7:
        return with_lease(pick, [&](HeldLease& held) { fail(held, pick % 2 == 0); });
      case 8:
        return with_lease(pick, [&](HeldLease& held) { complete(held, std::to_string(pick)); });
      case 9:
        return with_lease(pick, [&](HeldLease& held) { cancel(held); });
      default:
        return with_lease(pick, [&](HeldLease& held) {
          finish(held, static_cast<std::uint32_t>(pick % kPartitions), std::to_string(pick % 3));
        });
    }
  }

  void compare() {
    Journal& journal = *journals_[0];
    RC_ASSERT(must(journal.list({})).jobs.size() == model_.size());
    for (const auto& [n, job] : model_) {
      const JobRecord real = found(journal, n);
      RC_ASSERT(real.summary.state == job.state);
      RC_ASSERT(real.summary.priority == job.priority);
      RC_ASSERT(real.summary.accepted == job.accepted);
      RC_ASSERT(real.result == bytes_of(job.result));
      if (job.state == JobState::completed) continue;
      for (std::uint32_t i = 0; i < kPartitions; ++i) {
        RC_ASSERT(real.partitions[i].proof == bytes_of(job.proofs[i]));
      }
    }
  }

 private:
  WallTime now() const { return clock_.now(); }

  void give_lease(std::uint64_t n, std::size_t owner, const Lease& real) {
    ModelJob& job = model_.at(n);
    job.state = JobState::running;
    job.owner = owner;
    job.lease = ++last_lease_;
    job.lease_until = now() + kModelLease;
    leases_.push_back({.job = n, .lease = job.lease, .owner = owner, .real = real});
  }

  void accept(std::uint64_t n, std::size_t owner, std::int32_t priority, bool lease) {
    NewJob job = job_of(n, kPartitions);
    job.priority = priority;
    if (lease) job.lease = kModelLease;
    const Acceptance answer = must(journals_[owner]->accept(job));
    const auto known = model_.find(n);
    if (known == model_.end()) {
      RC_ASSERT(answer.how == Acceptance::How::created);
      model_[n] = {.state = JobState::accepted, .priority = priority, .accepted = now()};
    } else if (is_open(known->second.state)) {
      RC_ASSERT(answer.how == Acceptance::How::joined);
      known->second.priority = std::max(known->second.priority, priority);
    } else if (known->second.state == JobState::completed) {
      RC_ASSERT(answer.how == Acceptance::How::finished);
      RC_ASSERT(answer.result == bytes_of(known->second.result));
    } else {
      RC_ASSERT(answer.how == Acceptance::How::reopened);
      ModelJob again{.state = JobState::accepted, .priority = priority, .accepted = now()};
      if (!defects_.contains(n)) again.proofs = known->second.proofs;
      known->second = again;
    }
    const bool given = lease && is_open(model_[n].state) && model_[n].free(now());
    RC_ASSERT(answer.lease.has_value() == given);
    if (given) give_lease(n, owner, *answer.lease);
  }

  void take(std::size_t owner, std::size_t limit) {
    std::vector<std::uint64_t> free;
    for (const auto& [n, job] : model_) {
      const bool is_own = job.state == JobState::running && job.owner == owner;
      if (job.free(now()) && !is_own) free.push_back(n);
    }
    std::ranges::sort(free, {}, [&](std::uint64_t n) {
      return std::tuple(-model_[n].priority, model_[n].accepted, found(*journals_[0], n).summary.number);
    });
    free.resize(std::min(limit, free.size()));
    const auto taken = must(journals_[owner]->take(limit, kModelLease));
    RC_ASSERT(taken.size() == free.size());
    for (std::size_t i = 0; i < free.size(); ++i) {
      RC_ASSERT(taken[i].job.summary.digest == digest_of(free[i]));
      give_lease(free[i], owner, taken[i].lease);
    }
  }

  void renew(std::size_t owner) {
    const auto held = must(journals_[owner]->renew(kModelLease));
    std::size_t expected = 0;
    for (auto& [n, job] : model_) {
      if (job.state != JobState::running || job.owner != owner) continue;
      ++expected;
      job.lease_until = now() + kModelLease;
    }
    RC_ASSERT(held.size() == expected);
  }

  void cancel(std::uint64_t n, std::size_t owner) {
    const auto was_open = journals_[owner]->cancel(digest_of(n));
    const auto known = model_.find(n);
    RC_ASSERT(was_open.has_value() == (known != model_.end()));
    if (known == model_.end()) return;
    RC_ASSERT(*was_open == is_open(known->second.state));
    if (*was_open) end(n, JobState::cancelled);
  }

  void expire(std::size_t owner) {
    const ExpiryRule rule{.result_age = kModelAge, .max_results = 100, .payload_age = milliseconds::max()};
    const auto expired = must(journals_[owner]->expire(rule));
    const auto forgotten = std::erase_if(model_, [&](const auto& entry) {
      return !is_open(entry.second.state) && entry.second.finished + kModelAge < now();
    });
    RC_ASSERT(expired.jobs == forgotten);
  }

  template <class Use> void with_lease(std::size_t pick, Use use) {
    if (!leases_.empty()) use(leases_[pick % leases_.size()]);
  }

  bool holds(const HeldLease& held) const {
    const auto job = model_.find(held.job);
    return job != model_.end() && job->second.state == JobState::running && job->second.lease == held.lease;
  }

  void end(std::uint64_t n, JobState state) {
    model_[n].state = state;
    model_[n].finished = now();
    if (state == JobState::cancelled) defects_.erase(n);
  }

  void release(HeldLease& held) {
    const bool released = journals_[held.owner]->release(held.real).has_value();
    RC_ASSERT(released == holds(held));
    if (released) model_[held.job].state = JobState::accepted;
  }

  void fail(HeldLease& held, bool defect) {
    const auto failure = defect ? FailureClass::defect : FailureClass::transient;
    const bool failed = journals_[held.owner]->fail_job(held.real, failure, "failed").has_value();
    RC_ASSERT(failed == holds(held));
    if (!failed) return;
    end(held.job, JobState::failed);
    if (defect) {
      defects_.insert(held.job);
    } else {
      defects_.erase(held.job);
    }
  }

  void cancel(HeldLease& held) {
    const bool cancelled = journals_[held.owner]->cancel(held.real).has_value();
    RC_ASSERT(cancelled == holds(held));
    if (cancelled) end(held.job, JobState::cancelled);
  }

  void complete(HeldLease& held, const std::string& result) {
    const bool completed = journals_[held.owner]->complete(held.real, text_bytes(result)).has_value();
    RC_ASSERT(completed == holds(held));
    if (!completed) return;
    end(held.job, JobState::completed);
    model_[held.job].result = result;
  }

  void finish(HeldLease& held, std::uint32_t partition, const std::string& proof) {
    const bool finished =
        journals_[held.owner]->partition_finished(held.real, partition, text_bytes(proof)).has_value();
    const bool expected =
        holds(held) && (model_[held.job].proofs[partition].empty() || model_[held.job].proofs[partition] == proof);
    RC_ASSERT(finished == expected);
    if (finished) model_[held.job].proofs[partition] = proof;
  }

  cuzk::test::TemporaryFolder folder_ = memory_folder();
  ManualClock clock_;
  std::array<std::unique_ptr<Journal>, kOwners> journals_;
  std::map<std::uint64_t, ModelJob> model_;
  std::set<std::uint64_t> defects_;
  std::vector<HeldLease> leases_;
  int last_lease_ = 0;
};

TEST(JournalModel, AnySequenceOfOperations) {
  const bool holds = rc::check("as the model", [] {
    using Step = std::tuple<int, std::uint64_t, std::size_t, std::size_t>;
    const auto steps =
        *rc::gen::scale(2.0, rc::gen::container<std::vector<Step>>(rc::gen::tuple(
                                 rc::gen::inRange(0, 14), rc::gen::inRange<std::uint64_t>(0, kJobs),
                                 rc::gen::inRange<std::size_t>(0, kOwners), rc::gen::inRange<std::size_t>(0, 1000))));
    Both both;
    for (const auto& [operation, job, owner, pick] : steps) both.step(operation, job, owner, pick);
    both.compare();
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace cuzk::store
