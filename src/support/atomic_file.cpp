#include "support/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "support/checked.h"
#include "support/hex.h"
#include "support/os_error.h"
#include "support/random.h"

namespace cuzk {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr mode_t kMode = 0644;

/// Names that lead to whatever an open file of this process is: replacing that by a rename is not what was meant.
bool names_open_file(std::string_view path) noexcept {
  return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Where a symbolic link leads to, also when nothing is there yet; the path itself where it is none.
std::string link_target(const std::string& path) {
  struct Free {
    void operator()(char* text) const noexcept { std::free(text); }  // realpath(3) allocates with malloc
  };
  const std::unique_ptr<char, Free> target(::realpath(path.c_str(), nullptr));
  if (target) return target.get();
  std::array<char, PATH_MAX> text;
  const ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
  if (length <= 0) return path;
  const std::string_view link(text.data(), static_cast<std::size_t>(length));
  return link.front() == '/' ? std::string(link) : folder_of(path) + "/" + std::string(link);
}

Result<std::string> temporary_name(const std::string& path) {
  std::array<std::byte, 8> tag;
  CUZK_CHECK_OK(fill_random(tag));
  return path + "." + encode_hex(tag) + ".tmp";
}

/// The name under /proc by which an open file without a name can get one.
std::string name_of_descriptor(const FileDescriptor& fd) { return "/proc/self/fd/" + std::to_string(fd.get()); }

/// A file in the folder that has no name yet, so that nothing is left of it however the process ends; none where the
/// file system, or a missing /proc, does not allow it.
FileDescriptor open_nameless(const std::string& folder) {
  FileDescriptor fd(::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kMode));
  if (fd && ::access(name_of_descriptor(fd).c_str(), F_OK) != 0) return FileDescriptor();
  return fd;
}

/// Makes a rename in the folder durable; file systems that cannot sync a folder say EINVAL.
Status sync_folder(const std::string& folder) {
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || (::fsync(fd.get()) != 0 && errno != EINVAL)) return fail(os_error(errno, "cannot sync folder " + folder));
  return {};
}

/// Calls write() until all is written; write gets what is left and returns what write(2) returns.
template <class Write> int write_fully(Bytes bytes, Write write) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = write(bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

/// What this process may still write there; no limit where the file system does not say.
std::uint64_t free_bytes(int fd) noexcept {
  struct statvfs disk{};
  std::uint64_t free = std::numeric_limits<std::uint64_t>::max();
  if (::fstatvfs(fd, &disk) == 0) free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    free = std::min<std::uint64_t>(free, limit.rlim_cur);
  return free;
}

/// Blocks for the file behind `fd`, whose size stays; 0 or the number of the error.
int allocate(int fd, std::uint64_t bytes) noexcept {
  int error = 0;
  do {
    error = ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  } while (error == EINTR);
  return error;
}

}  // namespace

Result<AtomicFile> AtomicFile::create(std::string path) {
  if (path.empty() || path == "-") return fail(Code::invalid_argument, "'" + path + "' is no name of an output file");
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return fail(Code::invalid_argument, path + " is a folder, expected a file");
  if (exists && !S_ISREG(status.st_mode)) {
    FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) return fail(os_error(errno, "cannot open " + path).in_file(path));
    return AtomicFile(std::move(path), {}, std::move(fd), State::direct);
  }
  if (names_open_file(path)) return fail(Code::invalid_argument, path + " leads to a file: give the file's own name");
  path = link_target(path);
  CUZK_TRY(std::string temporary, temporary_name(path));
  FileDescriptor fd = open_nameless(folder_of(path));
  if (fd) {
    // What the name lacks is said now, not when the work is done.
    if (::lstat(temporary.c_str(), &status) != 0 && errno != ENOENT)
      return fail(os_error(errno, "cannot create " + path).in_file(path));
    return AtomicFile(std::move(path), std::move(temporary), std::move(fd), State::nameless);
  }
  fd = FileDescriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!fd) return fail(os_error(errno, "cannot create " + path).in_file(path));
  return AtomicFile(std::move(path), std::move(temporary), std::move(fd), State::temporary);
}

AtomicFile::AtomicFile(std::string path, std::string temporary, FileDescriptor fd, State state)
    : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)), state_(state) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::move(other.fd_)),
      buffer_(std::move(other.buffer_)),
      flushed_(other.flushed_),
      reserved_(other.reserved_),
      state_(std::exchange(other.state_, State::committed)),
      broken_(other.broken_) {}

