#include "store/sqlite_journal.h"

#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/store/journals.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using namespace test;  // NOLINT: the helpers of these tests

class SqliteJournalTest : public ::testing::Test {
 protected:
  SqliteJournalOptions options() {
    SqliteJournalOptions options;
    options.clock = clock.reader();
    return options;
  }
  std::unique_ptr<Journal> open_again() { return open(path, options()); }

  cuzk::test::TemporaryFolder folder;
  std::string path = folder.file("journal.db");
  ManualClock clock;
  std::unique_ptr<Journal> journal = open_again();
};

// Accepting.

TEST_F(SqliteJournalTest, TakesNoJobsIntoAFileThatIsNotThereAnyMore) {
  must(journal->accept(job_of(1)));
  const std::string elsewhere = folder.file("elsewhere");
  std::filesystem::rename(path, elsewhere);
  EXPECT_EQ(journal->accept(job_of(2)).error().code(), Code::unavailable);
  std::ofstream(path) << "another";
  EXPECT_EQ(journal->accept(job_of(2)).error().code(), Code::unavailable) << "replaced";
  EXPECT_EQ(journal->still_there().error().code(), Code::unavailable);
  EXPECT_EQ(must(journal->accept(job_of(1))).how, Acceptance::How::joined);
  EXPECT_TRUE(must(journal->cancel(digest_of(1))));
  EXPECT_EQ(journal->accept(job_of(1)).error().code(), Code::unavailable) << "again";
  std::filesystem::rename(elsewhere, path);
  EXPECT_TRUE(journal->still_there());
  EXPECT_EQ(must(journal->accept(job_of(2))).how, Acceptance::How::created);
}

TEST_F(SqliteJournalTest, KeepsAllOfAJob) {
  NewJob job = job_of(1, 3);
  job.priority = 3;
  job.deadline = clock.now() + milliseconds(5000);
  job.payloads = {sha256(text_bytes("b")), sha256(text_bytes("a")), sha256(text_bytes("b"))};
  const Acceptance acceptance = must(journal->accept(job));
  EXPECT_EQ(acceptance.how, Acceptance::How::created);
  EXPECT_EQ(acceptance.job.job_id, "label-1");
  EXPECT_FALSE(acceptance.lease);
  journal.reset();
  journal = open_again();
  const JobRecord kept = found(*journal, 1);
  EXPECT_EQ(kept.summary.digest, job.digest);
  EXPECT_EQ(kept.summary.label, job.label);
  EXPECT_EQ(kept.summary.kind, job.kind);
  EXPECT_EQ(kept.summary.circuit, job.circuit);
  EXPECT_EQ(kept.summary.priority, 3);
  EXPECT_EQ(kept.summary.deadline, job.deadline);
  EXPECT_EQ(kept.summary.accepted, clock.now());
  EXPECT_EQ(kept.summary.state, JobState::accepted);
  EXPECT_EQ(kept.metadata, job.metadata);
  EXPECT_EQ(kept.payloads, job.payloads);
  EXPECT_EQ(kept.partitions.size(), 3U);
  EXPECT_EQ(must(journal->find_id("label-1"))->summary.number, acceptance.job.number);
  EXPECT_FALSE(must(journal->find(digest_of(2))));
  EXPECT_FALSE(must(journal->find_id("label-2")));
}

TEST_F(SqliteJournalTest, TheSameContentJoinsWhatRuns) {
  NewJob job = job_of(1, 2);
  job.deadline = clock.now() + milliseconds(1000);
  const Lease lease = lease_new(*journal, job);
  NewJob again = job;
  again.label = "another label";
  again.priority = 4;
  again.deadline = clock.now() + milliseconds(9000);
  again.lease = kLease;
  const Acceptance joined = must(journal->accept(again));
  EXPECT_EQ(joined.how, Acceptance::How::joined);
  EXPECT_EQ(joined.job.number, lease.number);
  EXPECT_EQ(joined.job.job_id, "label-1");
  EXPECT_EQ(joined.job.priority, 4);
  EXPECT_EQ(joined.job.deadline, again.deadline);
  EXPECT_FALSE(joined.lease) << "the job is in hand";
  again.priority = 1;
  again.deadline = std::nullopt;  // somebody waits without end
  const Acceptance third = must(journal->accept(again));
  EXPECT_EQ(third.job.priority, 4);
  EXPECT_FALSE(third.job.deadline);
}

TEST_F(SqliteJournalTest, ACompletedJobAnswersWithItsResult) {
  must(prove(*journal, lease_new(*journal, job_of(1, 2)), 2, "the proof"));
  const Acceptance acceptance = must(journal->accept(job_of(1, 2)));
  EXPECT_EQ(acceptance.how, Acceptance::How::finished);
  EXPECT_EQ(acceptance.result, bytes_of("the proof"));
  EXPECT_EQ(must(journal->list({})).jobs.size(), 1U);
}

