// AtomicFile: a file that appears under its name complete, or not at all.
//
// Bytes go to a file without a name in the same folder; commit() writes them through to the disk, names the file,
// renames it over `path` and makes the rename durable. Ended without commit(), or with the process, nothing is left of
// it. Where the file system has no files without names (NFS; Linux: O_TMPFILE), a killed process leaves
// "<path>.<random>.tmp" behind. Mode of the file: 0644 less the umask. A symbolic link stays, its target is replaced.
// An existing `path` that is no regular file and no folder (/dev/null, a pipe, a terminal as /dev/stdout) is written to
// directly; there, nothing can be taken back and write_at() is refused.
// Errors: invalid_argument ("-", a folder, /dev/stdout and its like when they lead to a regular file), not_found (the
// folder), exhausted (disk full, quota, file too large). After a failed write the file is broken: commit() then fails
// too. Errors name `path` as their file. Thread-safety: external. Memory: one buffer of 1 MiB.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/bytes.h"
#include "support/file_descriptor.h"
#include "support/result.h"

namespace cuzk {

class AtomicFile {
 public:
  static Result<AtomicFile> create(std::string path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Takes room on the disk for a file of this many bytes, so that a full disk is told before the work and not after
  /// it: exhausted, with the bytes needed and those free. Where the file system reserves nothing, what is free is
  /// compared. What was not written is given back by settle().
  Status reserve(std::uint64_t bytes);
  /// Adds bytes at the end.
  Status append(Bytes bytes);
  /// Overwrites bytes that were appended before (section lengths that are known only later): offset + size <=
  /// position().
  Status write_at(std::uint64_t offset, Bytes bytes);
  /// Number of bytes appended so far.
  std::uint64_t position() const noexcept { return flushed_ + buffer_.size(); }

  /// Writes all through to the disk, so that little is left that could fail in commit(): for files that must appear
  /// together, settle() each first. Nothing may be written afterwards.
  Status settle();
  /// Makes the file appear (settled or not). At most once; nothing may be written afterwards.
  Status commit();

 private:
  enum class State {
    nameless,   // to be named `temporary_`, then renamed
    temporary,  // lies under the name `temporary_`
    direct,     // written as it is: a device or a pipe
    committed,
  };

  AtomicFile(std::string path, std::string temporary, FileDescriptor fd, State state);
  Status name();
  Status flush();
  Status write_all(Bytes bytes);
  Status failed(int error_number, std::string_view doing);

  std::string path_;
  std::string temporary_;
  FileDescriptor fd_;
  std::vector<std::byte> buffer_;
  std::uint64_t flushed_ = 0;
  std::uint64_t reserved_ = 0;
  State state_;
  bool broken_ = false;
};

/// The whole of a small file at once.
Status write_file_atomically(std::string path, Bytes bytes);

}  // namespace cuzk
