#include "hash/poseidon.h"

#include <gtest/gtest.h>

#include "tests/gen/field_values.h"
#include "tests/gen/seed.h"

namespace cuzk::hash {
namespace {

constexpr PoseidonKind kKinds[] = {PoseidonKind::arity_2, PoseidonKind::arity_4, PoseidonKind::arity_8,
                                   PoseidonKind::arity_11, PoseidonKind::randomness};

/// The definition: round constants before the S-boxes, dense matrices.
Fr slow_poseidon(PoseidonKind kind, std::span<const Fr> inputs) {
  const PoseidonConstants& c = poseidon_constants(kind);
  std::vector<Fr> state{c.domain_tag};
  state.insert(state.end(), inputs.begin(), inputs.end());
  const unsigned rounds = 2 * PoseidonConstants::kHalfFullRounds + c.partial_rounds;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned i = 0; i < c.width; ++i) state[i] += c.round_constants[round * c.width + i];
    const bool full =
        round < PoseidonConstants::kHalfFullRounds || round >= rounds - PoseidonConstants::kHalfFullRounds;
    for (unsigned i = 0; i < (full ? c.width : 1); ++i) state[i] = state[i].pow(u64{5});
    std::vector<Fr> mixed(c.width, Fr::zero());
    for (unsigned i = 0; i < c.width; ++i)
      for (unsigned j = 0; j < c.width; ++j) mixed[j] += state[i] * c.mds[i * c.width + j];
    state = mixed;
  }
  return state[1];
}

