// MappedFile: a whole file, mapped read-only.
//
// The bytes are those of the file system's page cache: nothing is read before it is touched, and drop() gives pages
// back before the file is closed. An empty file is an empty span. Errors of open(): not_found (no such file, no
// permission), malformed (a directory or another thing that is no regular file), exhausted (address space or number of
// maps; the message names the limits). Behind the new end of a file that another process cuts short, a touch is SIGBUS,
// or reads zeros in a program that survives it (cut_files.h). still_whole() finds both; call it before long work and
// before a result is delivered. Thread-safety: const methods concurrently; move and end external. Spans die with the
// MappedFile they come from (moving it keeps them valid).
#pragma once

#include <cstdint>
#include <string>

#include "support/bytes.h"
#include "support/file_descriptor.h"
#include "support/result.h"

namespace cuzk {

class MappedFile {
 public:
  static Result<MappedFile> open(std::string path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  Bytes bytes() const noexcept { return {data_, size_}; }
  std::uint64_t size() const noexcept { return size_; }
  const std::string& path() const noexcept { return path_; }

  /// Hints for a part of bytes(); they may be ignored by the system and never fail.
  void advise_sequential(Bytes part) const noexcept;
  void advise_willneed(Bytes part) const noexcept;
  /// Takes the pages that lie wholly inside the part out of this process (its resident size); the next touch maps them
  /// again from the page cache or the disk.
  void drop(Bytes part) const noexcept;

  /// malformed / truncated when the file is shorter than it was mapped; for good, where zeros were read for it.
  Status still_whole() const;

 private:
  MappedFile(std::string path, FileDescriptor fd, const std::byte* data, std::size_t size) noexcept;
  void unmap() noexcept;

  std::string path_;
  FileDescriptor fd_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cuzk
