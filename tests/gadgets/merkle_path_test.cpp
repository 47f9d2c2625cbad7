#include "gadgets/merkle_path.h"

#include <random>

#include <gtest/gtest.h>

#include "hash/sha256_compress.h"
#include "tests/gadgets/gadget_vector.h"
#include "tests/gen/field_values.h"
#include "tests/gen/seed.h"

namespace cuzk::gadgets {
namespace {

using hash::Fr;
using Cs = r1cs::TestSystem<Fr>;

struct Level {
  unsigned arity;
  unsigned index;
  std::array<U256, 7> siblings;
};
using Path = std::vector<Level>;

Path blank(std::span<const unsigned> arities) {
  Path path;
  for (const unsigned arity : arities) path.push_back({arity, 0, {}});
  return path;
}

Path random_path(std::span<const unsigned> arities, std::mt19937_64& random) {
  Path path = blank(arities);
  for (Level& level : path) {
    level.index = static_cast<unsigned>(random() % level.arity);
    for (U256& sibling : level.siblings) sibling = test::uniform_element<Fr>(random).canonical();
  }
  return path;
}

/// The root by the native hashes.
U256 native_root(U256 node, const Path& path, TreeHash kind) {
  for (const Level& level : path) {
    std::vector<U256> children(level.siblings.begin(), level.siblings.begin() + level.arity - 1);
    children.insert(children.begin() + level.index, node);
    node = kind == TreeHash::sha256
               ? hash::sha256_pair(children[0], children[1])
               : hash::poseidon(hash::poseidon_kind_of_arity(level.arity), std::span<const U256>(children));
  }
  return node;
}

std::uint64_t leaf_index(const Path& path) {
  std::uint64_t index = 0, stride = 1;
  for (const Level& level : path) {
    index += level.index * stride;
    stride *= level.arity;
  }
  return index;
}

struct Facts {
  const char* name;
  TreeHash hash;
  std::vector<unsigned> arities;
  std::size_t constraints;
};

void PrintTo(const Facts& facts, std::ostream* out) { *out << facts.name; }

/// The reference's circuit of its own: leaf, path, root.
r1cs::Variable inclusion(Cs& cs, const Facts& facts, const U256& leaf_value, const Path& path) {
  const auto leaf = alloc_canonical(cs, leaf_value);
  const auto found = merkle_path(cs, leaf, std::span<const Level>(path), facts.hash);
  const auto root = alloc_canonical(cs, native_root(leaf_value, path, facts.hash));
  enforce_equal(cs, found, root);
  return root.variable;
}

/// The same with the root made public.
r1cs::Variable public_inclusion(Cs& cs, const Facts& facts, const U256& leaf, const Path& path) {
  const r1cs::Variable root = inclusion(cs, facts, leaf, path);
  inputize(cs, Num<Fr>{root, cs.value(root)});
  return root;
}

const Facts kFacts[] = {
    {"poseidon-2", TreeHash::poseidon, {2, 2, 2, 2, 2, 2}, 1887},
    {"poseidon-4", TreeHash::poseidon, {4, 4, 4}, 1164},
    {"poseidon-8", TreeHash::poseidon, {8, 8}, 1063},
    {"poseidon-8-2", TreeHash::poseidon, {8, 8, 2}, 1377},
    {"poseidon-8-4-2", TreeHash::poseidon, {8, 8, 4, 2}, 1764},
    {"poseidon-8-8", TreeHash::poseidon, {8, 8, 8}, 1593},
    {"poseidon-8-8-2", TreeHash::poseidon, {8, 8, 8, 2}, 1907},
    {"sha256-2", TreeHash::sha256, {2, 2, 2, 2, 2, 2}, 272295},
};

class MerkleInclusionTest : public testing::TestWithParam<Facts> {};
INSTANTIATE_TEST_SUITE_P(Shapes, MerkleInclusionTest, testing::ValuesIn(kFacts));

/// The reference's own tests assert these counts.
TEST_P(MerkleInclusionTest, HasTheReferencesCounts) {
  Cs cs;
  public_inclusion(cs, GetParam(), U256{}, blank(GetParam().arities));
  EXPECT_EQ(cs.num_constraints(), GetParam().constraints);
  EXPECT_EQ(cs.num_inputs(), 3u);
}

TEST_P(MerkleInclusionTest, HoldsForTheRootAlone) {
  std::mt19937_64 random(test::run_seed());
  const Path path = random_path(GetParam().arities, random);
  Cs cs;
  const auto root = public_inclusion(cs, GetParam(), test::uniform_element<Fr>(random).canonical(), path);
  EXPECT_TRUE(cs.is_satisfied());
  EXPECT_EQ(cs.inputs()[1], Fr::from_u64(leaf_index(path)));
  EXPECT_EQ(cs.inputs()[2], cs.value(root));
  cs.set(root, cs.value(root) + Fr::one());
  EXPECT_EQ(cs.first_unsatisfied(), cs.num_constraints() - 2);
}

TEST_P(MerkleInclusionTest, IsMadeOfBlocks) {
  Cs cs;
  public_inclusion(cs, GetParam(), U256{}, blank(GetParam().arities));
  if (GetParam().hash == TreeHash::poseidon) {
    EXPECT_EQ(cs.num_blocks(), GetParam().arities.size());
  } else {
    EXPECT_GE(cs.num_blocks(), 2 * GetParam().arities.size());
  }
}

/// From bits and siblings that exist already: the same root.
TEST_P(MerkleInclusionTest, RootOfGivenSiblings) {
  std::mt19937_64 random(test::run_seed());
  const auto& arities = GetParam().arities;
  const Path path = random_path(arities, random);
  const U256 leaf = test::uniform_element<Fr>(random).canonical();
  Cs cs;
  const auto node = alloc_canonical(cs, leaf);
  std::vector<Boolean> bits;
  std::vector<Num<Fr>> siblings;
  for (const Level& level : path) {
    alloc_siblings(cs, level, siblings);
    const auto index = alloc_bits(cs, level.index, static_cast<unsigned>(std::countr_zero(level.arity)));
    bits.insert(bits.end(), index.begin(), index.end());
  }
  const auto root = merkle_root<Cs>(cs, node, arities, bits, siblings, GetParam().hash);
  EXPECT_EQ(root.value.canonical(), native_root(leaf, path, GetParam().hash));
  EXPECT_TRUE(cs.is_satisfied());
}

std::vector<unsigned> times(std::size_t count, unsigned arity, std::vector<unsigned> above = {}) {
  std::vector<unsigned> arities(count, arity);
  arities.insert(arities.end(), above.begin(), above.end());
  return arities;
}

struct Hashes {
  Facts facts;
  const char* cs_hash;
  const char* matrices;
};
const Hashes kHashes[] = {
    {{"poseidon 8, 64 leaves", TreeHash::poseidon, {8, 8}, 1063},
     "3bd8cb4719e1ce8b020c078159a77bd5cf9d8eca04ed094eaca290c621f10a20",
     "4844fe4c1beb87a0ea7fc390c5f95e7fef434a8db1e32dbf4c419563b5116186"},
    {{"poseidon 8-8-2, 1024 leaves", TreeHash::poseidon, {8, 8, 8, 2}, 1907},
     "1aaf5b3ff8221455ad5ba57746f23db956a2de780213b68d65d8ea0165607e84",
     "2ac24e9ae4db926886c32decb12b47695f95674510b9cbdff98054cd0dedb173"},
    {{"sha256, 8 leaves", TreeHash::sha256, {2, 2, 2}, 136149},
     "e7a1eb53240b1aed01dd4e0e7484a3e69942ad76da7069aaae315f52b42d242e",
     "603f2d504d683534110fcd6e1a09ee5f221614ba86c05e4f160cb06d477bb01f"},
};

TEST(MerklePathTest, HasTheReferencesHashes) {
  for (const auto& [facts, cs_hash, matrices] : kHashes) {
    Cs cs;
    public_inclusion(cs, facts, U256{}, blank(facts.arities));
    EXPECT_EQ(cs.num_constraints(), facts.constraints) << facts.name;
    EXPECT_EQ(encode_hex(cs.hash()), cs_hash) << facts.name;
    EXPECT_EQ(encode_hex(cs.matrices_digest()), matrices) << facts.name;
  }
}

const Facts kVectors[] = {
    {"por-poseidon-8-0-0-2KiB", TreeHash::poseidon, times(2, 8), 1062},
    {"por-poseidon-8-0-0-8MiB", TreeHash::poseidon, times(6, 8), 3182},
    {"por-poseidon-8-8-0-32GiB", TreeHash::poseidon, times(10, 8), 5302},
    {"por-poseidon-8-8-2-64GiB", TreeHash::poseidon, times(10, 8, {2}), 5616},
    {"por-sha256-binary-2KiB", TreeHash::sha256, times(6, 2), 272294},
    {"por-sha256-binary-32GiB", TreeHash::sha256, times(30, 2), 1361462},
};

TEST(MerklePathTest, MatchesTheVectors) {
  for (const Facts& facts : kVectors) {
    SCOPED_TRACE(facts.name);
    Cs cs;
    inclusion(cs, facts, U256{}, blank(facts.arities));
    EXPECT_EQ(cs.num_constraints(), facts.constraints);
    test::expect_matches(test::gadget_vector(facts.name), cs);
  }
}

}  // namespace
}  // namespace cuzk::gadgets
