// The registry against the published names and sizes of key files.
#include "filecoin/registry.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using test::must;

struct PublishedName {
  std::string_view circuit;
  std::string_view digest;  // the last part of the key file's name
};
constexpr PublishedName kPublishedNames[] = {
    {"porep-2k", "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f"},
    {"winning-2k", "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e"},
    {"wpost-2k", "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0"},
    {"snap-2k", "fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194"},
    {"porep-8m", "ecd683648512ab1765faa2a5f14bab48f676e633467f0aa8aad4b55dcb0652bb"},
    {"winning-8m", "50c7368dea9593ed0989e70974d28024efa9d156d585b7eea1be22b2e753f331"},
    {"wpost-8m", "5294475db5237a2e83c3e52fd6c2b03859a1831d45ed08c4f35dbf9a803165a9"},
    {"snap-8m", "92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63"},
    {"porep-512m", "6babf46ce344ae495d558e7770a585b2382d54f225af8ed0397b8be7c3fcd472"},
    {"winning-512m", "7d739b8cf60f1b0709eeebee7730e297683552e4b69cab6984ec0285663c5781"},
    {"wpost-512m", "0cfb4f178bbb71cf2ecfcd42accce558b27199ab4fb59cb78f2483fe21ef36d9"},
    {"snap-512m", "61fa69f38b9cc771ba27b670124714b4ea77fbeae05e377fb859c4a43b73a30c"},
    {"porep-32g", "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820"},
    {"winning-32g", "559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e"},
    {"wpost-32g", "0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc"},
    {"snap-32g", "3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18"},
    {"porep-64g", "96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2"},
    {"winning-64g", "b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c"},
    {"wpost-64g", "2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def"},
    {"snap-64g", "102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7"},
};

TEST(Registry, KeyFilesHaveTheirPublishedNames) {
  for (const PublishedName& name : kPublishedNames) {
    const std::string stem = must(find_circuit(name.circuit)).key_file_stem();
    EXPECT_EQ(stem.substr(stem.size() - 65), "-" + std::string(name.digest)) << name.circuit;
  }
  EXPECT_TRUE(must(find_circuit("porep-32g"))
                  .key_file_stem()
                  .starts_with("v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-"));
  EXPECT_TRUE(must(find_circuit("wpost-64g"))
                  .key_file_stem()
                  .starts_with("v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-2-"));
  EXPECT_TRUE(must(find_circuit("snap-2k"))
                  .key_file_stem()
                  .starts_with("v28-empty-sector-update-merkletree-poseidon_hasher-8-0-0-"));
}

TEST(Registry, PublishedKeysAreThoseOfPublishedSizes) {
  std::size_t published = 0;
  for (const SectorShape& sector : sector_shapes())
    for (const ProofKind kind : kProofKinds) {
      const auto key = published_key({kind, &sector});
      EXPECT_EQ(key.has_value(), sector.published) << sector.name;
      if (!key) continue;
      ++published;
      EXPECT_EQ(key->params_digest.size(), 32u);
      EXPECT_EQ(key->vk_digest.size(), 32u);
    }
  EXPECT_EQ(published, std::size(kPublishedNames));
  EXPECT_EQ(published_key(must(find_circuit("porep-32g")))->params_bytes, 47373928632u);
}

TEST(Registry, CircuitsAreFoundByTheirIds) {
  for (const SectorShape& sector : sector_shapes())
    for (const ProofKind kind : kProofKinds) {
      if (kind == ProofKind::snap && sector.update_partitions == 0) continue;
      const Circuit circuit{kind, &sector};
      EXPECT_EQ(must(find_circuit(circuit.id())), circuit);
    }
  for (const std::string_view wrong : {"", "porep", "porep-", "porep-3k", "snap-1g", "window-2k", "porep-2KiB"}) {
    const auto circuit = find_circuit(wrong);
    ASSERT_FALSE(circuit.has_value()) << wrong;
    EXPECT_EQ(circuit.error().code(), Code::not_found);
    EXPECT_NE(circuit.error().message().find("wpost-{2k,"), std::string::npos) << circuit.error().message();
  }
}

