#include "formats/key_source.h"

namespace cuzk::formats {

Result<KeySource> KeySource::open(const std::string& path) {
  CUZK_TRY(MappedFile file, MappedFile::open(path));
  return KeySource(std::make_shared<const MappedFile>(std::move(file)));
}

KeySource::KeySource(std::shared_ptr<const MappedFile> file)
    : bytes_(file->bytes()), owner_(file), mapped_(std::move(file)) {}

}  // namespace cuzk::formats
