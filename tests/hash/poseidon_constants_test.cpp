#include "hash/poseidon_constants.h"

#include <gtest/gtest.h>

#include "support/hex.h"
#include "support/sha256.h"

namespace cuzk::hash {
namespace {

/// SHA-256 of canonical values, of neptune's constants.
struct Digests {
  unsigned arity;
  std::string_view round_constants, compressed_constants, mds, pre_sparse, sparse;
};

constexpr Digests kNeptune[] = {
    {
        2,
        "cf4dfb7448132022e22b32e3dce6b125cb06329448f9e8d8fe53a71c73cbe6d4",
        "b768b730ce5198394d948d76421ab53b08cc16ec1ac082cf503f370192253e16",
        "b55e71db69c416c830c28ca9871f933b6c27220eae309801c981ee3b0885ee51",
        "13d6e8e5ba45b0d2096617d055499f36adad1aab6853de143ed42b14eea9a0f6",
        "a2fe507a83bddb8d57e5a00e7e58e79800c272b0db7dd4141943f6e567e99138",
    },
    {
        4,
        "91e463d6553415b3901b9f26b2ad53e6298ac3e5ab0ef260d397bafe8bdde98e",
        "3e4ec19ded2c86a89f3d6bddc13d9571a0cc5473e7207cfbaf6a8169a69f5709",
        "42a9ccbf22e42dc598fbe106f6b5019b46d545a725eb7538ba6bcf3765b350ab",
        "aee67dfb1ae8c43eca89f5742a745c6309f2d302ab741b75d2641b7025d87413",
        "f1c3c3a9fe9ea4a3c38c91971e5f379da38123fe1dcf960b461d84c5ba759f2b",
    },
    {
        8,
        "9a4a743575f0eaf285c93d73f8adaf4e7ef4042c2445b42bddaf1a64e5face72",
        "f5a94aea73a583d080abdf7d71259fab9107f5523a4a1eddc41468f94564dd16",
        "82d366586a4b49ae74f4c5bbc94bbed0a0eb064584097367d926ae1f11e30894",
        "dcfbdaea3eb7e347664c8f881c5443b1895f10c85cab0878022eb287defa8587",
        "3f823785875d8cc161c963d2a62d103a3fefab30eb4244cef877d8e624fb79f4",
    },
    {
        11,
        "479dc0d71d694cd50d853dec0c94aeb37df2a69929eaa23b545a52b1226aec06",
        "2d7c0e4e9b98eda82102b69f1a964ae59ccf98b0008b6d3d632d86f4fea79d1d",
        "7ef350e5db367cae7828071ca354fefd25c59fe77e31261d27fb2ce8f14ff956",
        "f2a7353f0ce5ad724a7a58bf2db0e37f7c5662f064a6c97466021af83279a96e",
        "810a4d7f126f6e5fb3eb1980b57c70f90bb835219373d955726e30b3ca931556",
    },
};

void put(Sha256& hash, std::span<const Fr> elements) {
  for (const Fr& element : elements) {
    const U256 value = element.canonical();
    hash.update(object_bytes(value));
  }
}
std::string digest(std::span<const Fr> elements) {
  Sha256 hash;
  put(hash, elements);
  return encode_hex(hash.finish());
}
std::string digest(std::span<const SparseMatrix> matrices) {
  Sha256 hash;
  for (const SparseMatrix& matrix : matrices) {
    put(hash, matrix.w_hat);
    put(hash, matrix.v_rest);
  }
  return encode_hex(hash.finish());
}

class PoseidonConstantsTest : public testing::TestWithParam<Digests> {
 protected:
  const PoseidonConstants& constants() { return poseidon_constants(poseidon_kind_of_arity(GetParam().arity)); }
};
INSTANTIATE_TEST_SUITE_P(Arities, PoseidonConstantsTest, testing::ValuesIn(kNeptune),
                         [](const auto& chosen) { return std::to_string(chosen.param.arity); });

TEST_P(PoseidonConstantsTest, AreNeptunes) {
  const PoseidonConstants& c = constants();
  EXPECT_EQ(c.arity, GetParam().arity);
  EXPECT_EQ(digest(c.round_constants), GetParam().round_constants);
  EXPECT_EQ(digest(c.compressed_constants), GetParam().compressed_constants);
  EXPECT_EQ(digest(c.mds), GetParam().mds);
  EXPECT_EQ(digest(c.pre_sparse), GetParam().pre_sparse);
  EXPECT_EQ(digest(c.sparse), GetParam().sparse);
}

TEST_P(PoseidonConstantsTest, HaveTheNumbersThatTheHeaderStates) {
  const PoseidonConstants& c = constants();
  EXPECT_EQ(c.width, c.arity + 1);
  EXPECT_EQ(c.round_constants.size(), c.width * (8 + c.partial_rounds));
  EXPECT_EQ(c.compressed_constants.size(), 8 * c.width + c.partial_rounds);
  EXPECT_EQ(c.mds.size(), c.width * c.width);
  EXPECT_EQ(c.pre_sparse.size(), c.width * c.width);
  EXPECT_EQ(c.sparse.size(), c.partial_rounds);
  for (const SparseMatrix& s : c.sparse) {
    EXPECT_EQ(s.w_hat.size(), c.width);
    EXPECT_EQ(s.v_rest.size(), c.arity);
  }
}

TEST(PoseidonConstants, TheFirstOfArityEightIsTheOneThatIsPublished) {
  EXPECT_EQ(poseidon_constants(PoseidonKind::arity_8).round_constants[0].canonical().to_hex(),
            "6ce90d12c4045fe08c3caddb776dd84ac52b4ae7e48cd49443984154f2f4c2f9");
}

TEST(PoseidonConstants, KindsDifferInTheirTag) {
  const auto tag = [](PoseidonKind kind) { return poseidon_constants(kind).domain_tag.canonical(); };
  EXPECT_EQ(tag(PoseidonKind::arity_2), U256::from_u64(3));
  EXPECT_EQ(tag(PoseidonKind::arity_4), U256::from_u64(15));
  EXPECT_EQ(tag(PoseidonKind::arity_8), U256::from_u64(255));
  EXPECT_EQ(tag(PoseidonKind::arity_11), U256::from_u64(2047));
  EXPECT_EQ(tag(PoseidonKind::randomness), U256::from_u64(std::uint64_t{1} << 40));
  EXPECT_EQ(poseidon_constants(PoseidonKind::randomness).round_constants,
            poseidon_constants(PoseidonKind::arity_2).round_constants);
}

}  // namespace
}  // namespace cuzk::hash