TEST(Registry, NumbersOfPublicInputs) {
  EXPECT_EQ(must(find_circuit("porep-2k")).num_public(), 39u);
  EXPECT_EQ(must(find_circuit("porep-32g")).num_public(), 327u);
  EXPECT_EQ(must(find_circuit("winning-64g")).num_public(), 132u);
  EXPECT_EQ(must(find_circuit("wpost-2k")).num_public(), 22u);
  EXPECT_EQ(must(find_circuit("wpost-32g")).num_public(), 25839u);
  EXPECT_EQ(must(find_circuit("wpost-64g")).num_public(), 25300u);
  EXPECT_EQ(must(find_circuit("snap-8m")).num_public(), 4u);
}

TEST(Registry, TreesHoldTheSectorsNodes) {
  for (const SectorShape& sector : sector_shapes()) {
    std::uint64_t leaves = 1;
    for (const unsigned arity : sector.tree.arities()) leaves *= arity;
    EXPECT_EQ(leaves, sector.nodes()) << sector.name;
    EXPECT_EQ(std::uint64_t{1} << sector.log2_nodes(), sector.nodes());
    EXPECT_EQ(find_sector_shape(sector.name), &sector);
    EXPECT_EQ(find_sector_shape(sector.id), &sector);
    EXPECT_EQ(find_sector_shape(sector.bytes), &sector);
  }
  EXPECT_EQ(find_sector_shape("3KiB"), nullptr);
  EXPECT_EQ(find_sector_shape(std::uint64_t{1}), nullptr);
}

TEST(Registry, SealProofsByNumberAndName) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    const SealProof proof = must(seal_proof(number));
    EXPECT_EQ(proof.number, number);
    EXPECT_EQ(must(seal_proof(proof.name())).number, number);
    EXPECT_EQ(std::to_integer<unsigned>(proof.porep_id()[0]), number);
  }
  const SealProof sealed = must(seal_proof("StackedDrg32GiBV1_1"));
  EXPECT_EQ(sealed.number, 8u);
  EXPECT_EQ(sealed.api(), ApiVersion::v1_1_0);
  EXPECT_EQ(sealed.partitions(), 10u);
  EXPECT_EQ(must(seal_proof("StackedDrg64GiBV1_1_Feat_SyntheticPoRep")).number, 14u);
  EXPECT_EQ(must(seal_proof("StackedDrg32GiBV1_2_Feat_NonInteractivePoRep")).partitions(), 126u);
  EXPECT_EQ(must(seal_proof(std::uint32_t{3})).api(), ApiVersion::v1_0_0);
  EXPECT_FALSE(seal_proof(std::uint32_t{20}).has_value());
  EXPECT_FALSE(seal_proof("StackedDrg32GiB").has_value());
}

TEST(Registry, PostAndUpdateProofsByNumber) {
  EXPECT_EQ(must(post_proof(std::uint32_t{3})).kind, ProofKind::winning);
  EXPECT_EQ(must(post_proof(8)).api, ApiVersion::v1_0_0);
  EXPECT_EQ(must(post_proof(13)).api, ApiVersion::v1_2_0);
  EXPECT_EQ(must(post_proof(13)).sector->name, "32GiB");
  EXPECT_EQ(must(post_proof(14)).kind, ProofKind::window);
  EXPECT_FALSE(post_proof(15).has_value());
  for (std::uint32_t number = 0; number < 15; ++number)
    EXPECT_EQ(must(post_proof(must(post_proof(number)).name())).number, number);
  EXPECT_EQ(must(post_proof("StackedDrgWindow32GiBV1_2")).number, 13u);
  EXPECT_EQ(must(post_proof("StackedDrgWindow32GiBV1_1")).number, 13u);
  EXPECT_FALSE(post_proof("StackedDrg32GiBV1").has_value());
  EXPECT_EQ(must(update_proof("StackedDrg32GiBV1"))->name, "32GiB");
  EXPECT_FALSE(update_proof("StackedDrg32GiBV1_1").has_value());
  EXPECT_EQ(must(update_proof(4))->name, "64GiB");
  EXPECT_FALSE(update_proof(5).has_value());
}

}  // namespace
}  // namespace cuzk::filecoin
