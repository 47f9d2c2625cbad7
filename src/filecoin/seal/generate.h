// From a recipe to a request: seals its sectors (or makes them up), proves, and writes what a prover receives and what
// a verifier knows.
// Thread-safety: pure functions.
#pragma once

#include <variant>

#include "filecoin/primitives/statements.h"
#include "filecoin/seal/recipe.h"
#include "support/parallel.h"
#include "support/progress.h"

namespace cuzk::filecoin {

struct GenerateOptions {
  bool synthetic = false;       // seal nothing (synthetic.h)
  std::uint64_t partition = 0;  // window: of which partition, counted from the recipe's first
  std::uint64_t replicas = 0;   // synthetic window: so many distinct ones, 0: one a sector
};

struct SectorCommitments {
  std::uint64_t number;
  Node comm_c;
  Node comm_r_last;
  Node comm_d;  // of synthetic stored sectors: zero, they have no data
};

struct GeneratedProof {
  Recipe recipe;  // window: of the partition's sectors alone
  GenerateOptions options;
  std::variant<PorepVanillaProof, std::vector<PostVanillaProof>, std::vector<UpdatePartitionProof>> vanilla;
  Statement statement;
  std::vector<SectorCommitments> sectors;
};

/// Errors: unsupported (a size that is not sealed in memory, a kind of seal that cannot be synthetic),
/// invalid_argument (a partition that the sectors do not reach; no labels of content).
Result<GeneratedProof> generate(Arena& arena, Recipe recipe, const GenerateOptions& options, ProgressRef progress = {});

/// The request's payload: porep: C1 JSON; else a JSON list of base64 strings, one a sector or partition.
std::string write_payload(const GeneratedProof& proof);
/// The public data, indented.
std::string write_public_json(const GeneratedProof& proof);

}  // namespace cuzk::filecoin
