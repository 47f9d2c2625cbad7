#include <algorithm>

#include "cli/commands.h"
#include "cli/files.h"
#include "filecoin/seal/generate.h"
#include "filecoin/seal/sector.h"
#include "support/atomic_file.h"
#include "support/clock.h"

namespace cuzk::cli {
namespace {

using filecoin::GeneratedProof;
using filecoin::ProofKind;
using filecoin::Recipe;

Result<const filecoin::SectorShape*> sector_shape(const std::string& name) {
  const filecoin::SectorShape* shape = filecoin::find_sector_shape(name.empty() ? std::string("2k") : name);
  if (shape != nullptr && shape->published) return shape;
  return fail(Code::invalid_argument, "there is no sector size \"" + name + "\"; there are 2k, 8m, 512m, 32g, 64g");
}

Result<Recipe> recipe_from_options(const GenVanillaOptions& options) {
  const std::optional<ProofKind> kind = filecoin::proof_kind_from(options.kind);
  if (!kind) return fail(Code::invalid_argument, "--kind or --public-from is required");
  CUZK_TRY(const filecoin::SectorShape* shape, sector_shape(options.sector_size));
  const std::uint64_t partitions = std::min(options.partition, filecoin::kMaxRecipeSectors) + 1;
  const std::uint64_t full = *kind == ProofKind::window ? partitions * shape->window_sectors : 1;
  return filecoin::recipe_from_seed({.kind = *kind,
                                     .sector = shape,
                                     .registered_proof = options.registered_proof,
                                     .seed = options.seed,
                                     .miner_id = options.miner,
                                     .first_sector = options.sector,
                                     .sectors = options.sectors.value_or(full)});
}

Result<Recipe> recipe_from_file(const GenVanillaOptions& options) {
  CUZK_TRY(const MappedFile file, open_input(options.public_from));
  CUZK_TRY(Recipe recipe, in_file(options.public_from, filecoin::read_recipe(text_of(file))));
  if (options.kind.empty() || options.kind == filecoin::name_of(recipe.kind)) return recipe;
  return fail(Code::invalid_argument, options.public_from + " is of kind " +
                                          std::string(filecoin::name_of(recipe.kind)) + ", not " + options.kind);
}

/// None appears unless both can.
Status write_both(AtomicFile& payload_file, std::string_view payload, AtomicFile& public_file,
                  std::string_view public_data) {
  CUZK_CHECK_OK(payload_file.append(text_bytes(payload)));
  CUZK_CHECK_OK(public_file.append(text_bytes(public_data)));
  CUZK_CHECK_OK(payload_file.settle());
  CUZK_CHECK_OK(public_file.settle());
  CUZK_CHECK_OK(payload_file.commit());
  return public_file.commit();
}

void tell(const GenVanillaOptions& options, const GeneratedProof& proof, std::size_t payload_bytes, double seconds,
          Report& report) {
  const std::string circuit = filecoin::circuit_of(proof.statement).id();
  const std::size_t sectors = proof.recipe.sectors.size();
  report.say(std::string(options.synthetic ? "synthetic" : "sealed") + " vanilla proof for " + circuit + ": " +
             std::to_string(sectors) + (sectors == 1 ? " sector, " : " sectors, ") + std::to_string(payload_bytes) +
             " bytes, " + human_seconds(seconds));
  JsonWriter json;
  json.begin_object().key("circuit").string(circuit).key("synthetic").boolean(options.synthetic);
  json.key("num_sectors").integer(sectors).key("partition").integer(proof.recipe.first_partition);
  json.key("vanilla").string(options.out).key("vanilla_bytes").integer(payload_bytes);
  json.key("public").string(options.public_data).key("total_seconds").real(seconds);
  json.key("peak_resident_bytes").integer(peak_resident_bytes()).end_object();
  report.result(std::move(json));
}

}  // namespace

Status gen_vanilla(const GenVanillaOptions& options, Arena& arena, Report& report) {
  CUZK_CHECK_OK(check_distinct({options.public_from}, {options.out, options.public_data}));
  if (is_standard_output(options.out) || is_standard_output(options.public_data)) report.leave_standard_output();
  const Stopwatch watch;
  CUZK_TRY(Recipe recipe, options.public_from.empty() ? recipe_from_options(options) : recipe_from_file(options));
  if (!options.synthetic && recipe.sector().bytes > filecoin::kMaxSealedBytes)
    return fail(Code::unsupported, "sectors of " + std::string(recipe.sector().name) +
                                       " are not sealed in memory: --synthetic makes a proof without sealing");
  // Opened first: sealing can take minutes.
  CUZK_TRY(AtomicFile payload_file, AtomicFile::create(options.out));
  CUZK_TRY(AtomicFile public_file, AtomicFile::create(options.public_data));
  auto generated =
      filecoin::generate(arena, std::move(recipe),
                         {.synthetic = options.synthetic, .partition = options.partition, .replicas = options.replicas},
                         report.progress());
  if (!generated && generated.error().code() == Code::malformed)
    return fail(std::move(generated).error().in_file(options.public_from));
  CUZK_TRY(const GeneratedProof proof, std::move(generated));
  const std::string payload = filecoin::write_payload(proof);
  CUZK_CHECK_OK(write_both(payload_file, payload, public_file, filecoin::write_public_json(proof)));
  tell(options, proof, payload.size(), watch.seconds(), report);
  return {};
}

}  // namespace cuzk::cli
