// Sealing a 2 KiB sector: the values of docs/circuits.md, "End-to-end example, 2 KiB", and what must hold of any.
#include <gtest/gtest.h>

#include "filecoin/primitives/prover_id.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/seal/sector.h"
#include "support/hex.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using test::must;

std::string hex(const Node& node) {
  std::array<std::byte, 32> bytes;
  node.to_le_bytes(bytes.data());
  return encode_hex(bytes);
}

Bytes32 series(unsigned step, unsigned start) {
  Bytes32 bytes;
  for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(step * i + start);
  return bytes;
}

std::vector<Node> counting_data() {
  std::vector<Node> data;
  for (std::uint64_t i = 0; i < 64; ++i) data.push_back(Node::from_u64(i + 1));
  return data;
}

SealedSector example(Arena& arena) {
  const SealInputs inputs{must(seal_proof(5)), prover_id(1000), 42, series(3, 0)};
  return must(SealedSector::seal(arena, inputs, counting_data()));
}

TEST(SealSector, example) {
  Arena arena(2);
  const SealedSector sector = example(arena);
  EXPECT_EQ(hex(sector.comm_d()), "a56f68b58b6d151ea91b65299d9204dd0c392d2c66a61d00825fb527e3fbd020");
  EXPECT_EQ(hex(sector.replica_id()), "a0cdd810afbbbb033780d890e5370d00cdcdcfb84587c9e4be0869d1d7bfd018");
  EXPECT_EQ(hex(sector.layer(1)[1]), "d14ea4fd0d4641cff5130946f5c117872dc4fb432a27e24683a7cb74533aa73b");
  EXPECT_EQ(hex(sector.layer(2)[63]), "42e052e9c98261f549b92bfb1a2577b9922ebd400e4b684654f4946d7003990c");
  EXPECT_EQ(hex(sector.comm_c()), "f8b513c7185d2fb15659e751722bb5e41f88dfc6677772a1e0dc458d4468d563");
  EXPECT_EQ(hex(sector.comm_r_last()), "8fe79d46c78b2f8304185d6ab74a3a6b45b21e2e3c8c98439404c86527f8166b");
  EXPECT_EQ(hex(sector.comm_r()), "9a3c4267bba35adf8ff4f137594b1088ab5c70466ebe6258f28bca55fa24e824");

  const PorepVanillaProof proof = sector.prove_seal(series(5, 1));
  ASSERT_EQ(proof.partitions.size(), 1u);
  ASSERT_EQ(proof.partitions[0].size(), 2u);
  EXPECT_EQ(proof.partitions[0][0].challenge(), 12u);
  EXPECT_EQ(proof.partitions[0][1].challenge(), 47u);
}

TEST(SealSector, example_of_a_winning_proof) {
  Arena arena(2);
  const PostVanillaProof proof =
      prove_storage(must(post_proof(0)), Node::from_le_bytes(series(1, 0).data()), example(arena), 0);
  ASSERT_EQ(proof.sectors.size(), 1u);
  ASSERT_EQ(proof.sectors[0].inclusion_proofs.size(), kWinningSectors);
  const std::uint64_t first[] = {10, 0, 6, 16, 52, 40};
  for (std::size_t i = 0; i < std::size(first); ++i)
    EXPECT_EQ(proof.sectors[0].inclusion_proofs[i].leaf_index(), first[i]);
}

TEST(SealSector, example_of_an_update) {
  Arena arena(2);
  const SealedSector old = example(arena);
  std::vector<Node> data;
  for (std::uint64_t i = 0; i < 64; ++i) data.push_back(Node::from_u64(1000 + i * i));
  const UpdatedSector updated = must(UpdatedSector::encode(arena, old, data));
  EXPECT_EQ(hex(updated.statement().comm_d_new), "8db3f2c0731126749350814f7d8861b9e8c3e5c6f460f25bc3721f158d9e0a24");
  EXPECT_EQ(hex(updated.phi()), "29aa463b3980ff77961b263648bfe0d935770e09a129ec964d7969d81bd41a38");
  EXPECT_EQ(hex(updated.tree_r_last().root()), "6b6fb24bcd91c87fd12f3c6516ef4669107ceb872800f8b230dacd0de2679f48");
  EXPECT_EQ(hex(updated.statement().comm_r_new), "01aa72e7bb1e81b27e6f741b17c891affa445e0301be82a67b79b86efa0d8c0d");

  const std::vector<UpdatePartitionProof> proofs = updated.prove_update(old);
  ASSERT_EQ(proofs.size(), 1u);
  const std::uint64_t nodes[] = {57, 51, 17, 63, 12, 25, 12, 29, 22, 54};
  ASSERT_EQ(proofs[0].challenges.size(), std::size(nodes));
  for (std::size_t i = 0; i < std::size(nodes); ++i) {
    EXPECT_EQ(proofs[0].challenges[i].d_new.leaf_index(), nodes[i]);
    EXPECT_EQ(proofs[0].challenges[i].r_old.leaf, old.tree_r_last().leaves()[nodes[i]]);
    EXPECT_EQ(proofs[0].challenges[i].r_new.leaf, updated.tree_r_last().leaves()[nodes[i]]);
  }
}

TEST(SealSector, every_shape_is_sealed) {
  Arena arena(2);
  for (const SectorShape& shape : sector_shapes()) {
    if (shape.bytes > 32 << 10) continue;  // 2, 4, 16, 32 KiB: base, sub and top
    SealProof proof = must(seal_proof(5));
    proof.sector = &shape;
    const SealInputs inputs{proof, prover_id(1), 2, series(7, 1)};
    const SealedSector sector = must(SealedSector::seal(arena, inputs, std::vector<Node>(shape.nodes())));
    EXPECT_EQ(sector.tree_r_last().leaves().size(), shape.nodes());
    EXPECT_EQ(comm_r_of(sector.comm_c(), sector.comm_r_last()), sector.comm_r());
    for (std::size_t i = 0; i < shape.nodes(); ++i)  // data of zeros: the replica is the last layer
      ASSERT_EQ(sector.tree_r_last().leaves()[i], sector.layer(shape.layers)[i]);
  }
}

TEST(SealSector, another_number_of_threads_seals_the_same) {
  Arena one(1), four(4);
  EXPECT_EQ(example(one).comm_r(), example(four).comm_r());
}

TEST(SealSector, refusals) {
  Arena arena(1);
  SealInputs inputs{must(seal_proof(5)), prover_id(1), 2, {}};
  EXPECT_EQ(SealedSector::seal(arena, inputs, std::vector<Node>(63)).error().code(), Code::invalid_argument);
  inputs.proof = must(seal_proof(8));
  EXPECT_EQ(SealedSector::seal(arena, inputs, {}).error().code(), Code::unsupported);
}

}  // namespace
}  // namespace cuzk::filecoin
