// The folders filecoin/<kind>-<size>/<seed>: a request, its public data and its proof.
#pragma once

#include "filecoin/registry.h"
#include "tests/vectors_runner/vector_case.h"

namespace cuzk::test {

struct FilecoinRequest {
  std::string name;   // "porep-2KiB/seed-1"
  std::string group;  // "porep", "porep-ni", "winning", "window", "update"
  const filecoin::SectorShape* sector;
  std::filesystem::path folder;

  filecoin::ProofKind kind() const;
  filecoin::Circuit circuit() const { return {kind(), sector}; }
  /// public.json; a member that no check knows is an error.
  nlohmann::json facts() const;
  /// filecoin/keys/<kind>-<size><ending>
  std::filesystem::path key_file(std::string_view ending) const;
  /// Numbers of the partition-<k>.json that are there.
  std::vector<unsigned> partitions() const;
};

/// In order of name; of two with the same name, that of the earlier root.
std::vector<FilecoinRequest> filecoin_requests();

}  // namespace cuzk::test