TEST_F(SqliteJournalTest, OtherContentOfTheSameLabelIsAnotherJob) {
  NewJob first = job_of(1), second = job_of(2), third = job_of(3);
  first.label = second.label = third.label = "wdpost-1000-0-[1 2 3]";
  EXPECT_EQ(must(journal->accept(first)).job.job_id, "wdpost-1000-0-[1 2 3]");
  EXPECT_EQ(must(journal->accept(second)).job.job_id, "wdpost-1000-0-[1 2 3]#2");
  EXPECT_EQ(must(journal->accept(third)).job.job_id, "wdpost-1000-0-[1 2 3]#3");
  NewJob hostile = job_of(4);
  hostile.label = "label-9#2";
  NewJob plain = job_of(5), next = job_of(6);
  plain.label = next.label = "label-9";
  EXPECT_EQ(must(journal->accept(hostile)).job.job_id, "label-9#2");
  EXPECT_EQ(must(journal->accept(plain)).job.job_id, "label-9");
  EXPECT_EQ(must(journal->accept(next)).job.job_id, "label-9#3");
}

TEST_F(SqliteJournalTest, AnIdStaysThatOfItsJob) {
  must(prove(*journal, lease_new(*journal, job_of(1)), 1, "one"));
  NewJob second = job_of(2);
  second.label = "label-1";
  EXPECT_EQ(must(journal->accept(second)).job.job_id, "label-1#2");
  EXPECT_EQ(must(journal->find_id("label-1"))->result, bytes_of("one"));
}

TEST_F(SqliteJournalTest, AJobIsFoundByTheLabelsThatJoinedIt) {
  const auto came_as = [&](std::uint64_t n, const char* label) {
    NewJob job = job_of(n);
    job.label = label;
    return must(journal->accept(job)).job.job_id;
  };
  const auto named = [&](const char* name) {
    const auto record = must(journal->find_id(name));
    return record ? record->summary.job_id : std::string("nothing");
  };
  EXPECT_EQ(came_as(1, "again"), "again");
  EXPECT_EQ(came_as(1, "retry"), "again");
  EXPECT_EQ(came_as(1, "retry"), "again");
  EXPECT_EQ(came_as(1, ""), "again");
  EXPECT_EQ(named("retry"), "again");
  EXPECT_EQ(came_as(2, "other"), "other");
  EXPECT_EQ(came_as(2, "retry"), "other");
  EXPECT_EQ(named("retry"), "other") << "the last one";
  EXPECT_EQ(came_as(3, "retry"), "retry");
  EXPECT_EQ(named("retry"), "retry") << "an id goes before the alias of another job";
  must(journal->cancel(digest_of(2)));
  clock.advance(std::chrono::hours(1));
  must(journal->expire({.result_age = milliseconds(1)}));
  EXPECT_EQ(named("other"), "nothing");
}

TEST_F(SqliteJournalTest, WhoOnlyJoinsOpensNothing) {
  NewJob job = job_of(1);
  job.only_join = true;
  const auto code = [&] {
    const auto accepted = journal->accept(job);
    return accepted ? std::optional<Code>() : std::optional(accepted.error().code());
  };
  EXPECT_EQ(code(), Code::not_found);
  must(journal->accept(job_of(1)));
  EXPECT_EQ(code(), std::nullopt);
  must(journal->cancel(job.digest));
  EXPECT_EQ(code(), Code::not_found);
  EXPECT_EQ(found(*journal, 1).summary.state, JobState::cancelled);
}

TEST_F(SqliteJournalTest, JoiningTakesTheLongerGrace) {
  NewJob job = job_of(1);
  const auto grace_after = [&](int ms) {
    job.orphan_grace = milliseconds(ms);
    must(journal->accept(job));
    return found(*journal, 1).summary.orphan_grace.count();
  };
  EXPECT_EQ(grace_after(100), 100);
  EXPECT_EQ(grace_after(50), 100);
  EXPECT_EQ(grace_after(200), 200);
  EXPECT_EQ(grace_after(0), 0);
  EXPECT_EQ(grace_after(300), 0);
  must(journal->cancel(digest_of(1)));
  EXPECT_EQ(grace_after(70), 70) << "opened again";
}

TEST_F(SqliteJournalTest, AJobWithoutLabelGetsARandomId) {
  NewJob first = job_of(1), second = job_of(2);
  first.label = second.label = "";
  const std::string one = must(journal->accept(first)).job.job_id;
  const std::string two = must(journal->accept(second)).job.job_id;
  EXPECT_EQ(one.size(), 36U);
  EXPECT_NE(one, two);
}

