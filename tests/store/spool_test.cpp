#include "store/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/store/child_process.h"
#include "tests/store/journals.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using namespace test;  // NOLINT: the helpers of these tests
using std::chrono::seconds;

class SpoolTest : public ::testing::Test {
 protected:
  std::unique_ptr<Spool> open_spool(std::uint64_t quota = 0, seconds grace = seconds(0)) const {
    return must(Spool::open({.folder = path, .quota_bytes = quota, .grace = grace}));
  }
  std::string file_of(const PayloadHash& hash) const { return path + "/" + encode_hex(hash); }
  static std::string text_of(const MappedFile& file) { return std::string(bytes_text(file.bytes())); }
  Lease lease_with(const PayloadHash& hash) {
    NewJob job = job_of(1);
    job.payloads = {hash};
    return lease_new(*journal, job);
  }

  cuzk::test::TemporaryFolder folder;
  std::string path = folder.file("spool");
  std::unique_ptr<Journal> journal = open(folder.file("journal.db"));
};

TEST_F(SpoolTest, KeepsPayloadsUnderTheirHash) {
  const auto spool = open_spool();
  const PayloadPin pin = must(spool->put(text_bytes("witness")));
  EXPECT_EQ(pin.hash(), sha256(text_bytes("witness")));
  EXPECT_EQ(text_of(must(spool->map(pin.hash()))), "witness");
  EXPECT_EQ(text_of(must(open_spool()->map(pin.hash()))), "witness");
  EXPECT_EQ(spool->used_bytes(), 7U);
  EXPECT_EQ(spool->map(sha256({})).error().code(), Code::not_found);
  const PayloadPin empty = must(spool->put({}));
  EXPECT_EQ(must(spool->map(empty.hash())).size(), 0U);
}

