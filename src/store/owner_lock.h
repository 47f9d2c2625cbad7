// OwnerLock: a file "<journal>.owner.<name>" that is locked while its process lives, so that others on this machine
// see at once when it has died.
//
// The lock is flock(2)'s: the kernel drops it with the process, however that ends. Thread-safety: external; is_gone
// concurrently.
#pragma once

#include <string>
#include <string_view>

#include "support/file_descriptor.h"
#include "support/result.h"

namespace cuzk::store {

class OwnerLock {
 public:
  /// Takes a name that nobody has, "<prefix>-<16 random hexadecimal digits>", and removes the files of the dead.
  static Result<OwnerLock> take(const std::string& journal, const std::string& prefix);

  OwnerLock(OwnerLock&&) noexcept = default;
  OwnerLock& operator=(OwnerLock&&) = delete;
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;
  /// Removes the file.
  ~OwnerLock();

  const std::string& name() const noexcept { return name_; }

  /// Whether no process holds the name; where that cannot be found out, it is held. Removes the file of the dead.
  static bool is_gone(const std::string& journal, std::string_view name);

 private:
  static void sweep(const std::string& journal);
  OwnerLock(std::string path, std::string name, FileDescriptor fd) noexcept
      : path_(std::move(path)), name_(std::move(name)), fd_(std::move(fd)) {}

  std::string path_;
  std::string name_;
  FileDescriptor fd_;
};

}  // namespace cuzk::store
