// Every parent of 8 MiB sectors: some seconds of hashing.
#include <gtest/gtest.h>

#include "tests/filecoin/graph_digest.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

TEST(GraphSlow, AllParentsOf8MiB) {
  EXPECT_EQ(test::digest_of_parents(Graph(test::must(seal_proof(std::uint32_t{1})))),
            "a76604f2f59f2744c7151653bbb1d8596b6b57d295e6fa6c1f0c41d725b502ce");
  EXPECT_EQ(test::digest_of_parents(Graph(test::must(seal_proof(std::uint32_t{6})))),
            "03cd13565ded97c240a5f52e54295ad127bd0461b57904cb3a4d79b097bbecab");
}

}  // namespace
}  // namespace cuzk::filecoin
