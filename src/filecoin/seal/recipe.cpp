#include "filecoin/seal/recipe.h"

#include "filecoin/primitives/prover_id.h"
#include "filecoin/seal/label_stream.h"

namespace cuzk::filecoin {
namespace {

constexpr std::uint64_t kSectorStep = 10;

/// Name of the kind in labels.
std::string label_kind(const Recipe& recipe) {
  if (recipe.kind == ProofKind::snap) return "update";
  const bool non_interactive = recipe.seal.feature == PorepFeature::non_interactive;
  return std::string(name_of(recipe.kind)) + (non_interactive ? "-ni" : "");
}

/// Position of the size among the registered ones.
Result<std::uint32_t> registered_index(const SectorShape& sector) {
  for (std::uint32_t number = 0;; ++number) {
    const Result<const SectorShape*> shape = update_proof(number);
    if (!shape) break;
    if (*shape == &sector) return number;
  }
  return fail(Code::unsupported, "there are no registered proofs for sectors of " + std::string(sector.name));
}

tl::unexpected<Error> wrong_proof(const RecipeChoice& choice, std::uint32_t number, std::string_view found) {
  return fail(Code::invalid_argument, Kind::wrong_proof_type,
              "registered proof " + std::to_string(number) + " is " + std::string(found) + ", not " +
                  std::string(name_of(choice.kind)) + " of " + std::string(choice.sector->name));
}

Status choose_seal(const RecipeChoice& choice, std::uint32_t index, Recipe& recipe) {
  constexpr std::uint32_t kInterfaceV1_1 = 5;
  const std::uint32_t newest = kInterfaceV1_1 + index;
  const std::uint32_t number = choice.kind == ProofKind::porep ? choice.registered_proof.value_or(newest) : newest;
  CUZK_TRY(recipe.seal, seal_proof(number));
  if (recipe.seal.sector != choice.sector) return wrong_proof(choice, number, recipe.seal.name());
  return {};
}

Status choose_post(const RecipeChoice& choice, std::uint32_t index, Recipe& recipe) {
  constexpr std::uint32_t kNewestWindow = 10;
  const std::uint32_t newest = choice.kind == ProofKind::winning ? index : kNewestWindow + index;
  const std::uint32_t number = choice.registered_proof.value_or(newest);
  CUZK_TRY(recipe.post, post_proof(number));
  if (recipe.post.kind != choice.kind || recipe.post.sector != choice.sector)
    return wrong_proof(choice, number,
                       std::string(name_of(recipe.post.kind)) + " of " + std::string(recipe.post.sector->name));
  return {};
}

Status choose_update(const RecipeChoice& choice, std::uint32_t index) {
  const std::uint32_t number = choice.registered_proof.value_or(index);
  if (number != index) return wrong_proof(choice, number, "another size");
  return {};
}

SectorRecipe sector_recipe(const Recipe& recipe, std::uint64_t number) {
  const std::string label = recipe.label + "/sector-" + std::to_string(number);
  return {number, label_bytes(label + "/ticket"), label + "/data",
          recipe.kind == ProofKind::snap ? label + "/new-data" : std::string()};
}

}  // namespace

Result<Recipe> recipe_from_seed(const RecipeChoice& choice) {
  const std::uint64_t most = choice.kind == ProofKind::window ? kMaxRecipeSectors : 1;
  if (choice.sectors == 0 || choice.sectors > most)
    return fail(Code::invalid_argument, std::string(name_of(choice.kind)) + " of " + std::to_string(choice.sectors) +
                                            " sectors: there are 1 to " + std::to_string(most));
  CUZK_TRY(const std::uint32_t index, registered_index(*choice.sector));
  Recipe recipe{};
  recipe.kind = choice.kind;
  CUZK_CHECK_OK(choose_seal(choice, index, recipe));
  if (choice.kind == ProofKind::winning || choice.kind == ProofKind::window)
    CUZK_CHECK_OK(choose_post(choice, index, recipe));
  if (choice.kind == ProofKind::snap) CUZK_CHECK_OK(choose_update(choice, index));
  recipe.label = "cuzk-vectors/filecoin/" + label_kind(recipe) + "-" + std::string(choice.sector->name) + "/seed-" +
                 std::to_string(choice.seed);
  recipe.prover_id = prover_id(choice.miner_id);
  recipe.seed = label_bytes(recipe.label + "/seed");
  recipe.randomness = Node::from_le_bytes(label_element(recipe.label + "/randomness").data());
  for (std::uint64_t i = 0; i < choice.sectors; ++i)
    recipe.sectors.push_back(sector_recipe(recipe, choice.first_sector + i * kSectorStep));
  return recipe;
}

}  // namespace cuzk::filecoin
