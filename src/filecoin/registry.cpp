#include "filecoin/registry.h"

#include <algorithm>
#include <bit>

#include "support/bytes.h"
#include "support/hex.h"
#include "support/sha256.h"

namespace cuzk::filecoin {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

constexpr SectorShape kShapes[] = {
    // name, id, bytes, published, {levels, sub, top}, layers, porep partitions and challenges, non-interactive
    // partitions, window sectors, update partitions, challenges, apex leaves, h, h_select
    {"2KiB", "2k", 2 * kKiB, true, {2, 0, 0}, 2, 1, 2, 13, 2, 1, 10, 8, 1, 1},
    {"4KiB", "4k", 4 * kKiB, false, {2, 2, 0}, 2, 1, 2, 13, 2, 1, 10, 8, 1, 1},
    {"16KiB", "16k", 16 * kKiB, false, {2, 8, 0}, 2, 1, 2, 13, 2, 2, 10, 128, 1, 1},
    {"32KiB", "32k", 32 * kKiB, false, {2, 8, 2}, 2, 1, 2, 13, 2, 2, 10, 128, 1, 1},
    {"8MiB", "8m", 8 * kMiB, true, {6, 0, 0}, 2, 1, 2, 13, 2, 4, 10, 128, 10, 8},
    {"16MiB", "16m", 16 * kMiB, false, {6, 2, 0}, 2, 1, 2, 13, 2, 4, 10, 128, 10, 8},
    {"512MiB", "512m", 512 * kMiB, true, {8, 0, 0}, 2, 1, 2, 13, 2, 16, 86, 128, 10, 8},
    {"1GiB", "1g", kGiB, false, {8, 2, 0}, 2, 1, 2, 13, 2, 0, 0, 0, 0, 0},
    {"32GiB", "32g", 32 * kGiB, true, {9, 8, 0}, 11, 10, 18, 126, 2349, 16, 86, 128, 10, 8},
    {"64GiB", "64g", 64 * kGiB, true, {9, 8, 2}, 11, 10, 18, 126, 2300, 16, 86, 128, 10, 8},
};

/// Sizes of the registered proof numbers, in their order.
constexpr std::string_view kRegisteredSizes[] = {"2KiB", "8MiB", "512MiB", "32GiB", "64GiB"};
constexpr std::uint32_t kSizes = std::size(kRegisteredSizes);

const SectorShape* registered_size(std::uint32_t number) noexcept {
  return find_sector_shape(kRegisteredSizes[number % kSizes]);
}

constexpr std::string_view kFeatureSuffixes[] = {"V1", "V1_1", "V1_1_Feat_SyntheticPoRep",
                                                 "V1_2_Feat_NonInteractivePoRep"};

constexpr std::uint32_t kSealProofs = kSizes * std::size(kFeatureSuffixes);
constexpr std::uint32_t kPostProofs = 3 * kSizes;

struct NamedKey {
  ProofKind kind;
  std::string_view size;
  PublishedKey key;
};
constexpr NamedKey kPublishedKeys[] = {
    {ProofKind::porep, "2k", {1114707768, "434fb1338ecfaf0f59256f30dde4968f", "dc1ade9929ade1708238f155343044ac"}},
    {ProofKind::porep, "8m", {1429027896, "09e612e4eeb7a0eb95679a88404f960c", "b687beb9adbd9dabe265a7e3620813e4"}},
    {ProofKind::porep, "512m", {1988841144, "6c77597eb91ab936c1cef4cf19eba1b3", "065179da19fbe515507267677f02823e"}},
    {ProofKind::porep, "32g", {47373928632, "6a388072a518cf46ebd661f5cc46900a", "0c7b4aac1c40fdb7eb82bc355b41addf"}},
    {ProofKind::porep, "64g", {47624967288, "1801f8a6e1b00bceb00cc27314bb5ce3", "a89884252c04c298d0b3c81bfd884164"}},
    {ProofKind::winning, "2k", {47299128, "82c88066be968bb550a05e30ff6c2413", "ffd79788d614d27919ae5bd2d94eacb6"}},
    {ProofKind::winning, "8m", {113383224, "700171ecf7334e3199437c930676af82", "79ebb55f56fda427743e35053edad8fc"}},
    {ProofKind::winning, "512m", {165299640, "827359440349fe8f5a016e7598993b79", "bd2cd62f65c1ab84f19ca27e97b7c731"}},
    {ProofKind::winning, "32g", {192050232, "d84f79a16fe40e9e25a36e2107bb1ba0", "fc02943678dd119e69e7fab8420e8819"}},
    {ProofKind::winning, "64g", {200014584, "2170a91ad5bae22ea61f2ea766630322", "6d3789148fb6466d07ee1e24d6292fd6"}},
    {ProofKind::window, "2k", {11501496, "7610b9f82bfc88405b7a832b651ce2f6", "0e0958009936b9d5e515ec97b8cb792d"}},
    {ProofKind::window, "8m", {30859704, "c49499bb76a0762884896f9683403f55", "34d4feeacd9abf788d69ef1bb4d8fd00"}},
    {ProofKind::window, "512m", {45257400, "1a7d4a9c8a502a497ed92a54366af33f", "4dae975de4f011f101f5a2f86d1daaba"}},
    {ProofKind::window, "32g", {60780374232, "2cf49eb26f1fee94c85781a390ddb4c8", "0f8ec542485568fa3468c066e9fed82b"}},
    {ProofKind::window, "64g", {62556733560, "3810b7780ac0e299b22ae70f1f94c9bc", "59d2bf1857adc59a4f08fcf2afaa916b"}},
    {ProofKind::snap, "2k", {655789464, "311f92a3e75036ced01b1c0025f1fa0c", "eadad9784969890d30f2749708c79771"}},
    {ProofKind::snap, "8m", {4268165208, "5aedd2cf3e5c0a15623d56a1b43110ad", "abd80269054d391a734febdac0d2e687"}},
    {ProofKind::snap, "512m", {21741422712, "c3ad7bb549470b82ad52ed070aebb4f4", "994c5b7d450ca9da348c910689f2dc7f"}},
    {ProofKind::snap, "32g", {34453501368, "1b3cfd761a961543f9eb273e435a06a2", "3a6941983754737fde880d29c7094905"}},
    {ProofKind::snap, "64g", {35507495352, "1a392e7b759fb18e036c7559b5ece816", "80e366df2f1011953c2d01c7b7c9ee8e"}},
};

/// "merkletree-poseidon_hasher-8-8-0"
std::string tree_name(const TreeShape& tree) {
  return "merkletree-poseidon_hasher-8-" + std::to_string(tree.sub) + "-" + std::to_string(tree.top);
}

std::string key_prefix(const Circuit& circuit) {
  const std::string tree = tree_name(circuit.sector->tree);
  switch (circuit.kind) {
    case ProofKind::porep:
      return "stacked-proof-of-replication-" + tree + "-sha256_hasher";
    case ProofKind::snap:
      return "empty-sector-update-" + tree;
    case ProofKind::winning:
    case ProofKind::window:
      break;
  }
  return "proof-of-spacetime-fallback-" + tree;
}

std::string porep_identifier(const SectorShape& sector) {
  return "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: " +
         std::to_string(kExpanderParents) +
         " base_graph: drgraph::BucketGraph{size: " + std::to_string(sector.nodes()) +
         "; degree: " + std::to_string(kDrgParents) +
         "; hasher: poseidon_hasher} }, challenges: LayerChallenges { layers: " + std::to_string(sector.layers) +
         ", max_count: " + std::to_string(sector.porep_challenges) + " }, tree: " + tree_name(sector.tree) + " }";
}

std::string post_identifier(const SectorShape& sector, unsigned challenges, unsigned sectors) {
  return "FallbackPoSt::PublicParams{sector_size: " + std::to_string(sector.bytes) +
         ", challenge_count: " + std::to_string(challenges) + ", sector_count: " + std::to_string(sectors) + "}";
}

/// The kind's part of a circuit's id.
constexpr std::string_view id_prefix(ProofKind kind) noexcept {
  return kind == ProofKind::window    ? "wpost"
         : kind == ProofKind::winning ? "winning"
         : kind == ProofKind::porep   ? "porep"
                                      : "snap";
}

bool has_circuit(ProofKind kind, const SectorShape& sector) noexcept {
  return kind != ProofKind::snap || sector.update_partitions != 0;
}

tl::unexpected<Error> unknown_circuit(std::string_view id) {
  std::string message = "there is no circuit \"" + std::string(id) + "\"; there are";
  for (const ProofKind kind : kProofKinds) {
    message += " " + std::string(id_prefix(kind)) + "-{";
    for (const SectorShape& sector : kShapes)
      if (has_circuit(kind, sector)) message += std::string(sector.id) + ",";
    message.back() = '}';
  }
  return fail(Code::not_found, std::move(message));
}

tl::unexpected<Error> unknown_number(std::string_view what, std::uint32_t number, std::uint32_t end) {
  return fail(Code::unsupported, Kind::unknown_proof_type,
              std::string(what) + " " + std::to_string(number) + " is not one of 0 to " + std::to_string(end - 1));
}

tl::unexpected<Error> unknown_name(std::string_view what, std::string_view name) {
  return fail(Code::unsupported, Kind::unknown_proof_type,
              "\"" + std::string(name) + "\" is no registered " + std::string(what) + " proof");
}

}  // namespace