AtomicFile::~AtomicFile() {
  if (state_ == State::temporary) ::unlink(temporary_.c_str());
}

Status AtomicFile::failed(int error_number, std::string_view doing) {
  broken_ = true;
  return fail(os_error(error_number, std::string(doing) + " " + path_).in_file(path_));
}

Status AtomicFile::write_all(Bytes bytes) {
  const int error =
      write_fully(bytes, [&](Bytes rest) noexcept { return ::write(fd_.get(), rest.data(), rest.size()); });
  if (error != 0) return failed(error, "cannot write");
  flushed_ += bytes.size();
  return {};
}

Status AtomicFile::flush() {
  CUZK_CHECK_OK(write_all(buffer_));
  buffer_.clear();
  return {};
}

Status AtomicFile::reserve(std::uint64_t bytes) {
  CUZK_REQUIRE(fd_);
  if (state_ == State::direct || bytes == 0) return {};
  const std::uint64_t free = free_bytes(fd_.get());  // before: a failed allocation may have taken part of it
  const int error = allocate(fd_.get(), bytes);
  if (error == 0) reserved_ = bytes;
  if (free >= bytes && error != ENOSPC && error != EDQUOT && error != EFBIG) return {};
  return fail(Error(Code::exhausted, "no room on the disk for " + path_)
                  .at({.file = path_,
                       .section = {},
                       .offset = 0,
                       .expected = std::to_string(bytes) + " bytes",
                       .found = std::to_string(free) + " bytes free"}));
}

Status AtomicFile::append(Bytes bytes) {
  CUZK_REQUIRE(fd_);
  if (broken_) return fail(Code::unavailable, "an earlier write to " + path_ + " has failed");
  if (bytes.size() >= kBufferBytes || buffer_.size() + bytes.size() > kBufferBytes) CUZK_CHECK_OK(flush());
  if (bytes.size() >= kBufferBytes) return write_all(bytes);
  if (buffer_.capacity() == 0) buffer_.reserve(kBufferBytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Status AtomicFile::write_at(std::uint64_t offset, Bytes bytes) {
  CUZK_REQUIRE(fd_);
  if (broken_) return fail(Code::unavailable, "an earlier write to " + path_ + " has failed");
  if (state_ == State::direct)
    return fail(Code::invalid_argument, path_ + " is written front to back: nothing can be overwritten");
  const auto end = checked_add(offset, bytes.size());
  CUZK_REQUIRE(end && *end <= position());
  CUZK_CHECK_OK(flush());
  const int error = write_fully(bytes, [&](Bytes rest) noexcept {
    const std::uint64_t at = offset + (bytes.size() - rest.size());
    return ::pwrite(fd_.get(), rest.data(), rest.size(), static_cast<off_t>(at));
  });
  if (error != 0) return failed(error, "cannot write");
  return {};
}

Status AtomicFile::settle() {
  CUZK_REQUIRE(fd_);
  if (broken_) return fail(Code::unavailable, "an earlier write to " + path_ + " has failed");
  CUZK_CHECK_OK(flush());
  if (reserved_ > flushed_ && ::ftruncate(fd_.get(), static_cast<off_t>(flushed_)) != 0)
    return failed(errno, "cannot give back the rest of");
  if (state_ != State::direct && ::fsync(fd_.get()) != 0) return failed(errno, "cannot sync");
  return {};
}

Status AtomicFile::commit() {
  CUZK_CHECK_OK(settle());
  if (state_ == State::nameless) CUZK_CHECK_OK(name());
  if (const int error = fd_.close(); error != 0) return failed(error, "cannot close");
  if (state_ == State::direct) return {};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failed(errno, "cannot rename to");
  state_ = State::committed;
  return sync_folder(folder_of(path_));
}

Status AtomicFile::name() {
  if (::linkat(AT_FDCWD, name_of_descriptor(fd_).c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    return failed(errno, "cannot name");
  }
  state_ = State::temporary;
  return {};
}

Status write_file_atomically(std::string path, Bytes bytes) {
  CUZK_TRY(AtomicFile file, AtomicFile::create(std::move(path)));
  CUZK_CHECK_OK(file.append(bytes));
  return file.commit();
}

}  // namespace cuzk
