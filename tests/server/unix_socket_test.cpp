#include "server/unix_socket.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::server {
namespace {

using test::must;

/// Listens at the path.
FileDescriptor listener(const std::string& path) {
  FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(listen(fd.get(), 4), 0);
  return fd;
}

class UnixSocketTest : public ::testing::Test {
 protected:
  const test::TemporaryFolder folder;
  const std::string path = folder.file("run/cuzk.sock");
};

TEST_F(UnixSocketTest, IsMovedIntoPlaceWithItsMode) {
  {
    SocketPlace place = must(SocketPlace::claim(path, 0620, ""));
    const FileDescriptor bound = listener(place.bind_path());
    EXPECT_FALSE(std::filesystem::exists(path));
    must(place.publish());
    struct stat found{};
    ASSERT_EQ(lstat(path.c_str(), &found), 0);
    EXPECT_TRUE(S_ISSOCK(found.st_mode));
    EXPECT_EQ(found.st_mode & 0777U, 0620U);
    EXPECT_EQ(SocketPlace::claim(path, 0660, "").error().code(), Code::conflict);  // of ours: by the lock
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "run")) {
    left.push_back(entry.path().filename().string());
  }
  EXPECT_EQ(left, std::vector<std::string>{"cuzk.sock.lock"});
}

TEST_F(UnixSocketTest, fault_A25_ALiveSocketIsNotTaken) {
  std::filesystem::create_directory(folder.path() / "run");
  const FileDescriptor other = listener(path);
  const auto claimed = SocketPlace::claim(path, 0660, "");
  ASSERT_FALSE(claimed);
  EXPECT_EQ(claimed.error().code(), Code::conflict);
  EXPECT_TRUE(std::filesystem::is_socket(path));
}

TEST_F(UnixSocketTest, APlaceThatWasLostIsTakenAgain) {
  const auto mode = [&] {
    struct stat found{};
    return lstat(path.c_str(), &found) == 0 ? found.st_mode & 0777U : 0U;
  };
  SocketPlace place = must(SocketPlace::claim(path, 0620, ""));
  EXPECT_FALSE(place.is_there());
  const FileDescriptor bound = listener(place.bind_path());
  must(place.publish());
  EXPECT_TRUE(place.is_there());
  std::filesystem::remove_all(folder.path() / "run");
  EXPECT_FALSE(place.is_there());
  must(place.renew());
  const FileDescriptor again = listener(place.bind_path());
  must(place.publish());
  EXPECT_TRUE(place.is_there());
  EXPECT_EQ(mode(), 0620U);

  std::filesystem::remove(path);
  {
    const FileDescriptor other = listener(path);
    EXPECT_FALSE(place.is_there());
    EXPECT_EQ(place.renew().error().code(), Code::conflict);
  }
  must(place.renew());  // a dead one
}

TEST_F(UnixSocketTest, ADeadSocketIsReplaced) {
  std::filesystem::create_directory(folder.path() / "run");
  listener(path).close();
  ASSERT_TRUE(std::filesystem::is_socket(path));
  SocketPlace place = must(SocketPlace::claim(path, 0660, ""));
  const FileDescriptor bound = listener(place.bind_path());
  must(place.publish());
  EXPECT_TRUE(std::filesystem::is_socket(path));
}

TEST_F(UnixSocketTest, fault_A25_WhatIsNoSocketStays) {
  std::filesystem::create_directory(folder.path() / "run");
  std::ofstream(path) << "precious";
  const auto claimed = SocketPlace::claim(path, 0660, "");
  ASSERT_FALSE(claimed);
  EXPECT_EQ(claimed.error().code(), Code::invalid_argument);
  EXPECT_EQ(std::filesystem::file_size(path), 8U);
}

TEST_F(UnixSocketTest, ImpossiblePathsAndGroupsAreTold) {
  EXPECT_EQ(SocketPlace::claim(folder.file(std::string(120, 'x')), 0660, "").error().code(), Code::invalid_argument);
  EXPECT_EQ(SocketPlace::claim(path, 0660, "no such group").error().code(), Code::invalid_argument);
}

}  // namespace
}  // namespace cuzk::server