std::string_view name_of(ProofKind kind) noexcept {
  switch (kind) {
    case ProofKind::porep:
      return "porep";
    case ProofKind::winning:
      return "winning";
    case ProofKind::window:
      return "window";
    case ProofKind::snap:
      break;
  }
  return "snap";
}

std::optional<ProofKind> proof_kind_from(std::string_view name) noexcept {
  for (const ProofKind kind : kProofKinds)
    if (name_of(kind) == name) return kind;
  return std::nullopt;
}

std::vector<unsigned> TreeShape::arities() const {
  std::vector<unsigned> all(base_levels, 8);
  if (sub != 0) all.push_back(sub);
  if (top != 0) all.push_back(top);
  return all;
}

unsigned SectorShape::log2_nodes() const noexcept { return static_cast<unsigned>(std::countr_zero(nodes())); }

std::span<const SectorShape> sector_shapes() noexcept { return kShapes; }

const SectorShape* find_sector_shape(std::string_view name_or_id) noexcept {
  const auto* found = std::find_if(std::begin(kShapes), std::end(kShapes), [&](const SectorShape& shape) {
    return shape.name == name_or_id || shape.id == name_or_id;
  });
  return found == std::end(kShapes) ? nullptr : found;
}

const SectorShape* find_sector_shape(std::uint64_t bytes) noexcept {
  const auto* found = std::find_if(std::begin(kShapes), std::end(kShapes),
                                   [bytes](const SectorShape& shape) { return shape.bytes == bytes; });
  return found == std::end(kShapes) ? nullptr : found;
}

