// Files as the subcommands meet them: mapped, with their path in every error, and of which kind.
// Thread-safety: pure functions.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "formats/detect.h"
#include "support/mapped_file.h"
#include "support/result.h"

namespace cuzk::cli {

/// Puts the path into an error that has no file yet.
template <class T> Result<T> in_file(std::string_view path, Result<T>&& result) {
  if (!result) return fail(std::move(result).error().in_file(path));
  return std::move(result);
}

/// Maps an input; the error of one that cannot be opened names the file too.
Result<MappedFile> open_input(const std::string& path);

/// Refuses outputs that would replace an input or each other (also through symbolic links); empty names are skipped.
/// Devices and pipes may stand for several outputs. Error: invalid_argument.
Status check_distinct(std::initializer_list<std::string_view> inputs, std::initializer_list<std::string_view> outputs);

/// Whether writing to `path` reaches standard output, as /dev/stdout does: what is told to people must not mix with it.
bool is_standard_output(const std::string& path);

inline std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// What the file is taken for: its name's ending where that is one of ours (so that a damaged file is refused as what
/// it should be), its content otherwise. Error: unsupported when neither says anything.
Result<formats::FileKind> kind_of(const MappedFile& file);

/// A proof as JSON begins with a brace; bellperson's 192 bytes never do (their first byte has the top bit set).
bool looks_like_json(Bytes file);

}  // namespace cuzk::cli
