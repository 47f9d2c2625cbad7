#include "formats/iden3_container.h"

#include <algorithm>
#include <string>

namespace cuzk::formats {

namespace {

constexpr std::uint64_t kFileHeaderBytes = 12;
constexpr std::uint64_t kSectionHeaderBytes = 12;
constexpr std::uint64_t kSectionCountOffset = 8;

bool contains(std::span<const std::uint32_t> types, std::uint32_t type) noexcept {
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::string list_of_types(std::span<const Iden3Container::Section> sections) {
  std::string text;
  for (const auto& section : sections) text += (text.empty() ? "" : ", ") + std::to_string(section.type);
  return text.empty() ? "none" : text;
}

/// Printable characters as they are, all others as '?'.
std::string printable(Bytes bytes) {
  std::string text(bytes_text(bytes));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

Result<std::uint32_t> read_file_header(Reader& in, Bytes file, const Iden3Format& format) {
  if (file.size() < kFileHeaderBytes) {
    return fail(in.malformed_at(file.size(), Kind::truncated, "the file ends inside its header", "12 bytes or more",
                                std::to_string(file.size())));
  }
  CUZK_TRY(const Bytes magic, in.bytes(4, "magic"));
  if (bytes_text(magic) != format.magic) {
    return fail(in.malformed_at(0, Kind::bad_magic, "not a ." + std::string(format.magic) + " file",
                                "'" + std::string(format.magic) + "'", "'" + printable(magic) + "'"));
  }
  CUZK_TRY(const std::uint32_t version, in.u32_le("version"));
  if (version != format.version) {
    return fail(in.malformed_at(4, Kind::bad_version, "unknown version", std::to_string(format.version),
                                std::to_string(version)));
  }
  CUZK_TRY(const std::uint32_t count, in.u32_le("number of sections"));
  if (count > Iden3Container::kMaxSections) {
    return fail(in.malformed_at(kSectionCountOffset, Kind::bad_count, "too many sections",
                                "at most " + std::to_string(Iden3Container::kMaxSections), std::to_string(count)));
  }
  return count;
}

/// A length that no file of this size could have is a wrong length; any other means that the file was cut.
Error section_runs_past_the_end(Bytes file, std::uint32_t type, std::uint64_t length, std::uint64_t offset) {
  const Reader place({}, std::to_string(type), 0);
  const std::uint64_t at = length > file.size() ? offset - sizeof length : file.size();
  return place.malformed_at(at, Kind::truncated, "section " + std::to_string(type) + " runs past the end of the file",
                            std::to_string(length) + " bytes", std::to_string(file.size() - offset));
}

Result<Iden3Container::Section> read_section_header(Reader& in, Bytes file,
                                                    std::span<const Iden3Container::Section> before,
                                                    std::uint32_t announced) {
  if (in.remaining() < kSectionHeaderBytes) {
    return fail(in.malformed_at(kSectionCountOffset, Kind::truncated, "the file ends before its last section",
                                std::to_string(announced) + " sections", std::to_string(before.size())));
  }
  CUZK_TRY(const std::uint32_t type, in.u32_le("section type"));
  CUZK_TRY(const std::uint64_t length, in.u64_le("section length"));
  if (length > in.remaining()) return fail(section_runs_past_the_end(file, type, length, in.offset()));
  const auto same_type = [type](const Iden3Container::Section& s) { return s.type == type; };
  if (std::any_of(before.begin(), before.end(), same_type)) {
    const Reader place({}, std::to_string(type), in.offset() - kSectionHeaderBytes);
    return fail(place.malformed(Kind::duplicate_section, "section " + std::to_string(type) + " appears twice"));
  }
  return Iden3Container::Section{type, in.offset(), length};
}

/// Trailing bytes that are whole sections mean a wrong number of sections; any others do not belong here.
bool holds_whole_sections(Reader in) {
  for (std::uint32_t i = 0; i < Iden3Container::kMaxSections && in.remaining() >= kSectionHeaderBytes; ++i) {
    const bool read = in.u32_le("section type").has_value();
    const auto length = in.u64_le("section length");
    if (!read || !length || !in.skip(*length, "section")) return false;
  }
  return in.remaining() == 0;
}

Status expect_end(const Reader& in, std::uint32_t announced) {
  if (in.remaining() == 0 || !holds_whole_sections(in)) return in.expect_end();
  return fail(in.malformed_at(kSectionCountOffset, Kind::trailing_bytes, "more sections follow than are announced",
                              std::to_string(announced) + " sections",
                              std::to_string(in.remaining()) + " bytes behind them"));
}

Status check_types(std::span<const Iden3Container::Section> sections, const Iden3Format& format) {
  for (const auto& section : sections) {
    if (contains(format.required, section.type) || contains(format.optional, section.type)) continue;
    const Reader place({}, std::to_string(section.type), section.offset - kSectionHeaderBytes);
    return fail(place.malformed(Kind::unsupported_section, "unknown section " + std::to_string(section.type)));
  }
  for (const std::uint32_t type : format.required) {
    const auto is_type = [type](const Iden3Container::Section& s) { return s.type == type; };
    if (std::any_of(sections.begin(), sections.end(), is_type)) continue;
    const Reader place({}, std::to_string(type), kSectionCountOffset);
    return fail(place.malformed(Kind::missing_section, "section " + std::to_string(type) + " is missing",
                                "section " + std::to_string(type), list_of_types(sections)));
  }
  return {};
}

}  // namespace

Result<Iden3Container> Iden3Container::parse(Bytes file, const Iden3Format& format) {
  Reader in(file, "");
  CUZK_TRY(const std::uint32_t count, read_file_header(in, file, format));
  std::vector<Section> sections;
  for (std::uint32_t i = 0; i < count; ++i) {
    CUZK_TRY(const Section section, read_section_header(in, file, sections, count));
    CUZK_CHECK_OK(in.skip(section.length, "section"));
    sections.push_back(section);
  }
  CUZK_CHECK_OK(expect_end(in, count));
  CUZK_CHECK_OK(check_types(sections, format));
  return Iden3Container(file, std::move(sections));
}

const Iden3Container::Section* Iden3Container::find(std::uint32_t type) const noexcept {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [type](const Section& s) { return s.type == type; });
  return found == sections_.end() ? nullptr : &*found;
}

Reader Iden3Container::section(std::uint32_t type) const {
  const Section* const s = find(type);
  CUZK_REQUIRE(s != nullptr);
  return Reader(file_.subspan(s->offset, s->length), std::to_string(type), s->offset);
}

}  // namespace cuzk::formats
