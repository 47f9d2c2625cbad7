// The requests of the reference vectors: <kind>-<size>/<seed> folders, in every root that has them.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"
#include "support/bytes.h"
#include "support/hex.h"
#include "tests/support/must.h"
#include "tests/support/vectors.h"

namespace cuzk::test {

struct RequestVector {
  std::string name;  // "porep-2KiB/seed-1"
  std::string kind;  // "porep", "porep-ni", "winning", "window", "update"
  const filecoin::SectorShape* sector;
  std::filesystem::path folder;

  nlohmann::json facts() const { return nlohmann::json::parse(read_text(folder / "public.json")); }
  /// A file's text, packed or not.
  std::string text(const std::string& file) const { return std::string(bytes_text(read_vector(folder / file))); }
  bool has(const std::string& file) const {
    const std::string path = folder / file;
    return std::filesystem::exists(path) || std::filesystem::exists(path + ".gz") ||
           std::filesystem::exists(path + ".zst");
  }
};

/// Of all kinds, in order of name; of the same name, that of the earlier root.
inline std::vector<RequestVector> request_vectors() {
  std::map<std::string, RequestVector> found;
  for (const std::filesystem::path& root : vector_roots()) {
    if (!std::filesystem::is_directory(root / "filecoin")) continue;
    for (const auto& group : std::filesystem::directory_iterator(root / "filecoin")) {
      const std::string name = group.path().filename();
      const std::size_t dash = name.rfind('-');
      if (!group.is_directory() || dash == std::string::npos) continue;
      const filecoin::SectorShape* const sector = filecoin::find_sector_shape(std::string_view(name).substr(dash + 1));
      if (sector == nullptr) continue;
      for (const auto& seed : std::filesystem::directory_iterator(group.path())) {
        const std::string full_name = name + "/" + seed.path().filename().string();
        found.try_emplace(full_name, RequestVector{full_name, name.substr(0, dash), sector, seed.path()});
      }
    }
  }
  std::vector<RequestVector> vectors;
  for (auto& [name, vector] : found) vectors.push_back(std::move(vector));
  return vectors;
}

inline std::vector<RequestVector> request_vectors(std::initializer_list<std::string_view> kinds) {
  std::vector<RequestVector> vectors = request_vectors();
  std::erase_if(vectors,
                [&](const RequestVector& vector) { return std::ranges::find(kinds, vector.kind) == kinds.end(); });
  return vectors;
}

/// For names of tests.
inline std::string identifier(std::string name) {
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

inline filecoin::Bytes32 bytes32_from(const nlohmann::json& digits) {
  filecoin::Bytes32 bytes;
  must(decode_hex(digits.get<std::string>(), bytes));
  return bytes;
}
inline filecoin::Node node_from(const nlohmann::json& digits) {
  return filecoin::Node::from_le_bytes(bytes32_from(digits).data());
}

}  // namespace cuzk::test
