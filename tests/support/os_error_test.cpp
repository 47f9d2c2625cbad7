#include "support/os_error.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

TEST(OsError, MapsErrnoToCodes) {
  EXPECT_EQ(os_error(ENOENT, "x").code(), Code::not_found);
  EXPECT_EQ(os_error(EACCES, "x").code(), Code::not_found);
  EXPECT_EQ(os_error(ENOSPC, "x").code(), Code::exhausted);
  EXPECT_EQ(os_error(ENOMEM, "x").code(), Code::exhausted);
  EXPECT_EQ(os_error(EROFS, "x").code(), Code::invalid_argument);
  EXPECT_EQ(os_error(EIO, "x").code(), Code::unavailable);
}

TEST(OsError, SaysWhatWasDoneAndWhy) {
  EXPECT_EQ(os_error(ENOENT, "cannot open a/b").to_string(), "cannot open a/b: No such file or directory");
}

}  // namespace
}  // namespace cuzk