TEST_F(SpoolTest, TheFolderIsItsOwnersAlone) {
  const auto mode_of = [](const std::string& file) {
    struct stat status{};
    return ::stat(file.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
  };
  open_spool();
  EXPECT_EQ(mode_of(path), 0700U);
  ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  const auto spool = open_spool();
  EXPECT_EQ(mode_of(path), 0700U) << "one that was there";
  EXPECT_EQ(mode_of(file_of(must(spool->put(text_bytes("payload"))).hash())), 0600U);
}

TEST_F(SpoolTest, AFolderOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, who can give a folder away";
  open_spool();
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_EQ(Spool::open({.folder = path}).error().code(), Code::invalid_argument);
}

TEST_F(SpoolTest, LinksAndPipesAreNoPayloads) {
  const auto spool = open_spool();
  const std::string payload = file_of(sha256(text_bytes("payload")));
  const std::string target = folder.file("target");
  std::ofstream(target) << "payload";
  std::filesystem::create_symlink(target, payload);
  EXPECT_EQ(spool->map(sha256(text_bytes("payload"))).error().code(), Code::malformed);
  std::ofstream(target) << "mine";
  must(spool->put(text_bytes("payload")));
  EXPECT_FALSE(std::filesystem::is_symlink(payload));
  EXPECT_EQ(std::filesystem::file_size(target), 4U) << "not followed";
  std::filesystem::remove(payload);
  ASSERT_EQ(::mkfifo(payload.c_str(), 0600), 0);
  must(spool->put(text_bytes("payload")));
  EXPECT_EQ(text_of(must(spool->map(sha256(text_bytes("payload"))))), "payload");
}

TEST_F(SpoolTest, TheSameBytesAreKeptOnce) {
  const auto spool = open_spool(10);
  const PayloadPin one = must(spool->put(text_bytes("1234567")));
  const PayloadPin two = must(spool->put(text_bytes("1234567")));
  EXPECT_EQ(spool->used_bytes(), 7U);
}

TEST_F(SpoolTest, AQuotaIsKept) {
  const auto spool = open_spool(10);
  {
    const PayloadPin pin = must(spool->put(text_bytes("1234567")));
    const auto refused = spool->put(text_bytes("abcd"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Code::exhausted);
    must(spool->put(text_bytes("abc")));
  }
  EXPECT_EQ(must(spool->collect(*journal)).bytes, 10U);
  EXPECT_EQ(spool->used_bytes(), 0U);
  must(spool->put(text_bytes("1234567890")));
  EXPECT_EQ(spool->put(std::vector<std::byte>(11)).error().code(), Code::exhausted);
}

TEST_F(SpoolTest, CollectsWhatNobodyNeeds) {
  const auto spool = open_spool();
  PayloadHash hash;
  Lease lease;
  {
    const PayloadPin pin = must(spool->put(text_bytes("payload")));
    hash = pin.hash();
    EXPECT_EQ(must(spool->collect(*journal)).files, 0U) << "pinned";
    lease = lease_with(hash);
  }
  EXPECT_EQ(must(spool->collect(*journal)).files, 0U) << "referred to";
  must(prove(*journal, lease, 1, "done"));
  must(journal->expire({}));
  const MappedFile mapped = must(spool->map(hash));
  EXPECT_EQ(must(spool->collect(*journal)).files, 1U);
  EXPECT_EQ(text_of(mapped), "payload") << "who reads it may go on";
  EXPECT_EQ(spool->map(hash).error().code(), Code::not_found);
}

TEST_F(SpoolTest, WhatIsYoungStays) {
  const auto spool = open_spool(0, seconds(3600));
  const PayloadHash hash = must(spool->put(text_bytes("payload"))).hash();
  EXPECT_EQ(must(spool->collect(*journal)).files, 0U);
  const timespec old[2] = {{.tv_sec = 1'000'000'000, .tv_nsec = 0}, {.tv_sec = 1'000'000'000, .tv_nsec = 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file_of(hash).c_str(), old, 0), 0);
  must(spool->put(text_bytes("payload")));  // again: young again
  EXPECT_EQ(must(spool->collect(*journal)).files, 0U);
  ASSERT_EQ(::utimensat(AT_FDCWD, file_of(hash).c_str(), old, 0), 0);
  EXPECT_EQ(must(spool->collect(*journal)).files, 1U);
}

TEST_F(SpoolTest, WhatEndedJobsReferredToGoesHoweverYoung) {
  const auto spool = open_spool(0, seconds(3600));
  const PayloadHash hash = must(spool->put(text_bytes("payload"))).hash();
  must(journal->fail_job(lease_with(hash), FailureClass::caller, "no"));
  const std::vector<PayloadHash> dropped = must(journal->expire({})).payloads;
  EXPECT_EQ(must(spool->collect(*journal, dropped)).files, 1U);
  EXPECT_EQ(spool->map(hash).error().code(), Code::not_found);
  EXPECT_EQ(spool->used_bytes(), 0U);
}

TEST_F(SpoolTest, PinsHoldForOtherProcessesToo) {
  const auto spool = open_spool();
  const auto other = open_spool();
  PayloadHash hash;
  {
    const PayloadPin first = must(other->put(text_bytes("payload")));
    hash = first.hash();
    {
      const PayloadPin second = must(other->put(text_bytes("payload")));
    }
    EXPECT_EQ(must(spool->collect(*journal)).files, 0U);
    EXPECT_EQ(must(open_spool()->collect(*journal)).files, 0U) << "one that was opened and closed has let nothing go";
    EXPECT_EQ(must(spool->collect(*journal)).files, 0U);
  }
  EXPECT_EQ(must(spool->collect(*journal)).files, 1U);
}

/// Whether somebody waits for a lock of the file (proc_locks(5)).
bool is_waited_for(const std::string& file) {
  struct stat status{};
  EXPECT_EQ(::stat(file.c_str(), &status), 0);
  const std::string inode = ":" + std::to_string(status.st_ino) + " ";
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    if (line.find("-> FLOCK") != std::string::npos && line.find(inode) != std::string::npos) return true;
  }
  return false;
}

TEST_F(SpoolTest, WhatIsAcceptedWhileItIsCollectedStays) {
  const auto spool = open_spool();
  const auto other = open_spool();
  std::optional<PayloadPin> pin = must(spool->put(text_bytes("payload")));
  const PayloadHash hash = pin->hash();
  FileDescriptor lock(::open((path + "/lock").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  std::jthread collector([&] { EXPECT_EQ(must(other->collect(*journal)).files, 0U); });
  EXPECT_TRUE(cuzk::test::eventually([&] { return is_waited_for(path + "/lock"); })) << "it has seen no reference";
  lease_with(hash);
  pin.reset();
  lock.close();
  collector.join();
  EXPECT_TRUE(spool->map(hash));
}

TEST_F(SpoolTest, DamageIsFoundAndRepairedByTheNextPut) {
  const auto spool = open_spool();
  const PayloadPin pin = must(spool->put(text_bytes("payload")));
  std::ofstream(file_of(pin.hash())) << "paxload";
  const auto damaged = spool->map(pin.hash());
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code(), Code::malformed);
  EXPECT_EQ(damaged.error().kind(), Kind::digest_mismatch);
  must(spool->put(text_bytes("payload")));
  EXPECT_EQ(text_of(must(spool->map(pin.hash()))), "payload");
}

TEST_F(SpoolTest, OtherFilesAreLeftAlone) {
  const auto spool = open_spool();
  const std::string hash = encode_hex(sha256({}));
  for (const std::string& name :
       {std::string("notes.txt"), std::string("notes.tmp"), std::string(64, 'A'), hash.substr(1), hash + "0"}) {
    std::ofstream(path + "/" + name) << "mine";
  }
  std::filesystem::create_directory(path + "/" + hash);
  const std::string abandoned = path + "/" + hash + ".0123456789abcdef.tmp";
  std::ofstream(abandoned) << "half";
  EXPECT_EQ(must(spool->collect(*journal)).files, 0U);
  EXPECT_FALSE(std::filesystem::exists(abandoned));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path), {}), 7) << "five files, the lock and a folder";
}

