// The container of the iden3 files (.r1cs, .wtns, .zkey): a magic, a version, and typed sections back to back.
//
//   4 bytes magic | u32 version | u32 number of sections | sections: u32 type, u64 length, bytes; little-endian
//
// Sections come in any order and start at any address. parse() reads the table and nothing else: it is bounded by
// kMaxSections, and allocates by no number of the file. Page: docs/formats/iden3-container.md.
// Errors (malformed): truncated, bad_magic, bad_version, bad_count (sections), duplicate_section, trailing_bytes,
// unsupported_section, missing_section. Where.section is the section's number; empty for the container itself.
// Thread-safety: const methods concurrently; spans point into the bytes that were parsed.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "support/bytes.h"
#include "support/reader.h"
#include "support/result.h"

namespace cuzk::formats {

/// What one kind of file looks like. `required` sections must be there; `optional` ones may be.
struct Iden3Format {
  std::string_view magic;
  std::uint32_t version;
  std::span<const std::uint32_t> required;
  std::span<const std::uint32_t> optional;
};

class Iden3Container {
 public:
  static constexpr std::uint32_t kMaxSections = 64;

  struct Section {
    std::uint32_t type;
    std::uint64_t offset;  // of its first byte, behind type and length
    std::uint64_t length;
  };

  static Result<Iden3Container> parse(Bytes file, const Iden3Format& format);

  /// In the order of the file.
  std::span<const Section> sections() const noexcept { return sections_; }
  const Section* find(std::uint32_t type) const noexcept;
  /// A reader over one section; precondition: it is there (required sections always are).
  Reader section(std::uint32_t type) const;

 private:
  Iden3Container(Bytes file, std::vector<Section> sections) noexcept : file_(file), sections_(std::move(sections)) {}

  Bytes file_;
  std::vector<Section> sections_;
};

}  // namespace cuzk::formats
