#include <simdjson.h>

#include "filecoin/primitives/prover_id.h"
#include "filecoin/primitives/statements.h"
#include "filecoin/seal/label_stream.h"
#include "filecoin/seal/recipe.h"
#include "filecoin/verify/statement_json.h"
#include "formats/json_fault.h"
#include "support/hex.h"

namespace cuzk::filecoin {
namespace {

using Object = simdjson::dom::object;

tl::unexpected<Error> wrong(std::string_view member, Code code, Kind kind, std::string message) {
  return fail(Error(code, kind, std::move(message))
                  .at({.file = {}, .section = std::string(member), .offset = 0, .expected = {}, .found = {}}));
}

Result<std::string> text_of(const Object& object, std::string_view member) {
  std::string_view text;
  if (object[member].get_string().get(text) == simdjson::SUCCESS) return std::string(text);
  return wrong(member, Code::malformed, Kind::missing_field, "the member is missing or not a string");
}

/// Labels may be missing: synthetic sectors have none.
std::string label_of(const Object& object, std::string_view member) {
  std::string_view text;
  return object[member].get_string().get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

/// The ticket, or that which the label of the data implies ("L/ticket" for "L/data"); zeros where there is neither.
Result<Bytes32> ticket_of(const Object& object, std::string_view data_label) {
  constexpr std::string_view kData = "/data";
  Bytes32 ticket{};
  if (object["ticket"].error() == simdjson::SUCCESS) {
    CUZK_TRY(const std::string digits, text_of(object, "ticket"));
    if (Status decoded = decode_hex(digits, ticket); !decoded)
      return wrong("ticket", decoded.error().code(), decoded.error().kind(), decoded.error().message());
  } else if (data_label.ends_with(kData)) {
    data_label.remove_suffix(kData.size());
    ticket = label_bytes(std::string(data_label) + "/ticket");
  }
  return ticket;
}

Result<ProofKind> kind_of(const Object& object) {
  CUZK_TRY(const std::string name, text_of(object, "kind"));
  if (name == "update") return ProofKind::snap;
  if (name == "porep-ni") return ProofKind::porep;
  if (const std::optional<ProofKind> kind = proof_kind_from(name)) return *kind;
  return wrong("kind", Code::unsupported, Kind::unknown_proof_type, "\"" + name + "\" is no kind of proof");
}

/// How the sectors of the other kinds were sealed.
Status read_seal_proof(const Object& object, const SectorShape& sector, Recipe& recipe) {
  CUZK_TRY(const std::string name, text_of(object, "seal_registered_proof"));
  const Result<SealProof> seal = seal_proof(name);
  if (!seal) return wrong("seal_registered_proof", seal.error().code(), seal.error().kind(), seal.error().message());
  recipe.seal = *seal;
  if (recipe.seal.sector == &sector) return {};
  return wrong("seal_registered_proof", Code::malformed, Kind::wrong_sector_size,
               name + " does not seal sectors of " + std::string(sector.name));
}

Status read_prover_id(const Object& object, Recipe& recipe) {
  if (std::uint64_t miner = 0; object["miner_id"].get_uint64().get(miner) == simdjson::SUCCESS) {
    recipe.prover_id = prover_id(miner);
    return {};
  }
  CUZK_TRY(const std::string digits, text_of(object, "prover_id"));
  if (Status decoded = decode_hex(digits, recipe.prover_id); !decoded)
    return wrong("prover_id", decoded.error().code(), decoded.error().kind(), decoded.error().message());
  return {};
}

/// What a kind's public data and the other members of its object make of the recipe.
class RecipeReader {
 public:
  RecipeReader(const Object& object, Recipe& recipe) : object_(object), recipe_(recipe) {}

  Status operator()(const SealStatement& seal) {
    if (seal.porep_id != seal.proof.porep_id())
      return wrong("porep_id", Code::unsupported, Kind::unknown_proof_type, "sealed for no registered proof");
    recipe_.seal = seal.proof;
    recipe_.prover_id = seal.prover_id;
    recipe_.seed = seal.seed;
    recipe_.sectors.push_back({seal.sector_number, seal.ticket, label_in("data", "label"), {}});
    return {};
  }

  Status operator()(const PostStatement& post) {
    recipe_.post = post.proof;
    recipe_.randomness = post.randomness;
    recipe_.first_partition = post.first_partition;
    CUZK_CHECK_OK(read_prover_id(object_, recipe_));
    CUZK_CHECK_OK(read_seal_proof(object_, *post.proof.sector, recipe_));
    const simdjson::dom::array list = object_["sectors"];
    auto member = list.begin();
    for (const PostSectorStatement& stored : post.sectors) {
      SectorRecipe& sector = recipe_.sectors.emplace_back();
      sector.number = stored.sector_number;
      sector.data_label = label_of(*member, "data_label");
      CUZK_TRY(sector.ticket, ticket_of(*member, sector.data_label));
      ++member;
    }
    return {};
  }

  Status operator()(const UpdateStatement& update) {
    CUZK_CHECK_OK(read_prover_id(object_, recipe_));
    CUZK_CHECK_OK(read_seal_proof(object_, *update.sector, recipe_));
    SectorRecipe& sector = recipe_.sectors.emplace_back();
    if (object_["sector_number"].get_uint64().get(sector.number) != simdjson::SUCCESS)
      return wrong("sector_number", Code::malformed, Kind::missing_field, "the member is missing or not a number");
    sector.data_label = label_in("data", "old_label");
    sector.new_data_label = label_in("data", "new_label");
    CUZK_TRY(sector.ticket, ticket_of(object_, sector.data_label));
    return {};
  }

 private:
  std::string label_in(std::string_view object, std::string_view member) const {
    Object inner;
    return object_[object].get_object().get(inner) == simdjson::SUCCESS ? label_of(inner, member) : std::string();
  }

  const Object& object_;
  Recipe& recipe_;
};

}  // namespace

Result<Recipe> read_recipe(std::string_view json) {
  if (json.size() > kMaxStatementJsonBytes)
    return wrong("", Code::malformed, Kind::bad_length,
                 "public data are at most " + std::to_string(kMaxStatementJsonBytes) + " bytes");
  simdjson::dom::parser parser;
  Object object;
  const auto document = parser.parse(simdjson::padded_string(json));
  if (document.error() != simdjson::SUCCESS)
    return fail(formats::json_fault(json, simdjson::DEFAULT_MAX_DEPTH, simdjson::error_message(document.error())));
  if (document.get_object().get(object) != simdjson::SUCCESS)
    return wrong("", Code::malformed, Kind::bad_json, "public data are one JSON object");
  Recipe recipe{};
  CUZK_TRY(recipe.kind, kind_of(object));
  CUZK_TRY(const Statement statement, read_statement_json(recipe.kind, json));
  CUZK_CHECK_OK(std::visit(RecipeReader(object, recipe), statement));
  recipe.label = label_of(object, "content");
  return recipe;
}

}  // namespace cuzk::filecoin
