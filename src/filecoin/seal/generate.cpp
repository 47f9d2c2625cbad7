#include "filecoin/seal/generate.h"

#include "filecoin/primitives/update.h"
#include "filecoin/seal/fr32.h"
#include "filecoin/seal/label_stream.h"
#include "filecoin/seal/sector.h"
#include "filecoin/seal/synthetic.h"
#include "filecoin/wire/bincode.h"
#include "filecoin/wire/c1_json.h"
#include "filecoin/wire/vanilla_list.h"

namespace cuzk::filecoin {
namespace {

Result<std::vector<Node>> content_of(const Recipe& recipe, const std::string& label) {
  if (label.empty())
    return fail(Code::malformed, Kind::missing_field,
                "the public data name no content from which to seal a sector: data.label, data.old_label and "
                "data.new_label (snap) or sectors[].data_label");
  return pad_fr32(label_stream(label, raw_bytes(recipe.sector().bytes)));
}

Result<SealedSector> seal_recipe(Arena& arena, const Recipe& recipe, const SectorRecipe& sector, ProgressRef progress) {
  CUZK_TRY(std::vector<Node> data, content_of(recipe, sector.data_label));
  return SealedSector::seal(arena, {recipe.seal, recipe.prover_id, sector.number, sector.ticket}, std::move(data),
                            progress);
}

SectorCommitments commitments_of(const SealedSector& sector) {
  return {sector.inputs().sector_number, sector.comm_c(), sector.comm_r_last(), sector.comm_d()};
}

Status seal_porep(Arena& arena, GeneratedProof& made, ProgressRef progress) {
  CUZK_TRY(const SealedSector sector, seal_recipe(arena, made.recipe, made.recipe.sectors.front(), progress));
  made.vanilla = sector.prove_seal(made.recipe.seed);
  made.statement = sector.statement(made.recipe.seed);
  made.sectors.push_back(commitments_of(sector));
  return {};
}

Status seal_stored(Arena& arena, GeneratedProof& made, ProgressRef progress) {
  PostStatement statement{made.recipe.post, made.recipe.randomness, {}, made.recipe.first_partition};
  std::vector<PostVanillaProof> proofs;
  std::uint64_t position = made.recipe.first_partition * made.recipe.sector().window_sectors;
  for (const SectorRecipe& recipe : made.recipe.sectors) {
    CUZK_TRY(const SealedSector sector, seal_recipe(arena, made.recipe, recipe, progress));
    proofs.push_back(prove_storage(made.recipe.post, made.recipe.randomness, sector, position++));
    statement.sectors.push_back({recipe.number, sector.comm_r()});
    made.sectors.push_back(commitments_of(sector));
  }
  made.vanilla = std::move(proofs);
  made.statement = std::move(statement);
  return {};
}

Status seal_update(Arena& arena, GeneratedProof& made, ProgressRef progress) {
  const SectorRecipe& recipe = made.recipe.sectors.front();
  CUZK_TRY(const SealedSector old, seal_recipe(arena, made.recipe, recipe, progress));
  CUZK_TRY(std::vector<Node> data, content_of(made.recipe, recipe.new_data_label));
  CUZK_TRY(const UpdatedSector updated, UpdatedSector::encode(arena, old, std::move(data), progress));
  made.vanilla = updated.prove_update(old);
  made.statement = updated.statement();
  made.sectors.push_back(commitments_of(old));
  return {};
}

Status synthetic_porep(Arena& arena, GeneratedProof& made, ProgressRef progress) {
  const SectorRecipe& sector = made.recipe.sectors.front();
  CUZK_TRY(SyntheticSeal seal,
           synthetic_seal(arena, {made.recipe.seal, made.recipe.prover_id, sector.number, sector.ticket},
                          made.recipe.seed, made.recipe.seal.partitions(), label_bytes(made.recipe.label), progress));
  const PorepChallengeProof& first = seal.proof.partitions.front().front();
  made.sectors.push_back(
      {sector.number, first.c_x.inclusion.root, first.comm_r_last_proof.root, seal.statement.comm_d});
  made.vanilla = std::move(seal.proof);
  made.statement = seal.statement;
  return {};
}

Status synthetic_stored(Arena& arena, GeneratedProof& made, ProgressRef progress) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(made.recipe.sectors.size());
  for (const SectorRecipe& sector : made.recipe.sectors) numbers.push_back(sector.number);
  const std::uint64_t replicas = made.options.replicas == 0 ? numbers.size() : made.options.replicas;
  SyntheticPost post = synthetic_post(arena, made.recipe.post, made.recipe.randomness, numbers,
                                      made.recipe.first_partition, replicas, label_bytes(made.recipe.label), progress);
  for (const PostVanillaProof& proof : post.proofs)
    made.sectors.push_back({proof.sector_id, proof.sectors.front().comm_c, proof.sectors.front().comm_r_last, {}});
  made.vanilla = std::move(post.proofs);
  made.statement = std::move(post.statement);
  return {};
}

Status synthetic_snap(Arena& arena, GeneratedProof& made, ProgressRef progress) {
  const SectorShape& sector = made.recipe.sector();
  SyntheticUpdate update =
      synthetic_update(arena, sector, sector.update_partitions, label_bytes(made.recipe.label), progress);
  made.sectors.push_back({made.recipe.sectors.front().number,
                          update.proofs.front().comm_c,
                          update.proofs.front().challenges.front().r_old.root,
                          {}});
  made.vanilla = std::move(update.proofs);
  made.statement = update.statement;
  return {};
}

using Maker = Status (*)(Arena&, GeneratedProof&, ProgressRef);
Maker maker_of(ProofKind kind, bool synthetic) noexcept {
  switch (kind) {
    case ProofKind::porep:
      return synthetic ? synthetic_porep : seal_porep;
    case ProofKind::winning:
    case ProofKind::window:
      return synthetic ? synthetic_stored : seal_stored;
    case ProofKind::snap:
      break;
  }
  return synthetic ? synthetic_snap : seal_update;
}

/// Leaves the partition's sectors, and its number as the first one.
Status take_partition(Recipe& recipe, std::uint64_t partition) {
  const std::uint64_t size = recipe.kind == ProofKind::window ? recipe.sector().window_sectors : 1;
  const std::uint64_t partitions = (recipe.sectors.size() + size - 1) / size;
  if (partition >= partitions)
    return fail(Code::invalid_argument, "there is no partition " + std::to_string(partition) + ": " +
                                            std::to_string(recipe.sectors.size()) + " sectors make " +
                                            std::to_string(partitions));
  const std::uint64_t begin = partition * size;
  const std::uint64_t end = std::min<std::uint64_t>(begin + size, recipe.sectors.size());
  recipe.first_partition += partition;
  recipe.sectors = {recipe.sectors.begin() + static_cast<std::ptrdiff_t>(begin),
                    recipe.sectors.begin() + static_cast<std::ptrdiff_t>(end)};
  return {};
}

}  // namespace

Result<GeneratedProof> generate(Arena& arena, Recipe recipe, const GenerateOptions& options, ProgressRef progress) {
  CUZK_CHECK_OK(take_partition(recipe, options.partition));
  GeneratedProof made{std::move(recipe), options, {}, {}, {}};
  CUZK_CHECK_OK(maker_of(made.recipe.kind, options.synthetic)(arena, made, progress));
  return made;
}

std::string write_payload(const GeneratedProof& proof) {
  if (const auto* porep = std::get_if<PorepVanillaProof>(&proof.vanilla))
    return write_c1_json(*porep, proof.recipe.sectors.front().number);
  std::vector<std::vector<std::byte>> elements;
  if (const auto* post = std::get_if<std::vector<PostVanillaProof>>(&proof.vanilla))
    for (const PostVanillaProof& sector : *post)
      elements.push_back(write_post_bincode(sector, proof.recipe.sector(), proof.recipe.kind));
  if (const auto* update = std::get_if<std::vector<UpdatePartitionProof>>(&proof.vanilla))
    for (const UpdatePartitionProof& partition : *update)
      elements.push_back(write_update_bincode(partition, proof.recipe.sector()));
  return write_vanilla_list(elements);
}

}  // namespace cuzk::filecoin
