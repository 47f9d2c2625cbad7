// FileDescriptor: owner of a file descriptor of the operating system; closes it when it ends.
//
// Thread-safety: a value; external.
#pragma once

#include <utility>

namespace cuzk {

class FileDescriptor {
 public:
  FileDescriptor() noexcept = default;
  /// Takes ownership; a negative number is no file.
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

  /// Closes now; returns the errno of close(2), or 0.
  int close() noexcept;

 private:
  int fd_ = -1;
};

}  // namespace cuzk
