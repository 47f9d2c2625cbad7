// A disk that forgets: fsync and fdatasync of this program copy the file to another folder, which therefore holds what
// is left after a loss of power in the worst case, when nothing reached the disk that was not synced. (A real disk may
// keep any part of the rest; that, and the entries of folders, are not simulated.)
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "store/spool.h"
#include "tests/gen/seed.h"
#include "tests/store/journals.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using namespace test;  // NOLINT: the helpers of these tests

std::atomic<std::uint64_t> syncs{0};
std::mutex image_mutex;
std::string image_folder;  // empty: nothing is copied

void copy_to_image(int fd) {
  const std::lock_guard lock(image_mutex);
  if (image_folder.empty()) return;
  std::array<char, 4096> path;
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path.data(), path.size());
  if (length <= 0) return;
  const std::filesystem::path file(std::string(path.data(), static_cast<std::size_t>(length)));
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return;
  if (file.parent_path() != std::filesystem::path(image_folder).parent_path()) return;  // that of a journal after a cut
  std::filesystem::copy_file(file, image_folder / file.filename(), std::filesystem::copy_options::overwrite_existing,
                             ignored);
}

}  // namespace

static int note_sync(int fd, long call) {
  ++syncs;
  copy_to_image(fd);
  return static_cast<int>(::syscall(call, fd));
}

}  // namespace cuzk::store

// Those of the C library, as SQLite and this program call them.
extern "C" {
__attribute__((visibility("default"))) int fsync(int fd) { return cuzk::store::note_sync(fd, SYS_fsync); }
__attribute__((visibility("default"))) int fdatasync(int fd) { return cuzk::store::note_sync(fd, SYS_fdatasync); }
}

namespace cuzk::store {
namespace {

class PowerCut : public ::testing::Test {
 protected:
  PowerCut() {
    journal = open(path);
    const std::lock_guard lock(image_mutex);
    image_folder = folder.file("image");
    std::filesystem::create_directory(image_folder);
    std::filesystem::copy_file(path, folder.file("image/journal.db"));
  }
  ~PowerCut() override { stop_copying(); }

  void stop_copying() {
    const std::lock_guard lock(image_mutex);
    image_folder.clear();
  }

  /// The journal as it would be found after a loss of power now.
  std::unique_ptr<Journal> after_a_cut() {
    const std::string cut = folder.file("cut-" + std::to_string(++cuts));
    std::filesystem::copy(folder.file("image"), cut);
    return open(cut + "/journal.db");
  }

  cuzk::test::TemporaryFolder folder = memory_folder();
  std::string path = folder.file("journal.db");
  std::unique_ptr<Journal> journal;
  int cuts = 0;
};

TEST_F(PowerCut, DurableCommitsWaitForTheDiskAndProgressDoesNot) {
  const auto waits = [&](auto call) {
    const std::uint64_t before = syncs;
    call();
    return syncs - before;
  };
  EXPECT_GT(waits([&] { must(journal->accept(job_of(1, 2))); }), 0U);
  Lease lease;
  EXPECT_EQ(waits([&] { lease = must(journal->acquire(digest_of(1), kLease)).lease; }), 0U);
  EXPECT_EQ(waits([&] { must(journal->partition_started(lease, 0)); }), 0U);
  EXPECT_EQ(waits([&] { must(journal->partition_finished(lease, 0, text_bytes("p"))); }), 0U);
  EXPECT_EQ(waits([&] { must(journal->partition_finished(lease, 1, text_bytes("p"))); }), 0U);
  EXPECT_EQ(waits([&] { must(journal->renew(kLease)); }), 0U);
  EXPECT_GT(waits([&] { must(journal->complete(lease, text_bytes("r"))); }), 0U);
  EXPECT_EQ(waits([&] { must(journal->mark_delivered(digest_of(1))); }), 0U);
  const Lease other = lease_new(*journal, job_of(2));
  EXPECT_GT(waits([&] { must(journal->fail_job(other, FailureClass::transient, "x")); }), 0U);
  must(journal->accept(job_of(3)));
  EXPECT_GT(waits([&] { must(journal->cancel(digest_of(3))); }), 0U);
}

TEST_F(PowerCut, WhatWasPromisedIsThere) {
  std::mt19937_64 random(cuzk::test::run_seed());
  std::set<std::uint64_t> accepted;
  std::map<std::uint64_t, JobState> ended;
  const auto check = [&] {
    const auto left = after_a_cut();
    for (const std::uint64_t n : accepted) ASSERT_TRUE(must(left->find(digest_of(n)))) << "job " << n << " is lost";
    for (const auto& [n, state] : ended) ASSERT_EQ(found(*left, n).summary.state, state) << n;
    for (const TakenJob& taken : must(left->take(1000, kLease))) {
      must(left->fail_job(taken.lease, FailureClass::transient, "usable"));
    }
  };
  for (std::uint64_t n = 0; n < 150; ++n) {
    NewJob job = job_of(n, 2);
    job.metadata.resize(random() % 20'000);  // large enough that the log is moved into the file several times
    const Lease lease = lease_new(*journal, job);
    accepted.insert(n);
    if (random() % 4 == 0) {
      ASSERT_NO_FATAL_FAILURE(check());
    }
    switch (random() % 4) {
      case 0:
        must(prove(*journal, lease, 2, "result"));
        ended[n] = JobState::completed;
        break;
      case 1:
        must(journal->fail_job(lease, FailureClass::caller, "no"));
        ended[n] = JobState::failed;
        break;
      case 2:
        must(journal->cancel(digest_of(n)));
        ended[n] = JobState::cancelled;
        break;
      default:
        must(journal->partition_finished(lease, 0, text_bytes("proof")));
        break;
    }
    if (random() % 4 == 0) {
      ASSERT_NO_FATAL_FAILURE(check());
    }
  }
}

TEST_F(PowerCut, APayloadIsOnTheDiskBeforeItsJob) {
  const auto spool = must(Spool::open({.folder = folder.file("spool")}));
  const std::uint64_t before = syncs;
  must(spool->put(text_bytes("payload")));
  EXPECT_GE(syncs - before, 2U) << "the file, and its entry in the folder";
}

}  // namespace
}  // namespace cuzk::store