std::string Circuit::id() const { return std::string(id_prefix(kind)) + "-" + std::string(sector->id); }

std::string Circuit::identifier() const {
  switch (kind) {
    case ProofKind::porep:
      return porep_identifier(*sector);
    case ProofKind::winning:
      return post_identifier(*sector, 1, kWinningSectors);
    case ProofKind::window:
      return post_identifier(*sector, kWindowChallenges, sector->window_sectors);
    case ProofKind::snap:
      break;
  }
  return "empty_sector_update::PublicParams{ sector_nodes: " + std::to_string(sector->nodes()) + " }";
}

std::string Circuit::key_file_stem() const {
  return "v28-" + key_prefix(*this) + "-" + encode_hex(sha256(text_bytes(identifier())));
}

std::size_t Circuit::num_public() const noexcept {
  constexpr std::size_t kPathsOfChallenge = 3 + 1 + kDrgParents + kExpanderParents;  // and the challenge itself
  switch (kind) {
    case ProofKind::porep:
      return 3 + kPathsOfChallenge * sector->porep_challenges;
    case ProofKind::winning:
      return 2 * std::size_t{kWinningSectors};
    case ProofKind::window:
      return std::size_t{1 + kWindowChallenges} * sector->window_sectors;
    case ProofKind::snap:
      break;
  }
  return 4;
}

