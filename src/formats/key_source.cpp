#include "formats/key_source.h"

namespace cuzk::formats {

Result<KeySource> KeySource::open(const std::string& path) {
  CUZK_TRY(MappedFile file, MappedFile::open(path));
  return KeySource(std::make_shared<const MappedFile>(std::move(file)));
}

KeySource::KeySource(std::shared_ptr<const MappedFile> file)
    : bytes_(file->bytes()), owner_(file), mapped_(std::move(file)) {}

Error KeySource::named(Error&& error) const {
  if (mapped_) return std::move(error).in_file(mapped_->path());
  return std::move(error);
}

Status KeySource::still_whole() const { return mapped_ ? mapped_->still_whole() : Status(); }

}  // namespace cuzk::formats
