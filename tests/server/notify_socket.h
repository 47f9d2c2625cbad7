// What a service manager receives of this process: the datagrams at the socket that it names in the environment.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "support/file_descriptor.h"

namespace cuzk::server {

class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;
  ~NotifySocket() { ::unsetenv("NOTIFY_SOCKET"); }

  /// The next message; waits for it.
  std::string next() const { return receive(0); }
  /// Empty: none is there.
  std::string next_if_any() const { return receive(MSG_DONTWAIT); }
  /// Messages up to the first that contains the text.
  std::string until(const std::string& text) const {
    std::string all;
    while (all.find(text) == std::string::npos) all += next() + "\n";
    return all;
  }

 private:
  std::string receive(int flags) const {
    char message[4096];
    const ssize_t length = ::recv(socket_.get(), message, sizeof message, flags);
    return length <= 0 ? "" : std::string(message, static_cast<std::size_t>(length));
  }

  FileDescriptor socket_;
};

}  // namespace cuzk::server
