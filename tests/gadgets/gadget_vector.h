// The reference's small circuits (filecoin/gadgets of the vectors): what gadgets.json says of one, and its witness.
#pragma once

#include <cstring>
#include <vector>

#include <nlohmann/json.hpp>

#include "field/fp.h"
#include "r1cs/test_system.h"
#include "support/hex.h"
#include "tests/support/vectors.h"

namespace cuzk::test {

struct GadgetVector {
  nlohmann::json facts;
  std::vector<U256> wires;  // ONE, auxiliary variables; none where the witness is not stored

  /// The i-th auxiliary variable: operands are the first ones.
  bls12_381::Fr operand(std::size_t i) const { return bls12_381::Fr::from_canonical(wires.at(1 + i)); }
};

/// Throws where there is none.
inline GadgetVector gadget_vector(const std::string& name) {
  const std::filesystem::path folder = "filecoin/gadgets";
  GadgetVector vector;
  for (const auto& facts : nlohmann::json::parse(read_text(vector_path(folder / "gadgets.json")))) {
    if (facts.at("name") == name) vector.facts = facts;
  }
  if (vector.facts.is_null()) throw std::runtime_error("gadgets.json has no " + name);
  if (!vector.facts.contains("files")) return vector;

  // .wtns: 12 bytes, a header section of 12 + 40, the values' section: 12 bytes, then 32 each.
  constexpr std::size_t kHeader = 76;
  const FileBytes file = read_vector(vector_path(folder / (name + ".wtns.gz")).replace_extension());
  vector.wires.resize((file.size() - kHeader) / U256::bytes);
  std::memcpy(vector.wires.data(), file.data() + kHeader, vector.wires.size() * U256::bytes);
  return vector;
}

/// 64 digits: 32 bytes, little-endian.
inline std::string scalar_hex(const bls12_381::Fr& value) {
  const U256 canonical = value.canonical();
  return encode_hex(object_bytes(canonical));
}

/// What the vector says of a circuit that was run on its operands; no more than was stored.
inline void expect_matches(const GadgetVector& vector, const r1cs::TestSystem<bls12_381::Fr>& cs) {
  using Cs = r1cs::TestSystem<bls12_381::Fr>;
  const auto& facts = vector.facts;
  EXPECT_EQ(cs.num_inputs(), facts.at("inputs_with_one"));
  EXPECT_EQ(cs.num_aux(), facts.at("aux"));
  EXPECT_EQ(cs.num_constraints(), facts.at("constraints"));
  EXPECT_EQ(cs.num_terms(Cs::Side::a), facts.at("nonzeros").at("a"));
  EXPECT_EQ(cs.num_terms(Cs::Side::b), facts.at("nonzeros").at("b"));
  EXPECT_EQ(cs.num_terms(Cs::Side::c), facts.at("nonzeros").at("c"));
  EXPECT_EQ(encode_hex(cs.matrices_digest()), facts.at("matrices_sha256").get<std::string>());
  if (vector.wires.empty()) return;
  EXPECT_TRUE(cs.is_satisfied());
  std::vector<U256> wires;
  for (const auto& value : cs.inputs()) wires.push_back(value.canonical());
  for (const auto& value : cs.aux()) wires.push_back(value.canonical());
  EXPECT_EQ(wires, vector.wires);
}

}  // namespace cuzk::test