TEST_F(SqliteJournalTest, AFailedJobMayComeAgainAndKeepsItsProofs) {
  const Lease lease = lease_new(*journal, job_of(1, 3));
  must(journal->partition_finished(lease, 1, text_bytes("proof 1")));
  must(journal->partition_failed(lease, 2, "no memory on the device"));
  must(journal->fail_job(lease, FailureClass::transient, "partition 2 failed"));
  EXPECT_EQ(found(*journal, 1).summary.error, "partition 2 failed");
  EXPECT_EQ(found(*journal, 1).summary.failure, FailureClass::transient);
  NewJob again = job_of(1, 3);
  again.lease = kLease;
  const Acceptance acceptance = must(journal->accept(again));
  EXPECT_EQ(acceptance.how, Acceptance::How::reopened);
  const JobRecord record = found(*journal, 1);
  EXPECT_EQ(record.summary.state, JobState::running);
  EXPECT_EQ(record.summary.error, "");
  EXPECT_FALSE(record.summary.finished);
  EXPECT_EQ(record.partitions[1].proof, bytes_of("proof 1"));
  EXPECT_EQ(record.partitions[2].state, PartitionState::waiting);
  EXPECT_EQ(journal->partition_started(lease, 0).error().code(), Code::conflict) << "the old lease is void";
}

TEST_F(SqliteJournalTest, AfterADefectNoProofIsTrusted) {
  const Lease lease = lease_new(*journal, job_of(1, 2));
  must(journal->partition_finished(lease, 0, text_bytes("wrong proof")));
  must(journal->fail_job(lease, FailureClass::defect, "a proof does not verify"));
  EXPECT_EQ(must(journal->accept(job_of(1, 2))).how, Acceptance::How::reopened);
  EXPECT_EQ(found(*journal, 1).partitions[0].state, PartitionState::waiting);
}

TEST_F(SqliteJournalTest, RefusesWhatIsNoJob) {
  const auto refused = [&](auto change) {
    NewJob job = job_of(7);
    change(job);
    const auto accepted = journal->accept(job);
    return !accepted && accepted.error().code() == Code::invalid_argument;
  };
  EXPECT_TRUE(refused([](NewJob& job) { job.partitions = 0; }));
  EXPECT_TRUE(refused([](NewJob& job) { job.partitions = JobLimits::kPartitions + 1; }));
  EXPECT_TRUE(refused([](NewJob& job) { job.label.assign(1025, 'x'); }));
  EXPECT_TRUE(refused([](NewJob& job) { job.label = std::string("a\0b", 3); }));
  EXPECT_TRUE(refused([](NewJob& job) { job.kind.assign(1025, 'x'); }));
  EXPECT_TRUE(refused([](NewJob& job) { job.metadata.resize(JobLimits::kMetadataBytes + 1); }));
  EXPECT_TRUE(refused([](NewJob& job) { job.payloads.resize(JobLimits::kPayloads + 1); }));
  must(journal->accept(job_of(7)));
  EXPECT_TRUE(refused([](NewJob& job) { job.partitions = 2; })) << "a digest that does not tell the content";
  EXPECT_TRUE(refused([](NewJob& job) { job.circuit = "porep-32g"; }));
  EXPECT_EQ(must(journal->list({})).jobs.size(), 1U);
}

TEST_F(SqliteJournalTest, AFullQueueSaysSo) {
  SqliteJournalOptions small = options();
  small.max_open_jobs = 2;
  journal = open(path, small);
  const Lease lease = lease_new(*journal, job_of(1));
  must(journal->accept(job_of(2)));
  const auto third = journal->accept(job_of(3));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code(), Code::exhausted);
  EXPECT_EQ(must(journal->accept(job_of(2))).how, Acceptance::How::joined);
  must(prove(*journal, lease, 1, "done"));
  must(journal->accept(job_of(3)));
}

// Leases.

TEST_F(SqliteJournalTest, TakesInTheOrderOfUrgency) {
  const auto bring = [&](std::uint64_t n, std::int32_t priority, std::optional<milliseconds> deadline) {
    NewJob job = job_of(n);
    job.priority = priority;
    if (deadline) job.deadline = clock.now() + *deadline;
    must(journal->accept(job));
    clock.advance(milliseconds(1));
  };
  bring(1, 2, std::nullopt);
  bring(2, 2, milliseconds(900));
  bring(3, 4, std::nullopt);
  bring(4, 2, milliseconds(500));
  bring(5, 2, std::nullopt);
  bring(6, 1, milliseconds(1));
  std::vector<std::string> order;
  for (const TakenJob& taken : must(journal->take(100, kLease))) order.push_back(taken.job.summary.label);
  EXPECT_EQ(order, (std::vector<std::string>{"label-3", "label-4", "label-2", "label-1", "label-5", "label-6"}));
  EXPECT_TRUE(must(journal->take(100, kLease)).empty());
}

