// Any text as public data from which a request is made again: what is read has sectors of the kind's number.
#include "filecoin/seal/recipe.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  using namespace cuzk::filecoin;
  const auto recipe = read_recipe(cuzk::bytes_text(file));
  if (!recipe) {
    CUZK_REQUIRE(recipe.error().where() != nullptr);
    return;
  }
  CUZK_REQUIRE(!recipe->sectors.empty() && recipe->seal.sector != nullptr);
  CUZK_REQUIRE(recipe->kind == ProofKind::window || recipe->sectors.size() == 1);
}