Result<Circuit> find_circuit(std::string_view id) {
  const std::size_t dash = id.find('-');
  if (dash == std::string_view::npos) return unknown_circuit(id);
  const std::string_view prefix = id.substr(0, dash), size = id.substr(dash + 1);
  for (const ProofKind kind : kProofKinds)
    for (const SectorShape& sector : kShapes)
      if (prefix == id_prefix(kind) && size == sector.id && has_circuit(kind, sector)) return Circuit{kind, &sector};
  return unknown_circuit(id);
}

std::optional<PublishedKey> published_key(const Circuit& circuit) noexcept {
  for (const NamedKey& named : kPublishedKeys)
    if (named.kind == circuit.kind && named.size == circuit.sector->id) return named.key;
  return std::nullopt;
}

ApiVersion SealProof::api() const noexcept {
  switch (feature) {
    case PorepFeature::v1:
      return ApiVersion::v1_0_0;
    case PorepFeature::v1_1:
      return ApiVersion::v1_1_0;
    case PorepFeature::synthetic:
    case PorepFeature::non_interactive:
      break;
  }
  return ApiVersion::v1_2_0;
}

unsigned SealProof::partitions() const noexcept {
  return feature == PorepFeature::non_interactive ? sector->non_interactive_partitions : sector->porep_partitions;
}

std::string SealProof::name() const {
  return "StackedDrg" + std::string(sector->name) + std::string(kFeatureSuffixes[static_cast<unsigned>(feature)]);
}

std::array<std::byte, 32> SealProof::porep_id() const noexcept {
  std::array<std::byte, 32> id{};
  store_le(id.data(), std::uint64_t{number});
  return id;
}

Result<SealProof> seal_proof(std::uint32_t number) {
  if (number >= kSealProofs) return unknown_number("the registered seal proof", number, kSealProofs);
  return SealProof{number, registered_size(number), static_cast<PorepFeature>(number / kSizes)};
}

Result<SealProof> seal_proof(std::string_view name) {
  for (std::uint32_t number = 0; number < kSealProofs; ++number) {
    CUZK_TRY(const SealProof proof, seal_proof(number));
    if (proof.name() == name) return proof;
  }
  return unknown_name("seal", name);
}

Result<PostProof> post_proof(std::uint32_t number) {
  if (number >= kPostProofs) return unknown_number("the registered PoSt proof", number, kPostProofs);
  return PostProof{number, number < kSizes ? ProofKind::winning : ProofKind::window, registered_size(number),
                   number < 2 * kSizes ? ApiVersion::v1_0_0 : ApiVersion::v1_2_0};
}

std::string PostProof::name() const {
  return (kind == ProofKind::winning ? "StackedDrgWinning" : "StackedDrgWindow") + std::string(sector->name) +
         (api == ApiVersion::v1_0_0 ? "V1" : "V1_2");
}

Result<PostProof> post_proof(std::string_view name) {
  for (std::uint32_t number = 0; number < kPostProofs; ++number) {
    CUZK_TRY(const PostProof proof, post_proof(number));
    const std::string official = proof.name();
    const bool go_name = official.ends_with("V1_2") && name == official.substr(0, official.size() - 1) + "1";
    if (name == official || go_name) return proof;
  }
  return unknown_name("PoSt", name);
}

Result<const SectorShape*> update_proof(std::uint32_t number) {
  if (number >= kSizes) return unknown_number("the registered update proof", number, kSizes);
  return registered_size(number);
}

Result<const SectorShape*> update_proof(std::string_view name) {
  for (std::uint32_t number = 0; number < kSizes; ++number) {
    const SectorShape* const sector = registered_size(number);
    if (name == "StackedDrg" + std::string(sector->name) + "V1") return sector;
  }
  return unknown_name("update", name);
}

}  // namespace cuzk::filecoin
