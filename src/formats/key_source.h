// Where the bytes of a key file are, and what keeps them there.
//
// A key is used where it lies: views of it hold `owner`. From a mapped file, pages can be given back behind a pass over
// them, so that a key larger than memory is checked in bounded memory. Thread-safety: a value; read-only.
#pragma once

#include <memory>
#include <string>

#include "support/bytes.h"
#include "support/mapped_file.h"
#include "support/result.h"

namespace cuzk::formats {

class KeySource {
 public:
  /// Maps the file.
  static Result<KeySource> open(const std::string& path);
  explicit KeySource(std::shared_ptr<const MappedFile> file);
  /// Bytes in memory; `owner` may be null when the caller keeps them longer than every view.
  KeySource(Bytes bytes, std::shared_ptr<const void> owner) noexcept : bytes_(bytes), owner_(std::move(owner)) {}

  Bytes bytes() const noexcept { return bytes_; }
  const std::shared_ptr<const void>& owner() const noexcept { return owner_; }
  /// Empty for bytes in memory.
  std::string path() const { return mapped_ ? mapped_->path() : std::string(); }
  /// Null for bytes in memory.
  const MappedFile* mapped() const noexcept { return mapped_.get(); }
  /// The error with the file's name, if there is one.
  Error named(Error&& error) const;
  /// malformed / truncated when a mapped file was cut since it was opened.
  Status still_whole() const;

 private:
  Bytes bytes_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const MappedFile> mapped_;
};

}  // namespace cuzk::formats
