// A journal whose process is killed (SIGKILL) at random moments: no accepted job is lost, none gets two results.
// Losses of power: power_cut_test.cpp.
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "store/spool.h"
#include "tests/gen/seed.h"
#include "tests/store/child_process.h"
#include "tests/store/journals.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using namespace test;  // NOLINT: the helpers of these tests
using cuzk::test::ChildProcess;

constexpr std::uint32_t kPartitions = 3;
constexpr std::uint64_t kJobsOfARound = 15;

/// A result that no other attempt at the same job makes.
std::string unique_result(std::uint64_t n) {
  std::array<std::byte, 8> nonce;
  must(fill_random(nonce));
  return "result-" + std::to_string(n) + "-" + encode_hex(nonce);
}

/// "label-17" -> 17
std::uint64_t number_of(const JobSummary& job) { return std::stoull(job.label.substr(6)); }

/// Says what it is about to do and what has returned, so that the parent knows what it may rely on:
///   A n        job n was accepted         P n i      partition i of job n was finished
///   C n r      job n was completed with result r     X n  cancelled
void finish_job(Journal& journal, const TakenJob& taken, const ChildProcess::Say& say) {
  const std::string n = std::to_string(number_of(taken.job.summary));
  for (std::uint32_t i = 0; i < kPartitions; ++i) {
    if (taken.job.partitions[i].state == PartitionState::finished) continue;
    must(journal.partition_started(taken.lease, i));
    must(journal.partition_finished(taken.lease, i, text_bytes("proof " + n + "." + std::to_string(i))));
    say("P " + n + " " + std::to_string(i));
  }
  const std::string result = unique_result(std::stoull(n));
  must(journal.complete(taken.lease, text_bytes(result)));
  say("C " + n + " " + result);
}

/// Two threads, so that commits hold work of several: one accepts, one finishes.
void work(const std::string& path, std::uint64_t first, const ChildProcess::Say& say) {
  const auto journal = open(path);
  std::jthread acceptor([&](const StopToken& stop) {
    for (std::uint64_t n = first; n < first + kJobsOfARound && !stop.stop_requested(); ++n) {
      must(journal->accept(job_of(n, kPartitions)));
      say("A " + std::to_string(n));
      if (n % 7 == 3 && must(journal->cancel(digest_of(n)))) say("X " + std::to_string(n));
    }
  });
  for (int idle = 0; idle < 20;) {
    const auto taken = must(journal->take(2, kLease));
    idle = taken.empty() ? idle + 1 : 0;
    for (const TakenJob& job : taken) {
      try {
        finish_job(*journal, job, say);
      } catch (const std::exception& e) {
        if (std::string(e.what()).find("was cancelled") == std::string::npos) throw;
      }
    }
  }
}

class Ledger {
 public:
  void read(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      std::istringstream in(line);
      std::string what, result;
      std::uint64_t n = 0;
      std::uint32_t partition = 0;
      in >> what >> n;
      ASSERT_TRUE(in) << line;
      if (what == "A") accepted.insert(n);
      if (what == "X") cancelled.insert(n);
      if (what == "P" && in >> partition) partitions.emplace(n, partition);
      if (what == "C" && in >> result) {
        EXPECT_TRUE(results.emplace(n, result).second) << "job " << n << " was completed twice";
      }
    }
  }

  /// What was told to the parent holds in the file.
  void check(Journal& journal) const {
    for (const std::uint64_t n : accepted) ASSERT_TRUE(must(journal.find(digest_of(n)))) << "job " << n << " is lost";
    for (const auto& [n, result] : results) {
      const JobRecord job = found(journal, n);
      ASSERT_EQ(job.summary.state, JobState::completed);
      ASSERT_EQ(job.result, bytes_of(result));
    }
    for (const auto& [n, partition] : partitions) {
      const JobRecord job = found(journal, n);
      ASSERT_EQ(job.partitions[partition].state, PartitionState::finished) << n << "." << partition;
    }
    for (const std::uint64_t n : cancelled) ASSERT_EQ(found(journal, n).summary.state, JobState::cancelled);
  }

  std::set<std::uint64_t> accepted, cancelled;
  std::set<std::pair<std::uint64_t, std::uint32_t>> partitions;
  std::map<std::uint64_t, std::string> results;
};

