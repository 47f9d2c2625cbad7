// Writes an iden3 file section by section, streaming: lengths are filled in when a section ends.
//
// Order of calls: create, (begin, append..., end)..., commit. Errors: those of AtomicFile. Thread-safety: external.
#pragma once

#include <concepts>
#include <string>

#include "support/atomic_file.h"
#include "support/bytes.h"
#include "support/result.h"

namespace cuzk::formats {

class Iden3Writer {
 public:
  static Result<Iden3Writer> create(const std::string& path, std::string_view magic, std::uint32_t version,
                                    std::uint32_t num_sections);

  Status begin(std::uint32_t type);
  Status append(Bytes bytes) { return file_.append(bytes); }
  template <std::unsigned_integral T> Status append_le(T value) {
    std::byte raw[sizeof(T)];
    store_le(raw, value);
    return append(raw);
  }
  Status end();
  Status commit() { return file_.commit(); }

 private:
  explicit Iden3Writer(AtomicFile file) noexcept : file_(std::move(file)) {}

  AtomicFile file_;
  std::uint64_t length_at_ = 0;
};

}  // namespace cuzk::formats
