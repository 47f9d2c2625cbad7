#include "cli/files.h"

namespace cuzk::cli {
namespace {

using formats::FileKind;

struct Ending {
  std::string_view text;
  FileKind kind;
};

constexpr Ending kEndings[] = {
    {".r1cs", FileKind::r1cs},
    {".wtns", FileKind::wtns},
    {".zkey", FileKind::zkey},
    {".ptau", FileKind::ptau},
    {".params", FileKind::bellperson_params},
    {".vk", FileKind::bellperson_vk},
    {".proof", FileKind::bellperson_proof},
};

/// For JSON that cannot be read, its name is all there is.
constexpr Ending kJsonNames[] = {
    {"proof", FileKind::proof_json},
    {"public", FileKind::public_json},
    {"vk", FileKind::verification_key_json},
    {"verification_key", FileKind::verification_key_json},
};

FileKind kind_by_name(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  for (const Ending& ending : kEndings)
    if (name.ends_with(ending.text)) return ending.kind;
  if (name.ends_with(".json"))
    for (const Ending& part : kJsonNames)
      if (name.find(part.text) != std::string_view::npos) return part.kind;
  return FileKind::unknown;
}

}  // namespace

Result<FileKind> kind_of(const MappedFile& file) {
  const FileKind by_content = formats::detect(file.bytes()).kind;
  const bool json = file.path().ends_with(".json");
  FileKind kind = json ? by_content : kind_by_name(file.path());
  if (kind == FileKind::unknown) kind = json ? kind_by_name(file.path()) : by_content;
  if (kind != FileKind::unknown) return kind;
  return fail(Error(Code::unsupported, "not a file that cuzk knows")
                  .at({.file = file.path(),
                       .section = {},
                       .offset = 0,
                       .expected = ".r1cs, .wtns, .zkey, .params, .vk, a proof, or snarkjs JSON",
                       .found = std::to_string(file.size()) + " bytes of something else"}));
}

bool looks_like_json(Bytes file) {
  for (const std::byte b : file) {
    const char c = static_cast<char>(b);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    return c == '{' || c == '[' || c == '"';
  }
  return false;
}

}  // namespace cuzk::cli
