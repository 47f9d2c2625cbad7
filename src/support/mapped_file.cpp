#include "support/mapped_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/cut_files.h"
#include "support/os_error.h"

namespace cuzk {

namespace {

std::uintptr_t page_bytes() noexcept { return static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)); }

std::string address_space_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur) + " bytes";
}

Error map_error(int error_number, const std::string& path, std::uint64_t size) {
  Error error = os_error(error_number, "cannot map the " + std::to_string(size) + " bytes of " + path);
  if (error_number != ENOMEM) return error;
  return std::move(error).context("address space (RLIMIT_AS): " + address_space_limit() +
                                  ", maps per process: sysctl vm.max_map_count");
}

enum class Rounding { outward, inward };

/// Gives the advice for the pages of a part; a part without a page inside it (inward) has none.
void advise(Bytes part, int advice, Rounding rounding) noexcept {
  if (part.empty()) return;
  const std::uintptr_t page = page_bytes();
  auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  auto end = begin + part.size();
  if (rounding == Rounding::outward) {
    begin -= begin % page;
  } else {
    begin += (page - begin % page) % page;
    end -= end % page;
  }
  if (begin >= end) return;
  static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, advice));
}

Result<std::uint64_t> regular_file_size(int fd, const std::string& path) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return fail(os_error(errno, "cannot read the size of " + path));
  if (S_ISDIR(status.st_mode)) return fail(Code::malformed, path + " is a folder, expected a file");
  if (!S_ISREG(status.st_mode)) return fail(Code::malformed, path + " is no regular file and cannot be mapped");
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<MappedFile> MappedFile::open(std::string path) {
  // O_NONBLOCK: opening a pipe without a writer must not hang; it means nothing for a regular file.
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return fail(os_error(errno, "cannot open " + path));
  CUZK_TRY(const std::uint64_t size, regular_file_size(fd.get(), path));
  if (size == 0) return MappedFile(std::move(path), std::move(fd), nullptr, 0);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) return fail(map_error(errno, path, size));
  return MappedFile(std::move(path), std::move(fd), static_cast<const std::byte*>(data), size);
}

MappedFile::MappedFile(std::string path, FileDescriptor fd, const std::byte* data, std::size_t size) noexcept
    : path_(std::move(path)), fd_(std::move(fd)), data_(data), size_(size) {
  if (data_ != nullptr) watch_mapping(bytes());
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    path_ = std::move(other.path_);
    fd_ = std::move(other.fd_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

MappedFile::~MappedFile() { unmap(); }

void MappedFile::unmap() noexcept {
  if (data_ != nullptr) {
    forget_mapping(bytes());
    ::munmap(const_cast<std::byte*>(data_), size_);
  }
  data_ = nullptr;
  size_ = 0;
}

void MappedFile::advise_sequential(Bytes part) const noexcept { advise(part, MADV_SEQUENTIAL, Rounding::outward); }
void MappedFile::advise_willneed(Bytes part) const noexcept { advise(part, MADV_WILLNEED, Rounding::outward); }
void MappedFile::drop(Bytes part) const noexcept { advise(part, MADV_DONTNEED, Rounding::inward); }

Status MappedFile::still_whole() const {
  CUZK_TRY(const std::uint64_t now, regular_file_size(fd_.get(), path_));
  if (was_cut(bytes())) {
    return fail(Error(Code::malformed, Kind::truncated,
                      "a part of the file was missing when it was read: restore it and start again")
                    .in_file(path_));
  }
  if (now >= size_) return {};
  return fail(Error(Code::malformed, Kind::truncated, "the file was cut short while it was in use")
                  .at(Where{.file = path_,
                            .section = {},
                            .offset = now,
                            .expected = std::to_string(size_) + " bytes",
                            .found = std::to_string(now) + " bytes"}));
}

}  // namespace cuzk