TEST_F(SpoolTest, PinsMoveAndOutliveTheSpool) {
  auto spool = open_spool();
  PayloadPin pin = must(spool->put(text_bytes("one")));
  PayloadPin other = must(spool->put(text_bytes("two")));
  pin = std::move(other);
  EXPECT_EQ(must(spool->collect(*journal)).bytes, 3U) << "the first is let go";
  spool.reset();
  const PayloadPin last = std::move(pin);
  EXPECT_EQ(last.hash(), sha256(text_bytes("two")));
}

TEST_F(SpoolTest, PutAndCollectAtOnce) {
  const auto spool = open_spool();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        const std::string text = "payload " + std::to_string((i + t) % 4);  // shared with the other threads
        const PayloadPin pin = must(spool->put(text_bytes(text)));
        EXPECT_EQ(text_of(must(spool->map(pin.hash()))), text);
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 60; ++i) must(spool->collect(*journal));
  });
  threads.clear();
  must(spool->collect(*journal));
  EXPECT_EQ(spool->used_bytes(), 0U);
}

TEST_F(SpoolTest, AFullDiskLeavesNothing) {
  journal.reset();  // no threads while a process is forked
  cuzk::test::ChildProcess child([&](const cuzk::test::ChildProcess::Say& say) {
    ::signal(SIGXFSZ, SIG_IGN);
    const auto spool = open_spool();
    const rlimit limit{.rlim_cur = 100'000, .rlim_max = RLIM_INFINITY};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("setrlimit");
    const auto refused = spool->put(std::vector<std::byte>(200'000));
    say(refused ? "stored" : std::string(to_string(refused.error().code())));
    say(std::to_string(spool->used_bytes()));
  });
  EXPECT_EQ(child.listen(), (std::vector<std::string>{"exhausted", "0"}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path), {}), 1) << "the lock alone";
}

TEST_F(SpoolTest, RefusesFoldersThatCannotBe) {
  EXPECT_EQ(Spool::open({.folder = ""}).error().code(), Code::invalid_argument);
  EXPECT_EQ(Spool::open({.folder = folder.file("no/spool")}).error().code(), Code::not_found);
  std::ofstream(folder.file("file")) << "x";
  EXPECT_FALSE(Spool::open({.folder = folder.file("file")}));
}

}  // namespace
}  // namespace cuzk::store
