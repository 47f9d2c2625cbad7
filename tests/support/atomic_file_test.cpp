#include "support/atomic_file.h"

#include <fcntl.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/support/temporary_folder.h"
#include "tests/support/vectors.h"

namespace cuzk {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
  }

  test::TemporaryFolder folder;
  const std::string path = folder.file("out");
};

TEST_F(AtomicFileTest, AppearsOnlyWithCommit) {
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(text_bytes("proof")));
  EXPECT_EQ(file->position(), 5U);
  EXPECT_FALSE(fs::exists(path));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(test::read_text(path), "proof");
  EXPECT_EQ(files_in_folder(), 1U) << "no temporary file is left";
}

TEST_F(AtomicFileTest, HasNoNameBeforeCommit) {
  const FileDescriptor nameless(::open(folder.path().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0644));
  if (!nameless) GTEST_SKIP() << "the file system has no files without names";
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(text_bytes("proof")));
  ASSERT_TRUE(file->settle());
  EXPECT_EQ(files_in_folder(), 0U) << "a process that is killed now leaves this behind";
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(test::read_text(path), "proof");
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  ASSERT_TRUE(write_file_atomically(path, text_bytes("old")));
  {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append(text_bytes("new")));
    const AtomicFile moved = *std::move(file);
  }
  EXPECT_EQ(test::read_text(path), "old");
  EXPECT_EQ(files_in_folder(), 1U);
  ASSERT_TRUE(write_file_atomically(path, text_bytes("new")));
  EXPECT_EQ(test::read_text(path), "new");
}

TEST_F(AtomicFileTest, ModeFollowsTheUmask) {
  const mode_t former = ::umask(027);
  const Status written = write_file_atomically(path, {});
  ::umask(former);
  ASSERT_TRUE(written);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(status.st_size, 0);
}

TEST_F(AtomicFileTest, KeepsSymbolicLinks) {
  const std::string target = folder.file("target");
  ASSERT_TRUE(write_file_atomically(target, text_bytes("old")));
  fs::create_symlink("target", path);
  ASSERT_TRUE(write_file_atomically(path, text_bytes("new")));
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_EQ(test::read_text(target), "new");
}

TEST_F(AtomicFileTest, OverwritesEarlierBytes) {
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(text_bytes("length?body")));
  ASSERT_TRUE(file->write_at(6, text_bytes("4")));
  ASSERT_TRUE(file->append(text_bytes("!")));
  ASSERT_TRUE(file->write_at(0, text_bytes("LENGTH")));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(test::read_text(path), "LENGTH4body!");
}

TEST_F(AtomicFileTest, BuffersWithoutChangingOrder) {
  const bool holds = rc::check("any sequence of sizes", [this] {
    const auto sizes = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::element<std::size_t>(0, 1, 1000, (1U << 20) - 1, 1U << 20, (1U << 20) + 1));
    std::string expected;
    auto file = AtomicFile::create(path);
    RC_ASSERT(file.has_value());
    for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), 6); ++i) {
      const std::string piece(sizes[i], static_cast<char>('a' + i));
      expected += piece;
      RC_ASSERT(file->append(text_bytes(piece)).has_value());
      RC_ASSERT(file->position() == expected.size());
    }
    RC_ASSERT(file->commit().has_value());
    RC_ASSERT(test::read_text(path) == expected);
  });
  EXPECT_TRUE(holds);
}

TEST_F(AtomicFileTest, RefusesNamesThatAreNoFile) {
  for (const std::string& name : {std::string("-"), std::string(), folder.path().string()}) {
    const auto file = AtomicFile::create(name);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code(), Code::invalid_argument);
  }
  const auto orphan = AtomicFile::create(folder.file("no/such/folder"));
  ASSERT_FALSE(orphan);
  EXPECT_EQ(orphan.error().code(), Code::not_found);
  ASSERT_NE(orphan.error().where(), nullptr);
  EXPECT_EQ(orphan.error().where()->file, folder.file("no/such/folder"));
  const auto too_long = AtomicFile::create(folder.file(std::string(300, 'n')));
  ASSERT_FALSE(too_long) << "before anything was written";
  EXPECT_EQ(too_long.error().code(), Code::not_found);
}

TEST_F(AtomicFileTest, RefusesAnOpenRegularFileUnderADeviceName) {
  ASSERT_TRUE(write_file_atomically(path, text_bytes("old")));
  const FileDescriptor open(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const auto file = AtomicFile::create("/dev/fd/" + std::to_string(open.get()));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), Code::invalid_argument);
}

TEST_F(AtomicFileTest, WritesStraightToDevices) {
  auto file = AtomicFile::create("/dev/null");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(text_bytes("gone")));
  const Status patched = file->write_at(0, text_bytes("G"));
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().code(), Code::invalid_argument);
  ASSERT_TRUE(file->commit());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, AFullDiskIsExhausted) {
  auto file = AtomicFile::create("/dev/full");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(text_bytes("x")));  // stays in the buffer
  const Status committed = file->commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code(), Code::exhausted);
  EXPECT_FALSE(file->append(text_bytes("y")));
}

TEST_F(AtomicFileTest, RoomThatWasNotUsedIsGivenBack) {
  constexpr std::uint64_t kReserved = std::uint64_t{8} << 20;
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->reserve(kReserved));
  EXPECT_EQ(file->position(), 0U);
  ASSERT_TRUE(file->append(text_bytes("proof")));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(test::read_text(path), "proof");
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_LT(static_cast<std::uint64_t>(status.st_blocks) * 512, kReserved);
}

TEST_F(AtomicFileTest, MoreRoomThanTheDiskHasIsExhausted) {
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  const Status reserved = file->reserve(std::uint64_t{1} << 60);
  ASSERT_FALSE(reserved);
  EXPECT_EQ(reserved.error().code(), Code::exhausted);
  ASSERT_NE(reserved.error().where(), nullptr);
  EXPECT_EQ(reserved.error().where()->file, path);
  EXPECT_EQ(reserved.error().where()->expected, "1152921504606846976 bytes");
  EXPECT_TRUE(reserved.error().where()->found.ends_with(" bytes free")) << reserved.error().to_string();
  auto device = AtomicFile::create("/dev/null");
  ASSERT_TRUE(device);
  EXPECT_TRUE(device->reserve(std::uint64_t{1} << 60));
}

TEST_F(AtomicFileTest, AfterAFailedWriteNothingAppears) {
  const auto ignore = std::signal(SIGXFSZ, SIG_IGN);  // the limit answers EFBIG instead
  rlimit former{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &former), 0);
  const rlimit limit{1000, former.rlim_max};
  Status appended;
  Status committed;
  {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    appended = file->append(std::vector<std::byte>(std::size_t{2} << 20));
    committed = file->commit();
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &former), 0);
  }
  std::signal(SIGXFSZ, ignore);
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code(), Code::exhausted);
  EXPECT_FALSE(committed);
  EXPECT_EQ(files_in_folder(), 0U);
}

}  // namespace
}  // namespace cuzk
