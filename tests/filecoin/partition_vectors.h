// The reference's partitions: the vanilla proofs of one as an instance, and what the reference made of it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "filecoin/instances.h"
#include "filecoin/wire/c1_json.h"
#include "filecoin/wire/vanilla_list.h"
#include "support/bytes.h"
#include "tests/filecoin/request_vectors.h"
#include "tests/support/must.h"
#include "tests/support/vectors.h"

namespace cuzk::test {

/// One partition-<k>.json.
struct PartitionVector {
  std::string name;  // "porep-2KiB/seed-1/partition-0"
  std::filesystem::path folder;
  unsigned partition;
  nlohmann::json facts;

  std::size_t wires() const { return facts.at("witness").at("wires").get<std::size_t>(); }
  friend void PrintTo(const PartitionVector& vector, std::ostream* out) { *out << vector.name; }
};

/// In order of name.
inline std::vector<PartitionVector> partition_vectors() {
  constexpr std::string_view kPrefix = "partition-";
  std::vector<PartitionVector> found;
  for (const RequestVector& request : request_vectors()) {
    for (const auto& entry : std::filesystem::directory_iterator(request.folder)) {
      const std::string stem = entry.path().stem().string();
      if (!stem.starts_with(kPrefix) || entry.path().extension() != ".json") continue;
      found.push_back({.name = request.name + "/" + stem,
                       .folder = request.folder,
                       .partition = static_cast<unsigned>(std::stoul(stem.substr(kPrefix.size()))),
                       .facts = nlohmann::json::parse(read_text(entry.path()))});
    }
  }
  std::ranges::sort(found, {}, &PartitionVector::name);
  return found;
}

struct PartitionInstance {
  filecoin::Circuit circuit;
  filecoin::OwnedInstance owned;

  const filecoin::Instance& instance() const { return owned.instance; }
};

inline PartitionInstance load_instance(const PartitionVector& vector) {
  const nlohmann::json facts = nlohmann::json::parse(read_text(vector.folder / "public.json"));
  const filecoin::SectorShape& sector = *filecoin::find_sector_shape(facts.at("sector_size").get<std::uint64_t>());
  const std::string kind = facts.at("kind");
  const auto text = [&](const std::string& file) { return read_vector(vector.folder / file); };

  if (kind.starts_with("porep")) {
    const FileBytes file = text("c1.json");
    auto proof = std::make_shared<filecoin::PorepVanillaProof>(must(filecoin::read_c1_json(bytes_text(file))).proof);
    return {{filecoin::ProofKind::porep, &sector}, {filecoin::porep_instance(*proof, vector.partition), proof}};
  }
  if (kind == "update") {
    const FileBytes file = text("vanilla.json");
    auto proofs = std::make_shared<std::vector<filecoin::UpdatePartitionProof>>(
        must(filecoin::read_update_proofs(bytes_text(file), sector)));
    return {{filecoin::ProofKind::snap, &sector},
            {filecoin::update_instance(sector, vector.partition, node_from(facts.at("comm_r_old")),
                                       node_from(facts.at("comm_d_new")), node_from(facts.at("comm_r_new")),
                                       proofs->at(vector.partition)),
             proofs}};
  }
  const filecoin::Circuit circuit{*filecoin::proof_kind_from(kind), &sector};
  const FileBytes file = text("vanilla-" + std::to_string(vector.partition) + ".json");
  auto proofs = std::make_shared<std::vector<filecoin::PostVanillaProof>>(
      must(filecoin::read_post_proofs(bytes_text(file), sector, circuit.kind)));
  return {circuit, {filecoin::post_instance(circuit, *proofs), proofs}};
}

}  // namespace cuzk::test