TEST(JournalCrash, NothingAcceptedIsLostAndNothingIsDoneTwice) {
  std::mt19937_64 random(cuzk::test::run_seed());
  const cuzk::test::TemporaryFolder folder;
  const std::string path = folder.file("journal.db");
  Ledger ledger;
  for (std::uint64_t round = 0; round < 20; ++round) {
    ChildProcess child([&](const ChildProcess::Say& say) { work(path, round * kJobsOfARound, say); });
    ledger.read(child.listen(random() % 75));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    child.kill();
    ledger.read(child.listen());
    const auto journal = open(path);
    ledger.check(*journal);
    if (testing::Test::HasFatalFailure()) return;
  }
  // What is left is finished by a last one that nobody kills.
  const auto journal = open(path);
  std::vector<std::string> lines;
  for (const TakenJob& job : must(journal->take(10'000, kLease))) {
    finish_job(*journal, job, [&](const std::string& line) { lines.push_back(line); });
  }
  ledger.read(lines);
  ledger.check(*journal);
  for (const JobCount& count : must(journal->counts())) EXPECT_FALSE(is_open(count.state));
  std::cout << ledger.accepted.size() << " jobs, " << ledger.results.size() << " results told, "
            << ledger.cancelled.size() << " cancelled, " << lines.size() << " lines after the last kill\n";
}

TEST(JournalCrash, KilledWhileTheFileIsMade) {
  std::mt19937_64 random(cuzk::test::run_seed());
  for (int round = 0; round < 20; ++round) {
    const cuzk::test::TemporaryFolder folder;
    const std::string path = folder.file("journal.db");
    ChildProcess child([&](const ChildProcess::Say& say) {
      say("begin");
      const auto journal = open(path);
      must(journal->accept(job_of(1)));
      say("A 1");
      ::pause();
    });
    child.listen(1);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    child.kill();
    const bool accepted = !child.listen().empty();
    const auto journal = open(path);
    if (accepted) {
      EXPECT_TRUE(must(journal->find(digest_of(1))));
    }
    must(journal->accept(job_of(2)));
  }
}

TEST(JournalCrash, ADeadProcessHoldsNoLease) {
  const cuzk::test::TemporaryFolder folder;
  const std::string path = folder.file("journal.db");
  ChildProcess child([&](const ChildProcess::Say& say) {
    const auto journal = open(path);
    lease_new(*journal, job_of(1), std::chrono::hours(24));
    say("A 1");
    ::pause();
  });
  child.listen(1);
  {
    const auto journal = open(path);
    EXPECT_TRUE(must(journal->take(1, kLease)).empty()) << "it lives";
    EXPECT_EQ(journal->acquire(digest_of(1), kLease).error().code(), Code::conflict);
    child.kill();
    EXPECT_EQ(must(journal->take(1, kLease)).size(), 1U) << "it is dead, a day before its lease ends";
  }
  int owners = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    owners += entry.path().string().find(".owner.") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(owners, 0);
}

/// Proves what it can get until all is done; says how many jobs those were.
void share(const std::string& path, std::uint64_t jobs, const ChildProcess::Say& say) {
  const auto journal = open(path);
  for (;;) {
    for (const TakenJob& job : must(journal->take(3, kLease))) finish_job(*journal, job, say);
    std::uint64_t finished = 0;
    for (const JobCount& count : must(journal->counts())) finished += is_open(count.state) ? 0 : count.jobs;
    if (finished == jobs) return;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST(JournalShared, TwoProcessesShareTheQueue) {
  constexpr std::uint64_t kJobs = 60;
  const cuzk::test::TemporaryFolder folder;
  const std::string path = folder.file("journal.db");
  {
    const auto journal = open(path);
    for (std::uint64_t n = 0; n < kJobs; ++n) must(journal->accept(job_of(n, kPartitions)));
  }
  const auto body = [&](const ChildProcess::Say& say) { share(path, kJobs, say); };
  Ledger ledger;
  ChildProcess first(body);
  ledger.read(first.listen(1));  // it has jobs, however fast the others are
  ChildProcess second(body), third(body);
  const auto third_lines = third.listen(10);
  third.kill();  // with leases in its hands
  ledger.read(third_lines);
  ledger.read(third.listen());
  const std::size_t by_third = ledger.results.size();
  ledger.read(first.listen());
  ledger.read(second.listen());
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  EXPECT_GT(ledger.results.size(), by_third) << "the living did what was left";
  EXPECT_GE(ledger.results.size() + 1, kJobs) << "all but perhaps one whose result the dead could not tell";
  const auto journal = open(path);
  ledger.check(*journal);
  for (std::uint64_t n = 0; n < kJobs; ++n) EXPECT_EQ(found(*journal, n).summary.state, JobState::completed);
}

TEST(JournalShared, ManyProcessesOpenANewFileAtOnce) {
  const cuzk::test::TemporaryFolder folder;
  const std::string path = folder.file("journal.db");
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (std::uint64_t n = 0; n < 6; ++n) {
    children.push_back(std::make_unique<ChildProcess>([&, n](const ChildProcess::Say& say) {
      const auto journal = open(path);
      must(journal->accept(job_of(n)));
      say("A " + std::to_string(n));
    }));
  }
  for (const auto& child : children) EXPECT_EQ(child->listen().size(), 1U);
  EXPECT_EQ(must(open(path)->list({})).jobs.size(), 6U);
}

/// A spool beside the journal: every accepted job finds its payload, and what is left over goes.
TEST(SpoolCrash, EveryAcceptedJobHasItsPayload) {
  std::mt19937_64 random(cuzk::test::run_seed());
  const cuzk::test::TemporaryFolder folder;
  const std::string path = folder.file("journal.db");
  const Spool::Options options{.folder = folder.file("spool"), .grace = std::chrono::seconds(0)};
  const auto payload = [](std::uint64_t n) { return std::string(10'000 + n, static_cast<char>('a' + n % 26)); };
  std::set<std::uint64_t> accepted;
  for (std::uint64_t round = 0; round < 10; ++round) {
    ChildProcess child([&](const ChildProcess::Say& say) {
      const auto journal = open(path);
      const auto spool = must(Spool::open(options));
      for (std::uint64_t n = round * 100; n < round * 100 + 100; ++n) {
        const PayloadPin pin = must(spool->put(text_bytes(payload(n))));
        NewJob job = job_of(n);
        job.payloads = {pin.hash()};
        must(journal->accept(job));
        say("A " + std::to_string(n));
        if (n % 5 == 0) must(spool->collect(*journal));
      }
    });
    auto lines = child.listen(random() % 40);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    child.kill();
    for (const auto& more : child.listen()) lines.push_back(more);
    for (const std::string& line : lines) accepted.insert(std::stoull(line.substr(2)));
    const auto journal = open(path);
    const auto spool = must(Spool::open(options));
    must(spool->collect(*journal));
    std::uint64_t bytes = 0;
    for (const std::uint64_t n : accepted) {
      const MappedFile file = must(spool->map(found(*journal, n).payloads.at(0)));
      ASSERT_EQ(bytes_text(file.bytes()), payload(n));
    }
    for (const JobSummary& job : must(journal->list({.limit = 1000})).jobs) bytes += payload(number_of(job)).size();
    EXPECT_EQ(spool->used_bytes(), bytes);
    for (const auto& entry : std::filesystem::directory_iterator(options.folder)) {
      EXPECT_NE(entry.path().extension(), ".tmp");
    }
  }
}

}  // namespace
}  // namespace cuzk::store