TEST_F(SqliteJournalTest, TakesNoMoreThanWasAskedFor) {
  for (std::uint64_t n = 0; n < 5; ++n) must(journal->accept(job_of(n)));
  EXPECT_EQ(must(journal->take(2, kLease)).size(), 2U);
  EXPECT_EQ(must(journal->take(0, kLease)).size(), 0U);
  EXPECT_EQ(must(journal->take(9, kLease)).size(), 3U);
}

TEST_F(SqliteJournalTest, ALeaseHoldsUntilItsTimeIsOver) {
  const auto other = open_again();
  const Lease lease = lease_new(*journal, job_of(1, 2), milliseconds(1000));
  clock.advance(milliseconds(999));
  EXPECT_TRUE(must(other->take(1, kLease)).empty());
  EXPECT_EQ(other->acquire(digest_of(1), kLease).error().code(), Code::conflict);
  clock.advance(milliseconds(1));
  must(journal->partition_started(lease, 0));  // nobody has taken it yet
  const auto taken = must(other->take(1, kLease));
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].job.summary.owner, other->owner());
  EXPECT_EQ(taken[0].job.partitions[0].state, PartitionState::waiting);
  EXPECT_EQ(taken[0].job.partitions[0].attempts, 1U);
  // The first owner awakes: each of its writes is refused.
  EXPECT_EQ(journal->partition_finished(lease, 0, text_bytes("late")).error().code(), Code::conflict);
  EXPECT_EQ(journal->complete(lease, text_bytes("late")).error().code(), Code::conflict);
  EXPECT_EQ(journal->fail_job(lease, FailureClass::transient, "late").error().code(), Code::conflict);
  EXPECT_EQ(journal->release(lease).error().code(), Code::conflict);
  EXPECT_TRUE(must(journal->renew(kLease)).empty());
  must(prove(*other, taken[0].lease, 2, "once"));
  EXPECT_EQ(found(*journal, 1).result, bytes_of("once"));
}

TEST_F(SqliteJournalTest, RenewingProlongs) {
  const auto other = open_again();
  const Lease lease = lease_new(*journal, job_of(1), milliseconds(1000));
  clock.advance(milliseconds(900));
  const auto held = must(journal->renew(milliseconds(1000)));
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held[0].number, lease.number);
  EXPECT_EQ(held[0].generation, lease.generation);
  EXPECT_EQ(held[0].until, clock.now() + milliseconds(1000));
  clock.advance(milliseconds(900));
  EXPECT_TRUE(must(other->take(1, kLease)).empty());
}

TEST_F(SqliteJournalTest, NobodyTakesFromHimself) {
  const Lease lease = lease_new(*journal, job_of(1), milliseconds(1000));
  clock.advance(milliseconds(1000));  // the process was held up
  EXPECT_TRUE(must(journal->take(1, kLease)).empty());
  must(journal->partition_started(lease, 0));
  EXPECT_EQ(must(journal->renew(kLease)).at(0).generation, lease.generation);
  must(prove(*journal, lease, 1, "done"));
}

TEST_F(SqliteJournalTest, AJobThatIsGivenBackIsFree) {
  const auto other = open_again();
  const Lease lease = lease_new(*journal, job_of(1, 2));
  must(journal->partition_started(lease, 1));
  must(journal->release(lease));
  EXPECT_EQ(found(*journal, 1).summary.state, JobState::accepted);
  EXPECT_EQ(journal->partition_started(lease, 0).error().code(), Code::conflict);
  EXPECT_EQ(must(other->acquire(digest_of(1), kLease)).job.partitions[1].state, PartitionState::waiting);
}

TEST_F(SqliteJournalTest, TheLeasesOfAClosedJournalAreFree) {
  lease_new(*journal, job_of(1));
  journal.reset();
  journal = open_again();
  EXPECT_EQ(must(journal->take(1, kLease)).size(), 1U);
}

TEST_F(SqliteJournalTest, WhoBringsAFreeJobMayHaveIt) {
  must(journal->accept(job_of(1)));
  NewJob again = job_of(1);
  again.lease = kLease;
  const Acceptance joined = must(journal->accept(again));
  EXPECT_EQ(joined.how, Acceptance::How::joined);
  EXPECT_TRUE(joined.lease);
}

