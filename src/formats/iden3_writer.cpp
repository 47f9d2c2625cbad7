#include "formats/iden3_writer.h"

namespace cuzk::formats {

Result<Iden3Writer> Iden3Writer::create(const std::string& path, std::string_view magic, std::uint32_t version,
                                        std::uint32_t num_sections) {
  CUZK_TRY(AtomicFile file, AtomicFile::create(path));
  Iden3Writer writer(std::move(file));
  CUZK_CHECK_OK(writer.append(text_bytes(magic)));
  CUZK_CHECK_OK(writer.append_le(version));
  CUZK_CHECK_OK(writer.append_le(num_sections));
  return writer;
}

Status Iden3Writer::begin(std::uint32_t type) {
  CUZK_CHECK_OK(append_le(type));
  length_at_ = file_.position();
  return append_le(std::uint64_t{0});
}

Status Iden3Writer::end() {
  std::byte raw[sizeof(std::uint64_t)];
  store_le<std::uint64_t>(raw, file_.position() - (length_at_ + sizeof raw));
  return file_.write_at(length_at_, raw);
}

}  // namespace cuzk::formats
