// Which proof of which sectors is to be made: a recipe, from which the sectors, their vanilla proofs and the public
// data follow. As JSON it is the public data that go with a proof, and the labels of the sectors' content
// (label_stream.h), so that a result can be made again from its own public data, and the reference vectors from theirs.
//
// Thread-safety: values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"

namespace cuzk::filecoin {

struct SectorRecipe {
  std::uint64_t number;
  Bytes32 ticket;
  std::string data_label;      // raw data, before the padding of fr32.h
  std::string new_data_label;  // updates
};

struct Recipe {
  ProofKind kind;
  SealProof seal;  // how the sectors are sealed; its sector size is that of all
  PostProof post;  // winning, window
  Bytes32 prover_id;
  Bytes32 seed;                       // porep: of the challenges
  Node randomness;                    // winning, window
  std::vector<SectorRecipe> sectors;  // window: of all partitions from the first one; else one
  std::uint64_t first_partition = 0;  // window
  std::string label;                  // of what synthetic sectors hold

  const SectorShape& sector() const noexcept { return *seal.sector; }
};

inline constexpr std::uint64_t kMaxRecipeSectors = std::uint64_t{1} << 18;

/// What a recipe from a number needs to be told; defaults as the reference vectors have them for seed 1.
struct RecipeChoice {
  ProofKind kind = ProofKind::porep;
  const SectorShape* sector = nullptr;
  std::optional<std::uint32_t> registered_proof;  // of the kind; default: the newest that is proved interactively
  std::uint64_t seed = 1;
  std::uint64_t miner_id = 1000;
  std::uint64_t first_sector = 1;  // window: the others at steps of 10
  std::uint64_t sectors = 1;       // window
};

/// Everything from labels that begin with "cuzk-vectors/filecoin/<kind>-<size>/seed-<seed>".
/// Errors: invalid_argument (a proof number of another kind or size; sectors for a kind of one), unsupported (a size
/// without registered proofs).
Result<Recipe> recipe_from_seed(const RecipeChoice& choice);

/// From public data as write_public_json (generate.h) or the reference vectors have them. Errors: malformed (bad_json,
/// missing_field, bad_number, bad_length, non_canonical), unsupported (unknown proof), Where.section the member.
Result<Recipe> read_recipe(std::string_view json);

}  // namespace cuzk::filecoin
