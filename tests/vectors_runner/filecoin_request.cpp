#include "tests/vectors_runner/filecoin_request.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace cuzk::test {

namespace fs = std::filesystem;
using filecoin::ProofKind;

ProofKind FilecoinRequest::kind() const {
  if (group == "porep" || group == "porep-ni") return ProofKind::porep;
  if (group == "update") return ProofKind::snap;
  const auto kind = filecoin::proof_kind_from(group);
  if (!kind) throw std::runtime_error("unknown kind of proof: " + group);
  return *kind;
}

nlohmann::json FilecoinRequest::facts() const {
  const fs::path path = folder / "public.json";
  switch (kind()) {
    case ProofKind::porep:
      return read_json(path, {"api_version",   "c1",
                              "challenges",    "challenges_per_partition",
                              "comm_c",        "comm_d",
                              "comm_r",        "comm_r_last",
                              "data",          "debug",
                              "kind",          "layers",
                              "miner_id",      "partitions",
                              "porep_id",      "prover_id",
                              "replica_id",    "registered_proof",
                              "sector_number", "sector_size",
                              "seed",          "ticket"});
    case ProofKind::snap:
      return read_json(path, {"apex_leafs",
                              "challenges",
                              "challenges_per_partition",
                              "comm_c",
                              "comm_d_new",
                              "comm_d_old",
                              "comm_r_last_new",
                              "comm_r_last_old",
                              "comm_r_new",
                              "comm_r_old",
                              "data",
                              "debug",
                              "h",
                              "h_select",
                              "kind",
                              "miner_id",
                              "partitions",
                              "phi",
                              "registered_proof",
                              "registered_proof_number",
                              "rho",
                              "sector_number",
                              "seal_registered_proof",
                              "sector_size",
                              "vanilla_bytes",
                              "vanilla_sha256"});
    case ProofKind::winning:
    case ProofKind::window:
      break;
  }
  return read_json(path,
                   {"api_version", "challenges_per_circuit_sector", "circuit_sectors", "kind", "miner_id", "partitions",
                    "prover_id", "published_proof_base64", "randomness", "registered_proof", "registered_proof_number",
                    "seal_registered_proof", "sector_size", "sectors", "winning_sector_challenges"});
}

fs::path FilecoinRequest::key_file(std::string_view ending) const {
  const std::string circuit_kind = group == "porep-ni" ? "porep" : group;
  return vector_path(fs::path("filecoin") / "keys" /
                     (circuit_kind + "-" + std::string(sector->name) + std::string(ending)));
}

std::vector<unsigned> FilecoinRequest::partitions() const {
  constexpr std::string_view kPrefix = "partition-";
  std::vector<unsigned> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string stem = entry.path().stem().string();
    if (stem.starts_with(kPrefix) && entry.path().extension() == ".json")
      found.push_back(static_cast<unsigned>(std::stoul(stem.substr(kPrefix.size()))));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<FilecoinRequest> filecoin_requests() {
  std::map<std::string, FilecoinRequest> found;
  for (const fs::path& root : vector_roots()) {
    if (!fs::is_directory(root / "filecoin")) continue;
    for (const fs::directory_entry& group : fs::directory_iterator(root / "filecoin")) {
      const std::string name = group.path().filename().string();
      const std::size_t dash = name.rfind('-');
      if (dash == std::string::npos || !group.is_directory()) continue;
      const filecoin::SectorShape* const sector = filecoin::find_sector_shape(name.substr(dash + 1));
      for (const fs::directory_entry& seed : fs::directory_iterator(group.path())) {
        if (!fs::exists(seed.path() / "public.json")) continue;
        if (sector == nullptr) throw std::runtime_error("unknown sector size: " + name);
        const std::string full_name = name + "/" + seed.path().filename().string();
        found.emplace(full_name, FilecoinRequest{full_name, name.substr(0, dash), sector, seed.path()});
      }
    }
  }
  std::vector<FilecoinRequest> requests;
  for (auto& [name, request] : found) requests.push_back(std::move(request));
  return requests;
}

}  // namespace cuzk::test
