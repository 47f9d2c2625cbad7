#include "support/death_note.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "support/file_descriptor.h"
#include "tests/support/temporary_folder.h"

namespace cuzk {
namespace {

class DeathNoteFile : public ::testing::Test {
 protected:
  std::string words() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  FileDescriptor open() const { return FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)); }

  /// What a process that keeps a note leaves behind, by how it ends.
  int status_of_one_that(void (*ends)()) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit no_core{0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      const FileDescriptor fd = open();
      const DeathNote note(fd.get());
      DeathNote::write_on_fatal_signals();
      ends();
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }

  const cuzk::test::TemporaryFolder folder;
  const std::string path = folder.file("note");
};

TEST_F(DeathNoteFile, HasTheSignalThatAProcessDiedOf) {
  const int status = status_of_one_that([] { std::abort(); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  EXPECT_EQ(words(), "06");
}

TEST_F(DeathNoteFile, IsEmptyAfterAKill) {
  const int status = status_of_one_that([] { ::raise(SIGKILL); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_EQ(words(), "");
}

TEST_F(DeathNoteFile, IsNotWrittenWhenItIsDropped) {
  const FileDescriptor fd = open();
  {
    std::optional<DeathNote> note(fd.get());
    const DeathNote moved(std::move(*note));
    note.reset();
    DeathNote::write_all(SIGBUS);
  }
  DeathNote::write_all(SIGSEGV);
  EXPECT_EQ(words(), "07");
}

TEST_F(DeathNoteFile, BeyondTheMostIsNotKept) {
  const FileDescriptor fd = open();
  std::vector<DeathNote> notes;
  notes.reserve(DeathNote::kNotes + 2);
  for (std::size_t i = 0; i < DeathNote::kNotes + 2; ++i) notes.emplace_back(fd.get());
  DeathNote::write_all(SIGFPE);
  EXPECT_EQ(words().size(), 2 * DeathNote::kNotes);
}

}  // namespace
}  // namespace cuzk
