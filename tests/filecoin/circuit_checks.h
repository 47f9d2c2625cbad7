// A circuit of nothing but zeros, compared with what is known of it.
#pragma once

#include <gtest/gtest.h>

#include "filecoin/circuits/circuit.h"
#include "r1cs/digest.h"
#include "r1cs/recording_system.h"
#include "r1cs/test_system.h"
#include "support/hex.h"
#include "tests/filecoin/circuit_facts.h"
#include "tests/support/must.h"

namespace cuzk::test {

using CircuitSystem = r1cs::TestSystem<bls12_381::Fr>;

inline void PrintTo(const CircuitFacts& facts, std::ostream* out) { *out << facts.id; }

inline std::string circuit_name(const testing::TestParamInfo<CircuitFacts>& param) {
  std::string name(param.param.id);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline CircuitSystem blank_circuit(const filecoin::Circuit& circuit) {
  CircuitSystem cs;
  filecoin::synthesize(cs, filecoin::blank_instance(circuit).instance);
  return cs;
}

inline r1cs::BlockCircuit<bls12_381::Fr> recorded_circuit(const filecoin::Circuit& circuit) {
  r1cs::RecordingSystem<bls12_381::Fr> cs;
  filecoin::synthesize(cs, filecoin::blank_instance(circuit).instance);
  return std::move(cs).finish();
}

/// Auxiliary variables among the dense ones.
inline std::size_t count_aux(const std::vector<r1cs::Wire>& dense, std::size_t num_inputs) {
  return static_cast<std::size_t>(dense.end() - std::lower_bound(dense.begin(), dense.end(), num_inputs));
}

inline void expect_densities(const r1cs::Densities& dense, const CircuitFacts& facts) {
  EXPECT_EQ(count_aux(dense.a, facts.inputs), facts.dense_a);
  EXPECT_EQ(count_aux(dense.b, facts.inputs), facts.dense_b);
  EXPECT_EQ(dense.b.size() - facts.dense_b, 1u) << "of the inputs, B holds ONE alone";
}

inline void expect_digest(const Sha256::Digest& matrices, const CircuitFacts& facts) {
  if (!facts.matrices.empty()) {
    EXPECT_EQ(encode_hex(matrices), facts.matrices);
  }
}

/// By the model that keeps every row.
inline void expect_facts(const CircuitFacts& facts) {
  using Side = CircuitSystem::Side;
  const CircuitSystem cs = blank_circuit(must(filecoin::find_circuit(facts.id)));
  EXPECT_EQ(cs.num_inputs(), facts.inputs);
  EXPECT_EQ(cs.num_aux(), facts.aux);
  EXPECT_EQ(cs.num_constraints(), facts.constraints);
  EXPECT_EQ(cs.num_terms(Side::a), facts.terms[0]);
  EXPECT_EQ(cs.num_terms(Side::b), facts.terms[1]);
  EXPECT_EQ(cs.num_terms(Side::c), facts.terms[2]);
  expect_densities(cs.densities(), facts);
  expect_digest(cs.matrices_digest(), facts);
  if (!facts.cs_hash.empty()) {
    EXPECT_EQ(encode_hex(cs.hash()), facts.cs_hash);
  }
}

/// By the recorder, which keeps each piece once.
inline void expect_recorded_facts(const CircuitFacts& facts) {
  const auto circuit = recorded_circuit(must(filecoin::find_circuit(facts.id)));
  EXPECT_EQ(circuit.num_inputs(), facts.inputs);
  EXPECT_EQ(circuit.num_aux(), facts.aux);
  EXPECT_EQ(circuit.num_constraints(), facts.constraints);
  EXPECT_EQ(circuit.non_zeros(), (r1cs::NonZeros{facts.terms[0], facts.terms[1], facts.terms[2]}));
  expect_densities(r1cs::densities<bls12_381::Fr>(circuit), facts);
  expect_digest(r1cs::matrices_digest<bls12_381::Fr>(circuit), facts);
}

}  // namespace cuzk::test