TEST_F(SqliteJournalTest, ALeaseOfForEverIsOne) {
  const Lease lease = lease_new(*journal, job_of(1), milliseconds::max());
  clock.advance(std::chrono::hours(24 * 365 * 100));
  EXPECT_TRUE(must(journal->take(1, kLease)).empty());
  must(prove(*journal, lease, 1, "done"));
}

// Progress and ends.

TEST_F(SqliteJournalTest, CountsAttempts) {
  const Lease lease = lease_new(*journal, job_of(1, 2));
  must(journal->partition_started(lease, 1));
  must(journal->partition_failed(lease, 1, "device lost"));
  EXPECT_EQ(found(*journal, 1).partitions[1].error, "device lost");
  EXPECT_EQ(found(*journal, 1).partitions[1].state, PartitionState::failed);
  must(journal->partition_started(lease, 1));
  must(journal->partition_finished(lease, 1, text_bytes("proof")));
  const JobRecord record = found(*journal, 1);
  EXPECT_EQ(record.partitions[1].attempts, 2U);
  EXPECT_EQ(record.partitions[1].state, PartitionState::finished);
  EXPECT_EQ(record.summary.finished_partitions, 1U);
  EXPECT_EQ(record.partitions[0].attempts, 0U);
}

TEST_F(SqliteJournalTest, CountsOwnersThatWereLostOverAPartition) {
  lease_new(*journal, job_of(1, 3));
  for (std::uint32_t lost = 0; lost < 3; ++lost) {
    const auto taken = [&] {
      journal.reset();  // its owner is gone
      journal = open_again();
      return must(journal->acquire(digest_of(1), kLease));
    }();
    EXPECT_EQ(taken.job.partitions[0].unended, lost);
    EXPECT_EQ(taken.job.partitions[1].unended, 0U);
    EXPECT_EQ(taken.job.partitions[2].unended, 0U);
    must(journal->partition_started(taken.lease, 0));
    must(journal->partition_started(taken.lease, 0));  // the same owner again
    must(journal->partition_started(taken.lease, 1));
    must(journal->partition_failed(taken.lease, 1, "no luck"));
  }
  EXPECT_EQ(found(*journal, 1).partitions[0].unended, 2U);
  const auto held = must(journal->renew(kLease));
  must(journal->partition_finished(held.at(0), 0, text_bytes("proof")));
  EXPECT_EQ(found(*journal, 1).partitions[0].unended, 0U);
  must(journal->partition_started(held.at(0), 1));
  must(journal->release(held.at(0)));
  EXPECT_EQ(must(journal->acquire(digest_of(1), kLease)).job.partitions[1].unended, 0U) << "given back in order";
}

TEST_F(SqliteJournalTest, TheKeyIsKept) {
  NewJob job = job_of(1);
  job.key = sha256(text_bytes("key"));
  must(journal->accept(job));
  must(journal->accept(job_of(2)));
  EXPECT_EQ(found(*journal, 1).summary.key, job.key);
  EXPECT_FALSE(found(*journal, 2).summary.key);
}

TEST_F(SqliteJournalTest, PartitionsCanBeForgotten) {
  const Lease lease = lease_new(*journal, job_of(1, 2));
  must(journal->partition_finished(lease, 0, text_bytes("of another key")));
  must(journal->forget_partitions(lease));
  EXPECT_EQ(found(*journal, 1).summary.finished_partitions, 0U);
  must(prove(*journal, lease, 2, "done"));
  EXPECT_EQ(journal->forget_partitions(lease).error().code(), Code::conflict) << "completed";
}

TEST_F(SqliteJournalTest, AFinishedPartitionStaysAsItIs) {
  const Lease lease = lease_new(*journal, job_of(1, 2));
  must(journal->partition_finished(lease, 0, text_bytes("proof")));
  must(journal->partition_finished(lease, 0, text_bytes("proof")));
  EXPECT_EQ(journal->partition_finished(lease, 0, text_bytes("other")).error().code(), Code::conflict);
  EXPECT_EQ(journal->partition_started(lease, 0).error().code(), Code::conflict);
  EXPECT_EQ(journal->partition_failed(lease, 0, "late").error().code(), Code::conflict);
  EXPECT_EQ(journal->partition_started(lease, 2).error().code(), Code::invalid_argument);
  EXPECT_EQ(found(*journal, 1).partitions[0].proof, bytes_of("proof"));
}

