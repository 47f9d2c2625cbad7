// Poseidon against the values that the reference implementation gave (filecoin/primitives.json).
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hash/poseidon.h"
#include "support/hex.h"
#include "tests/support/vectors.h"

namespace cuzk::hash {
namespace {

U256 value_from(const std::string& hex) {
  U256 value{};
  EXPECT_TRUE(decode_hex(hex, mutable_object_bytes(value))) << hex;
  return value;
}

PoseidonKind kind_of(const nlohmann::json& hash) {
  const auto tag = value_from(hash.at("domain_tag"));
  if (tag == U256::from_u64(u64{1} << 40)) return PoseidonKind::randomness;
  return poseidon_kind_of_arity(hash.at("arity"));
}

TEST(PoseidonVectors, HashesOfTheReference) {
  const auto primitives = nlohmann::json::parse(test::read_text(test::vector_path("filecoin/primitives.json")));
  std::size_t compared = 0;
  for (const auto& hash : primitives.at("poseidon")) {
    for (const auto& vector : hash.at("vectors")) {
      std::vector<U256> preimage;
      for (const auto& input : vector.at("preimage")) preimage.push_back(value_from(input));
      EXPECT_EQ(poseidon(kind_of(hash), preimage), value_from(vector.at("hash")))
          << hash.at("name") << " " << vector.at("name");
      ++compared;
    }
  }
  EXPECT_GE(compared, 15u);
}

}  // namespace
}  // namespace cuzk::hash
