#include "store/owner_lock.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>

#include <sys/file.h>
#include <sys/stat.h>

#include "support/hex.h"
#include "support/os_error.h"
#include "support/random.h"

namespace cuzk::store {

namespace {

bool is_plain(std::string_view name) noexcept {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), plain);
}

std::string path_of(const std::string& journal, std::string_view name) {
  return journal + ".owner." + std::string(name);
}

/// Whether the name still leads to the file that was opened.
bool is_still(const std::string& path, const FileDescriptor& fd) noexcept {
  struct stat named{};
  struct stat opened{};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(fd.get(), &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

/// For a day: by then whoever takes its jobs over has looked.
bool has_word(const FileDescriptor& fd) noexcept {
  constexpr std::time_t kDay = 24 * 60 * 60;
  struct stat status{};
  return ::fstat(fd.get(), &status) == 0 && status.st_size > 0 && std::time(nullptr) - status.st_mtime < kDay;
}

}  // namespace

Result<OwnerLock> OwnerLock::take(const std::string& journal, const std::string& prefix) {
  if (!is_plain(prefix) || prefix.size() > 100) {
    return fail(Code::invalid_argument,
                "'" + prefix + "' is no name of an owner: letters, digits and '-', at most 100");
  }
  sweep(journal);
  for (;;) {  // ends: a sweeper that meets a fresh file in the moment before it is locked does not do so for ever
    std::array<std::byte, 8> tag;
    CUZK_CHECK_OK(fill_random(tag));
    std::string name = prefix + "-" + encode_hex(tag);
    std::string path = path_of(journal, name);
    FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) return fail(os_error(errno, "cannot create " + path));
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) continue;
      return fail(os_error(errno, "cannot lock " + path));
    }
    if (is_still(path, fd)) return OwnerLock(std::move(path), std::move(name), std::move(fd));
  }
}

void OwnerLock::sweep(const std::string& journal) {
  const std::size_t slash = journal.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : journal.substr(0, slash + 1);
  const std::string start = path_of(slash == std::string::npos ? journal : journal.substr(slash + 1), "");
  struct Close {
    void operator()(DIR* stream) const noexcept { ::closedir(stream); }
  };
  const std::unique_ptr<DIR, Close> stream(::opendir(folder.c_str()));
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name.starts_with(start)) (void)is_gone(journal, name.substr(start.size()));
  }
}

OwnerLock::~OwnerLock() {
  if (fd_ && !has_word(fd_)) ::unlink(path_.c_str());
}

bool OwnerLock::is_gone(const std::string& journal, std::string_view name) {
  if (!is_plain(name)) return false;  // not written by us: its lease has to end by time
  const std::string path = path_of(journal, name);
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return errno == ENOENT;
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0) return false;
  if (!has_word(fd)) ::unlink(path.c_str());
  return true;
}

bool OwnerLock::died_of_itself(const std::string& journal, std::string_view name) {
  if (!is_plain(name)) return false;
  const FileDescriptor fd(::open(path_of(journal, name).c_str(), O_RDONLY | O_CLOEXEC));
  return fd && has_word(fd);
}

}  // namespace cuzk::store