TEST_F(SqliteJournalTest, AJobIsCompletedOnceAndWhole) {
  const Lease lease = lease_new(*journal, job_of(1, 2));
  must(journal->partition_finished(lease, 0, text_bytes("proof 0")));
  must(journal->partition_finished(lease, 1, {}));  // an empty proof is bytes, too
  must(journal->complete(lease, text_bytes("whole")));
  EXPECT_EQ(journal->complete(lease, text_bytes("again")).error().code(), Code::conflict);
  EXPECT_EQ(journal->fail_job(lease, FailureClass::defect, "late").error().code(), Code::conflict);
  EXPECT_EQ(journal->acquire(digest_of(1), kLease).error().code(), Code::conflict);
  const JobRecord record = found(*journal, 1);
  EXPECT_EQ(record.result, bytes_of("whole"));
  EXPECT_EQ(record.summary.state, JobState::completed);
  EXPECT_EQ(record.summary.finished, clock.now());
  EXPECT_EQ(record.summary.owner, "");
  EXPECT_TRUE(record.partitions[0].proof.empty());
}

/// The writes of their progress were refused: the disk was full for a while, or another process held the file.
TEST_F(SqliteJournalTest, PartitionsWithoutARecordAreFinishedWithTheirJob) {
  const Lease lease = lease_new(*journal, job_of(1, 4));
  must(journal->partition_started(lease, 1));
  must(journal->partition_failed(lease, 2, "once"));
  must(journal->partition_finished(lease, 3, text_bytes("proof 3")));
  must(journal->complete(lease, text_bytes("whole")));
  const JobRecord record = found(*journal, 1);
  EXPECT_EQ(record.summary.finished_partitions, 4U);
  EXPECT_EQ(record.result, bytes_of("whole"));
  for (const PartitionRecord& partition : record.partitions) {
    EXPECT_EQ(partition.state, PartitionState::finished);
    EXPECT_EQ(partition.attempts, 1U);
    EXPECT_TRUE(partition.proof.empty());
  }
  EXPECT_EQ(record.partitions[2].error, "once");
  must(journal->complete(lease_new(*journal, job_of(2, JobLimits::kPartitions)), text_bytes("many")));
  EXPECT_EQ(found(*journal, 2).summary.finished_partitions, JobLimits::kPartitions);
}

TEST_F(SqliteJournalTest, WhoWorksOnAJobCancelsItByItsLease) {
  const Lease lease = lease_new(*journal, job_of(1));
  must(journal->cancel(lease));
  EXPECT_EQ(found(*journal, 1).summary.state, JobState::cancelled);
  EXPECT_EQ(found(*journal, 1).summary.finished, clock.now());
  EXPECT_EQ(journal->cancel(lease).error().code(), Code::cancelled);
  const Lease again = lease_new(*journal, job_of(1));
  EXPECT_EQ(journal->cancel(lease).error().code(), Code::conflict) << "it came again";
  EXPECT_EQ(found(*journal, 1).summary.state, JobState::running);
  must(prove(*journal, again, 1, "done"));
  EXPECT_EQ(journal->cancel(again).error().code(), Code::conflict);
}

TEST_F(SqliteJournalTest, CancelsInEveryState) {
  must(journal->accept(job_of(1)));
  EXPECT_TRUE(must(journal->cancel(digest_of(1))));
  EXPECT_FALSE(must(journal->cancel(digest_of(1))));
  const Lease lease = lease_new(*journal, job_of(2));
  EXPECT_TRUE(must(journal->cancel(digest_of(2))));
  EXPECT_EQ(journal->partition_started(lease, 0).error().code(), Code::cancelled);
  EXPECT_EQ(journal->complete(lease, {}).error().code(), Code::cancelled);
  EXPECT_TRUE(must(journal->renew(kLease)).empty());
  must(prove(*journal, lease_new(*journal, job_of(3)), 1, "done"));
  EXPECT_FALSE(must(journal->cancel(digest_of(3))));
  EXPECT_EQ(found(*journal, 3).result, bytes_of("done"));
  EXPECT_EQ(journal->cancel(digest_of(4)).error().code(), Code::not_found);
  EXPECT_TRUE(must(journal->take(9, kLease)).empty());
}

TEST_F(SqliteJournalTest, NotesTheDelivery) {
  EXPECT_EQ(journal->mark_delivered(digest_of(1)).error().code(), Code::not_found);
  const Lease lease = lease_new(*journal, job_of(1));
  EXPECT_EQ(journal->mark_delivered(digest_of(1)).error().code(), Code::invalid_argument);
  must(prove(*journal, lease, 1, "done"));
  EXPECT_FALSE(found(*journal, 1).summary.delivered);
  must(journal->mark_delivered(digest_of(1)));
  EXPECT_TRUE(found(*journal, 1).summary.delivered);
}