class PoseidonTest : public testing::TestWithParam<PoseidonKind> {
 protected:
  PoseidonKind kind() const { return GetParam(); }
  unsigned arity() const { return poseidon_constants(kind()).arity; }
  unsigned partial_rounds() const { return poseidon_constants(kind()).partial_rounds; }
  std::vector<Fr> random_inputs(std::mt19937_64& random) const {
    std::vector<Fr> inputs(arity());
    for (Fr& x : inputs) x = test::biased_element<Fr>(random);
    return inputs;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, PoseidonTest, testing::ValuesIn(kKinds));

TEST_P(PoseidonTest, IsTheDefinitions) {
  std::mt19937_64 random(test::run_seed());
  for (int i = 0; i < 20; ++i) {
    const std::vector<Fr> inputs = random_inputs(random);
    EXPECT_EQ(poseidon(kind(), inputs), slow_poseidon(kind(), inputs));
  }
  const std::vector<Fr> zeros(arity(), Fr::zero());
  EXPECT_EQ(poseidon(kind(), zeros), slow_poseidon(kind(), zeros));
  const std::vector<Fr> largest(arity(), -Fr::one());
  EXPECT_EQ(poseidon(kind(), largest), slow_poseidon(kind(), largest));
}

TEST_P(PoseidonTest, CanonicalValuesInAndOut) {
  std::mt19937_64 random(test::run_seed());
  const std::vector<Fr> inputs = random_inputs(random);
  std::vector<U256> values;
  for (const Fr& x : inputs) values.push_back(x.canonical());
  EXPECT_EQ(poseidon(kind(), values), poseidon(kind(), inputs).canonical());
}

TEST_P(PoseidonTest, TheCanonicalTraceHasTheSameValues) {
  std::mt19937_64 random(test::run_seed());
  const std::vector<Fr> inputs = random_inputs(random);
  std::vector<Fr> trace(poseidon_trace_size(kind()));
  poseidon_trace(kind(), inputs, trace);
  std::vector<U256> values, canonical(trace.size());
  for (const Fr& x : inputs) values.push_back(x.canonical());
  EXPECT_EQ(poseidon_trace(kind(), values, canonical), trace.back().canonical());
  for (std::size_t i = 0; i < trace.size(); ++i) EXPECT_EQ(canonical[i], trace[i].canonical()) << i;
}

/// Replays the circuit: what each variable must be, from those before it and from the state at the places where the
/// circuit has none.
TEST_P(PoseidonTest, TheTraceHoldsTheVariablesOfTheCircuit) {
  std::mt19937_64 random(test::run_seed());
  const PoseidonConstants& c = poseidon_constants(kind());
  const std::vector<Fr> inputs = random_inputs(random);
  std::vector<Fr> trace(poseidon_trace_size(kind()));
  const Fr hash = poseidon_trace(kind(), inputs, trace);
  EXPECT_EQ(hash, slow_poseidon(kind(), inputs));
  EXPECT_EQ(trace.back(), hash);

  const Fr* at = trace.data();
  const Fr* key = c.compressed_constants.data() + c.width;
  const auto s_box = [&](const Fr& x, const Fr& post_key) {
    EXPECT_EQ(at[0], x * x);
    EXPECT_EQ(at[1], at[0] * at[0]);
    EXPECT_EQ(at[2], at[1] * x + post_key);
    at += 3;
    return at[-1];
  };
  const auto ensured = [&](const Fr& x) {
    EXPECT_EQ(*at++, x);
    return x;
  };
  const auto times = [&](const std::vector<Fr>& state, const std::vector<Fr>& matrix) {
    std::vector<Fr> mixed(c.width, Fr::zero());
    for (unsigned i = 0; i < c.width; ++i)
      for (unsigned j = 0; j < c.width; ++j) mixed[j] += state[i] * matrix[i * c.width + j];
    return mixed;
  };

  std::vector<Fr> state{(c.domain_tag + c.compressed_constants[0]).pow(u64{5}) + *key++};
  for (unsigned i = 1; i < c.width; ++i) state.push_back(s_box(inputs[i - 1] + c.compressed_constants[i], *key++));
  state = times(state, c.mds);
  for (unsigned round = 1; round < 4; ++round) {
    for (Fr& x : state) x = s_box(ensured(x), *key++);
    state = times(state, round == 3 ? c.pre_sparse : c.mds);
  }
  for (const SparseMatrix& sparse : c.sparse) {
    state[0] = s_box(ensured(state[0]), *key++);
    std::vector<Fr> mixed = state;
    mixed[0] = state[0] * sparse.w_hat[0];
    for (unsigned i = 1; i < c.width; ++i) {
      mixed[0] += state[i] * sparse.w_hat[i];
      mixed[i] += state[0] * sparse.v_rest[i - 1];
    }
    state = mixed;
  }
  for (unsigned round = 0; round < 4; ++round) {
    for (Fr& x : state) x = s_box(ensured(x), round == 3 ? Fr::zero() : *key++);
    state = times(state, c.mds);
  }
  EXPECT_EQ(ensured(state[1]), hash);
  EXPECT_EQ(at, trace.data() + trace.size());
}

TEST(Poseidon, KnownValues) {
  const auto of_indices = [](PoseidonKind kind) {
    std::vector<Fr> inputs;
    for (unsigned i = 0; i < poseidon_constants(kind).arity; ++i) inputs.push_back(Fr::from_u64(i));
    return poseidon(kind, inputs).canonical().to_hex();
  };
  EXPECT_EQ(of_indices(PoseidonKind::arity_2), "396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff");
  EXPECT_EQ(of_indices(PoseidonKind::arity_4), "58a54b10a9e5848a00db3c6579229399fb6b4605bf1327ec019814ff6662075d");
  EXPECT_EQ(of_indices(PoseidonKind::arity_8), "2394611da3a5de5512010042116770774b682e9d9cc4aed92a9934f56d38a5e6");
  EXPECT_EQ(of_indices(PoseidonKind::arity_11), "0c0fc1b2e5227f286ca537e232ebe87a09f3dcd8ccb08fc1cee3bbc32b693163");
  EXPECT_EQ(of_indices(PoseidonKind::randomness), "314a35c4e7f0924ead1fc58134a0fe25e3580bea397367c7e5a74ec4bc077758");
}

TEST(Poseidon, SizesOfTraces) {
  EXPECT_EQ(poseidon_trace_size(PoseidonKind::arity_2), 311u);
  EXPECT_EQ(poseidon_trace_size(PoseidonKind::arity_4), 377u);
  EXPECT_EQ(poseidon_trace_size(PoseidonKind::arity_8), 505u);
  EXPECT_EQ(poseidon_trace_size(PoseidonKind::arity_11), 598u);
  EXPECT_EQ(poseidon_trace_size(PoseidonKind::randomness), 311u);
}

}  // namespace
}  // namespace cuzk::hash
