// ChildProcess: a process forked from a test, that runs a function, writes lines to a pipe, and may be killed.
//
// The parent must have no other threads (no open journal) when it forks.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>

#include "support/file_descriptor.h"

namespace cuzk::test {

class ChildProcess {
 public:
  /// Writes one line to the parent, at once and whole (a write of less than PIPE_BUF).
  using Say = std::function<void(const std::string&)>;

  explicit ChildProcess(const std::function<void(const Say&)>& body) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    read_end_ = FileDescriptor(ends[0]);
    FileDescriptor write_end(ends[1]);
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) run(body, write_end.get());
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { kill(); }

  /// Lines said until `limit` of them have come, the child has ended, or nothing came for the time given.
  std::vector<std::string> listen(std::size_t limit = SIZE_MAX, int timeout_ms = 60'000) {
    std::vector<std::string> lines;
    while (lines.size() < limit) {
      if (const std::size_t end = text_.find('\n'); end != std::string::npos) {
        lines.push_back(text_.substr(0, end));
        text_.erase(0, end + 1);
      } else if (!read_more(timeout_ms)) {
        break;
      }
    }
    return lines;
  }

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    (void)wait();
  }

  /// Exit status, or minus the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  [[noreturn]] static void run(const std::function<void(const Say&)>& body, int out) {
    int status = 0;
    try {
      body([out](const std::string& line) {
        const std::string text = line + "\n";
        if (::write(out, text.data(), text.size()) < 0) ::_exit(3);
      });
    } catch (const std::exception& e) {
      const std::string text = std::string("! ") + e.what() + "\n";
      status = ::write(out, text.data(), text.size()) < 0 ? 3 : 2;
    }
    ::_exit(status);
  }

  bool read_more(int timeout_ms) {
    pollfd ready{.fd = read_end_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, timeout_ms) <= 0) return false;
    char bytes[4096];
    const ssize_t count = ::read(read_end_.get(), bytes, sizeof bytes);
    if (count <= 0) return false;
    text_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  pid_t pid_ = 0;
  FileDescriptor read_end_;
  std::string text_;
};

}  // namespace cuzk::test