TEST_F(SqliteJournalTest, LongErrorsAreCutBetweenCharacters) {
  const Lease lease = lease_new(*journal, job_of(1));
  std::string text = "x";
  while (text.size() < 20000) text += "ö";
  must(journal->fail_job(lease, FailureClass::caller, text));
  const std::string kept = found(*journal, 1).summary.error;
  EXPECT_EQ(kept, text.substr(0, JobLimits::kErrorBytes - 1));
}

// Lists.

TEST_F(SqliteJournalTest, ListsByFilterAndPage) {
  for (std::uint64_t n = 0; n < 10; ++n) {
    NewJob job = job_of(n);
    job.kind = n % 2 == 0 ? "porep" : "winning";
    job.label = n < 4 ? "few" : "many";
    must(journal->accept(job));
  }
  must(journal->cancel(digest_of(0)));
  JobFilter filter;
  filter.limit = 4;
  std::vector<std::uint32_t> sizes;
  std::int64_t last = INT64_MAX;
  do {
    const JobPage page = must(journal->list(filter));
    sizes.push_back(static_cast<std::uint32_t>(page.jobs.size()));
    for (const JobSummary& job : page.jobs) {
      EXPECT_LT(job.number, last);
      last = job.number;
    }
    filter.before = page.next;
  } while (filter.before != 0);
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{4, 4, 2}));
  const auto count = [&](JobFilter wanted) { return must(journal->list(wanted)).jobs.size(); };
  EXPECT_EQ(count({.states = {JobState::cancelled}}), 1U);
  EXPECT_EQ(count({.states = {JobState::cancelled, JobState::accepted}}), 10U);
  EXPECT_EQ(count({.states = {}, .kind = "winning"}), 5U);
  EXPECT_EQ(count({.states = {JobState::accepted}, .kind = "porep", .label = "few"}), 1U);
  EXPECT_EQ(count({.states = {}, .kind = "", .label = "none"}), 0U);
  const auto counts = must(journal->counts());
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].kind, "porep");
  EXPECT_EQ(counts[0].state, JobState::accepted);
  EXPECT_EQ(counts[0].jobs, 4U);
}

// Forgetting.

TEST_F(SqliteJournalTest, ForgetsByAge) {
  must(prove(*journal, lease_new(*journal, job_of(1)), 1, "old"));
  clock.advance(milliseconds(1000));
  must(prove(*journal, lease_new(*journal, job_of(2)), 1, "new"));
  const Lease running = lease_new(*journal, job_of(3));
  clock.advance(milliseconds(500));
  const ExpiryRule rule{.result_age = milliseconds(1000), .max_results = 100, .payload_age = milliseconds::max()};
  const Expired expired = must(journal->expire(rule));
  EXPECT_EQ(expired.jobs, 1U);
  EXPECT_EQ(expired.payloads, job_of(1).payloads);
  EXPECT_FALSE(must(journal->find(digest_of(1))));
  EXPECT_EQ(found(*journal, 2).result, bytes_of("new"));
  clock.advance(std::chrono::hours(24 * 1000));
  must(journal->expire(rule));
  EXPECT_EQ(found(*journal, 3).summary.state, JobState::running) << "what is open does not age";
  must(prove(*journal, running, 1, "late"));
}

TEST_F(SqliteJournalTest, ForgetsBeyondACount) {
  for (std::uint64_t n = 0; n < 5; ++n) {
    must(prove(*journal, lease_new(*journal, job_of(n)), 1, "done"));
    clock.advance(milliseconds(1));
  }
  EXPECT_EQ(must(journal->expire({.max_results = 2})).jobs, 3U);
  EXPECT_FALSE(must(journal->find(digest_of(2))));
  EXPECT_TRUE(must(journal->find(digest_of(3))));
}

TEST_F(SqliteJournalTest, PayloadsAreFreeWhenTheirLastJobIs) {
  NewJob second = job_of(2);
  second.payloads = job_of(1).payloads;
  const PayloadHash hash = second.payloads[0];
  must(prove(*journal, lease_new(*journal, job_of(1)), 1, "done"));
  const Lease lease = lease_new(*journal, second);
  EXPECT_TRUE(must(journal->expire({})).payloads.empty());
  EXPECT_TRUE(found(*journal, 1).payloads.empty());
  EXPECT_TRUE(must(journal->unreferenced(std::vector{hash})).empty());
  must(prove(*journal, lease, 1, "done"));
  EXPECT_EQ(must(journal->expire({})).payloads, std::vector{hash});
  EXPECT_EQ(must(journal->unreferenced(std::vector{hash})).size(), 1U);
  EXPECT_EQ(must(journal->list({})).jobs.size(), 2U);
}

