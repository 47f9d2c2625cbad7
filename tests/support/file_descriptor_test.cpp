#include "support/file_descriptor.h"

#include <fcntl.h>

#include <cerrno>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(FileDescriptor, ClosesWhatItOwnsOnce) {
  const int first = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int second = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  {
    FileDescriptor a(first);
    FileDescriptor b(std::move(a));
    EXPECT_FALSE(a);
    EXPECT_EQ(b.get(), first);
    b = FileDescriptor(second);
    EXPECT_FALSE(is_open(first));
    EXPECT_TRUE(is_open(second));
  }
  EXPECT_FALSE(is_open(second));
}

TEST(FileDescriptor, ReportsTheErrorOfClose) {
  FileDescriptor none;
  EXPECT_EQ(none.close(), 0);
  FileDescriptor open(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(open.close(), 0);
  FileDescriptor wrong(1 << 20);  // far above any limit on open files: never a file
  EXPECT_EQ(wrong.close(), EBADF);
}

}  // namespace
}  // namespace cuzk
