// Parents against the digests that the reference publishes for whole graphs.
#include "filecoin/primitives/graph.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/filecoin/graph_digest.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using test::digest_of_parents;
using test::must;

struct KnownGraph {
  std::uint32_t seal_proof;
  std::string_view digest;
};

TEST(Graph, AllParentsOfSmallSectors) {
  for (const KnownGraph& known : {
           KnownGraph{0, "3da49221e2ed55371b86d0bf3d6526fcf128af61bed904f966428db1b531750d"},
           KnownGraph{5, "840057702eea7652cf97e04306c30fe57174714d90de156a25eddd6075c25b97"},
       })
    EXPECT_EQ(digest_of_parents(Graph(must(seal_proof(known.seal_proof)))), known.digest) << known.seal_proof;
}

TEST(Graph, TheVersionMovesThePredecessorOnly) {
  const Bytes32 porep_id = must(seal_proof(std::uint32_t{3})).porep_id();
  constexpr std::uint64_t kNodes = std::uint64_t{1} << 27;  // 8 times as many edges stay below 2^32
  const Graph before(kNodes, porep_id, ApiVersion::v1_0_0), after(kNodes, porep_id, ApiVersion::v1_1_0);
  for (const std::uint32_t node : {2u, 3u, 1000u, (1u << 27) - 1}) {
    DrgParents parents = after.drg_parents(node);
    EXPECT_EQ(parents.front(), node - 1);
    std::rotate(parents.begin(), parents.begin() + 1, parents.end());
    EXPECT_EQ(parents, before.drg_parents(node));
    EXPECT_EQ(after.expander_parents(node), before.expander_parents(node));
  }
}

TEST(Graph, ParentsStandBeforeTheirNodeAndTheExpanderIsAPermutation) {
  const Graph graph(must(seal_proof("StackedDrg2KiBV1_1")));
  std::multiset<std::uint32_t> children;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    for (const std::uint32_t parent : graph.drg_parents(node)) EXPECT_LT(parent, std::max(node, 1u));
    const ExpanderParents parents = graph.expander_parents(node);
    children.insert(parents.begin(), parents.end());
  }
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) EXPECT_EQ(children.count(node), kExpanderParents);
}

}  // namespace
}  // namespace cuzk::filecoin