TEST_F(SqliteJournalTest, AForgottenJobIsNotFoundByItsLease) {
  const Lease lease = lease_new(*journal, job_of(1));
  must(prove(*journal, lease, 1, "done"));
  must(journal->expire({.max_results = 0}));
  const Lease fresh = lease_new(*journal, job_of(1));
  EXPECT_NE(fresh.number, lease.number);
  EXPECT_EQ(journal->partition_started(lease, 0).error().code(), Code::not_found);
}

// Waiting.

TEST_F(SqliteJournalTest, ACallThatHasEndedWritesNothing) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(journal->accept(job_of(1), {.stop = stop.get_token()}).error().code(), Code::cancelled);
  const Call late{.deadline = Deadline::after(std::chrono::nanoseconds(-1))};
  EXPECT_EQ(journal->accept(job_of(1), late).error().code(), Code::deadline);
  EXPECT_TRUE(must(journal->list({})).jobs.empty());
}

TEST_F(SqliteJournalTest, TellsOfChanges) {
  const std::uint64_t seen = journal->changes();
  std::jthread writer([&] { must(journal->accept(job_of(1))); });
  EXPECT_NE(must(journal->wait_for_change(seen, {})), seen);
  writer.join();
  const std::uint64_t now = journal->changes();
  must(journal->list({}));
  must(journal->cancel(must(journal->list({})).jobs[0].digest));
  const std::uint64_t later = journal->changes();
  EXPECT_NE(later, now);
  must(journal->take(10, kLease));
  must(journal->renew(kLease));
  EXPECT_EQ(journal->changes(), later) << "who finds nothing to take may wait for a change";
  const auto none = journal->wait_for_change(later, {.deadline = Deadline::after(milliseconds(20))});
  EXPECT_EQ(none.error().code(), Code::deadline);
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(journal->wait_for_change(later, {.stop = stop.get_token()}).error().code(), Code::cancelled);
}

TEST_F(SqliteJournalTest, TellsOfChangesByOthers) {
  const auto other = open_again();
  std::uint64_t seen = journal->changes();
  must(other->accept(job_of(1)));
  seen = must(journal->wait_for_change(seen, {.deadline = Deadline::after(std::chrono::seconds(20))}));
  std::jthread writer([&] {
    std::this_thread::sleep_for(milliseconds(50));
    must(other->accept(job_of(2)));
  });
  EXPECT_NE(must(journal->wait_for_change(seen, {.deadline = Deadline::after(std::chrono::seconds(20))})), seen);
}

TEST_F(SqliteJournalTest, ManyThreadsShareIt) {
  constexpr std::uint64_t kThreads = 8, kJobs = 20;
  std::vector<std::jthread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kJobs; ++i) {
        const std::uint64_t n = t * kJobs + i;
        const Lease lease = lease_new(*journal, job_of(n, 2));
        EXPECT_FALSE(journal->partition_started(lease, 5));  // fails alone, whatever it is committed with
        must(prove(*journal, lease, 2, "result " + std::to_string(n)));
      }
    });
  }
  threads.clear();
  for (std::uint64_t n = 0; n < kThreads * kJobs; ++n) {
    EXPECT_EQ(found(*journal, n).result, bytes_of("result " + std::to_string(n)));
  }
}

TEST_F(SqliteJournalTest, TheSameContentFromManyThreadsIsOneJob) {
  std::atomic<int> created{0};
  std::atomic<int> leased{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      NewJob job = job_of(1);
      job.lease = kLease;
      const Acceptance acceptance = must(journal->accept(job));
      created += acceptance.how == Acceptance::How::created ? 1 : 0;
      leased += acceptance.lease ? 1 : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(created, 1);
  EXPECT_EQ(leased, 1);
}

// The files.

TEST_F(SqliteJournalTest, FilesAreItsOwnersAlone) {
  must(journal->accept(job_of(1)));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    struct stat status{};
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << entry.path();
  }
}

TEST_F(SqliteJournalTest, RefusesNamesOfNoFile) {
  EXPECT_EQ(open_sqlite_journal("").error().code(), Code::invalid_argument);
  EXPECT_EQ(open_sqlite_journal(":memory:").error().code(), Code::invalid_argument);
  EXPECT_EQ(open_sqlite_journal(folder.file("no/journal.db")).error().code(), Code::not_found);
  EXPECT_EQ(open_sqlite_journal(folder.path().string()).error().code(), Code::invalid_argument);
  SqliteJournalOptions odd;
  odd.owner = "../x";
  EXPECT_EQ(open_sqlite_journal(path, odd).error().code(), Code::invalid_argument);
}

}  // namespace
}  // namespace cuzk::store
