#include "cli/files.h"

#include <unistd.h>

#include <filesystem>

#include <sys/stat.h>

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
    {".circuit", FileKind::circuit},
};

/// For JSON that cannot be read, its name is all there is.
constexpr Ending kJsonNames[] = {
    {"proof", FileKind::proof_json},
    {"public", FileKind::public_json},
    {"vk", FileKind::verification_key_json},
    {"verification_key", FileKind::verification_key_json},
};

/// Whether a write to one replaces the other: the names lead to one regular file, existing or not.
bool same_target(std::string_view a, std::string_view b) {
  namespace fs = std::filesystem;
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  const fs::path left = fs::weakly_canonical(fs::path(a), error);
  if (error) return false;
  const fs::path right = fs::weakly_canonical(fs::path(b), error);
  if (error || left != right) return false;
  const fs::file_type type = fs::status(left, error).type();
  return type == fs::file_type::regular || type == fs::file_type::not_found;
}

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
  const bool json = file.path().ends_with(".json");
  FileKind kind = json ? formats::detect(file.bytes()).kind : kind_by_name(file.path());
  if (kind == FileKind::unknown) kind = json ? kind_by_name(file.path()) : formats::detect(file.bytes()).kind;
  if (kind != FileKind::unknown) return kind;
  return fail(Error(Code::unsupported, "not a file that cuzk knows")
                  .at({.file = file.path(),
                       .section = {},
                       .offset = 0,
                       .expected = ".r1cs, .wtns, .zkey, .params, .vk, .circuit, a proof, or snarkjs JSON",
                       .found = std::to_string(file.size()) + " bytes of something else"}));
}

Result<MappedFile> open_input(const std::string& path) { return in_file(path, MappedFile::open(path)); }

Status check_distinct(std::initializer_list<std::string_view> inputs, std::initializer_list<std::string_view> outputs) {
  const auto refuse = [](std::string_view output, std::string_view what) {
    return fail(Code::invalid_argument,
                "the output " + std::string(output) + " is also " + std::string(what) + ": give it a name of its own");
  };
  for (const std::string_view* output = outputs.begin(); output != outputs.end(); ++output) {
    for (const std::string_view input : inputs)
      if (same_target(*output, input)) return refuse(*output, "an input");
    for (const std::string_view* other = outputs.begin(); other != output; ++other)
      if (same_target(*output, *other)) return refuse(*output, "another output");
  }
  return {};
}

bool is_standard_output(const std::string& path) {
  struct stat output{};
  struct stat target{};
  return ::fstat(STDOUT_FILENO, &output) == 0 && ::stat(path.c_str(), &target) == 0 && output.st_dev == target.st_dev &&
         output.st_ino == target.st_ino;
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
