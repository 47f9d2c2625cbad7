// The reference vectors that tests read: where they are, which cases there are, and their files.
//
// Roots come from the environment variable CUZK_VECTORS (folders, separated by ':'); without it they are tests/vectors
// of the source tree and shared/vectors beside it, as far as they exist. A file is looked for in the roots in order.
// Everything throws std::runtime_error with the path in its text when it fails: a test reports that as its failure.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cuzk::test {

using FileBytes = std::vector<std::byte>;

/// The top of the source tree that the tests were built from.
std::filesystem::path source_folder();

std::vector<std::filesystem::path> vector_roots();

struct VectorCase {
  std::string name;              // name of the folder
  std::filesystem::path folder;  // holds case.json
};

/// The cases of a group ("groth16", "circom"): each folder with a case.json directly below it, by name; of two with the
/// same name, that of the earlier root.
std::vector<VectorCase> find_cases(std::string_view group);

/// The first root that has this file or folder, joined with it.
std::filesystem::path vector_path(const std::filesystem::path& relative);

/// The bytes of a file as they are.
FileBytes read_file(const std::filesystem::path& path);
std::string read_text(const std::filesystem::path& path);

/// The bytes of `path`, or of path.zst or path.gz, decompressed, where only that exists.
FileBytes read_vector(const std::filesystem::path& path);

}  // namespace cuzk::test
