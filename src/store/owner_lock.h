// OwnerLock: a file "<journal>.owner.<name>" that is locked while its process lives, so that others on this machine
// see at once when it has died.
//
// The lock is flock(2)'s: the kernel drops it with the process, however that ends. A process that dies of itself leaves
// a word in the file (support/death_note.h), and the file stays for a day. Thread-safety: external; what is static
// concurrently.
#pragma once

#include <string>
#include <string_view>

#include "support/death_note.h"
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
  /// Removes the file, if there is no word in it.
  ~OwnerLock();

  const std::string& name() const noexcept { return name_; }

  /// Whether no process holds the name; where that cannot be found out, it is held. Removes the file of the dead.
  static bool is_gone(const std::string& journal, std::string_view name);
  /// Of one that is gone: whether it died of a signal of its own making. False where nobody knows any more.
  static bool died_of_itself(const std::string& journal, std::string_view name);

 private:
  static void sweep(const std::string& journal);
  OwnerLock(std::string path, std::string name, FileDescriptor fd) noexcept
      : path_(std::move(path)), name_(std::move(name)), fd_(std::move(fd)), note_(fd_.get()) {}

  std::string path_;
  std::string name_;
  FileDescriptor fd_;
  DeathNote note_;
};

}  // namespace cuzk::store
