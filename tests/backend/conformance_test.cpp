// The contract of backend/backend.h, kept by every backend.
#include <gtest/gtest.h>

#include "backend/prover.h"
#include "tests/backend/samples.h"
#include "tests/backend/subjects.h"

namespace cuzk::backend {
namespace {

using test::kBellperson;
using test::kSnarkjs;
using test::must;

const test::CircuitShape kShapes[] = {{1, 0, 1}, {1, 1, 1}, {2, 0, 3},    {3, 1, 2},
                                      {5, 2, 0}, {3, 0, 0}, {100, 0, 50}, {100, 3, 60}};

template <class Subject, class C = typename Subject::Curve> class BackendTest : public testing::Test {
 protected:
  using Case = test::Case<C>;
  using Proof = groth16::Proof<C>;
  using View = groth16::ProvingKeyView<C>;

  void SetUp() override {
    if (backend == nullptr) GTEST_SKIP() << Subject::why_none();
  }

  std::shared_ptr<const Circuit<C>> load(const Case& sample) { return must(backend->load_circuit(sample.circuit)); }

  Result<Proof> try_prove(const View& view, std::shared_ptr<const Circuit<C>> circuit,
                          std::shared_ptr<const r1cs::Witness> witness, Blinding<C> blinding,
                          std::stop_token stop = {}) {
    CUZK_TRY(auto key, backend->load_key(view));
    CUZK_TRY(auto ticket, backend->prove_start(key, circuit, {witness, std::move(blinding), stop}));
    return backend->prove_finish(std::move(ticket));
  }

  Proof prove(const View& view, std::shared_ptr<const Circuit<C>> circuit, const Case& sample, const U256& r,
              const U256& s) {
    return must(try_prove(view, circuit, sample.witness(), Blinding<C>::fixed(r, s)));
  }

  static void expect_equal(const Proof& proof, const Proof& expected) {
    EXPECT_EQ(proof.a, expected.a);
    EXPECT_EQ(proof.b, expected.b);
    EXPECT_EQ(proof.c, expected.c);
  }

  /// From the trapdoor, in the exponent.
  static Proof expected_proof(const Case& sample, const test::KeyForm& form, const U256& r, const U256& s) {
    using Scalar = typename C::Fr;
    const auto key = test::slow_key(*sample.circuit, sample.trapdoor, form.basis, form.roots);
    const auto [a, b, c] =
        test::slow_proof(sample.satisfied, sample.trapdoor, key, Scalar::from_canonical(r), Scalar::from_canonical(s));
    return {test::in_g1<C>(a), test::in_g2<C>(b), test::in_g1<C>(c)};
  }

  U256 random_scalar() { return test::uniform_element<typename C::Fr>(random).canonical(); }

  Status verify(const Case& sample, const Proof& proof) {
    const auto witness = sample.witness();
    return groth16::verify(arena, groth16::PreparedVerifyingKey<C>(sample.key->vk),
                           witness->public_inputs(sample.key->num_public()), proof);
  }

  std::mt19937_64 random{test::run_seed()};
  Arena arena{2};
  std::shared_ptr<Backend<C>> backend = Subject::make(arena);
};
TYPED_TEST_SUITE(BackendTest, test::EveryBackend, test::BackendNames);

void expect_error(const Error& error, Code code, Kind kind, std::string_view text) {
  EXPECT_EQ(error.code(), code) << error.to_string();
  EXPECT_EQ(error.kind(), kind) << error.to_string();
  EXPECT_NE(error.to_string().find(text), std::string::npos) << error.to_string();
}

TYPED_TEST(BackendTest, ProofsAreThoseOfTheExponents) {
  for (const auto& form : {kSnarkjs, kBellperson}) {
    for (const auto& shape : kShapes) {
      const test::Case<typename TypeParam::Curve> sample(this->arena, shape, form, this->random);
      const auto circuit = this->load(sample);
      for (const auto& [r, s] :
           {std::pair{U256::zero(), U256::zero()}, std::pair{this->random_scalar(), this->random_scalar()}}) {
        const auto expected = this->expected_proof(sample, form, r, s);
        this->expect_equal(this->prove(sample.plain_view(), circuit, sample, r, s), expected);
        this->expect_equal(this->prove(sample.view_with_records(), nullptr, sample, r, s), expected);
        this->expect_equal(this->prove(sample.view_with_records(), circuit, sample, r, s), expected);
      }
    }
  }
}

TYPED_TEST(BackendTest, RandomProofsVerifyAndDiffer) {
  using C = typename TypeParam::Curve;
  const test::Case<C> sample(this->arena, {20, 2, 15}, kSnarkjs, this->random);
  const auto prove = [&] {
    return must(this->try_prove(sample.view_with_records(), nullptr, sample.witness(), must(Blinding<C>::random())));
  };
  const auto first = prove();
  const auto second = prove();
  EXPECT_TRUE(this->verify(sample, first));
  EXPECT_TRUE(this->verify(sample, second));
  EXPECT_TRUE(first.zero_knowledge);
  EXPECT_NE(first.a, second.a);
  EXPECT_NE(first.b, second.b);
  EXPECT_NE(first.c, second.c);
}

TYPED_TEST(BackendTest, FixedBlindingIsMarked) {
  const test::Case<typename TypeParam::Curve> sample(this->arena, {20, 1, 15}, kBellperson, this->random);
  const auto proof = this->prove(sample.plain_view(), this->load(sample), sample, U256::zero(), U256::zero());
  EXPECT_FALSE(proof.zero_knowledge);
  EXPECT_TRUE(this->verify(sample, proof));
}

TYPED_TEST(BackendTest, QueriesAtOddAddresses) {
  using C = typename TypeParam::Curve;
  const test::Case<C> sample(this->arena, {10, 1, 8}, kSnarkjs, this->random);
  auto view = sample.view_with_records();
  std::vector<std::vector<std::byte>> shifted;
  for (Bytes* query : {&view.a, &view.b_g1, &view.b_g2, &view.l, &view.h}) {
    auto& copy = shifted.emplace_back(1);
    copy.insert(copy.end(), query->begin(), query->end());
  }
  std::size_t i = 0;
  for (Bytes* query : {&view.a, &view.b_g1, &view.b_g2, &view.l, &view.h}) *query = Bytes(shifted[i++]).subspan(1);
  this->expect_equal(this->prove(view, nullptr, sample, U256::zero(), U256::zero()),
                     this->expected_proof(sample, kSnarkjs, U256::zero(), U256::zero()));
}

TYPED_TEST(BackendTest, WitnessOfAnotherLengthIsRefused) {
  using C = typename TypeParam::Curve;
  const test::Case<C> sample(this->arena, {3, 1, 2}, kSnarkjs, this->random);
  for (const int change : {-1, 1}) {
    auto values = sample.satisfied.values();
    values.resize(values.size() + static_cast<std::size_t>(change));
    const auto proof =
        this->try_prove(sample.view_with_records(), nullptr, std::make_shared<const r1cs::Witness>(std::move(values)),
                        must(Blinding<C>::random()));
    ASSERT_FALSE(proof);
    expect_error(proof.error(), Code::malformed, Kind::witness_length_mismatch, change < 0 ? "3 values" : "5 values");
  }
}

TYPED_TEST(BackendTest, CircuitOfAnotherShapeIsRefused) {
  using C = typename TypeParam::Curve;
  const test::Case<C> sample(this->arena, {20, 1, 6}, kBellperson, this->random);
  const auto refuse = [&](const test::CircuitShape& shape, std::string_view text) {
    const test::Case<C> other(this->arena, shape, kBellperson, this->random);
    const auto proof =
        this->try_prove(sample.plain_view(), this->load(other), sample.witness(), must(Blinding<C>::random()));
    ASSERT_FALSE(proof);
    expect_error(proof.error(), Code::malformed, Kind::bad_count, text);
  };
  refuse({20, 1, 7}, "variables");
  refuse({20, 2, 5}, "public inputs");
  refuse({5, 1, 6}, "rows");
}

TYPED_TEST(BackendTest, KeyWithoutMatricesNeedsTheCircuit) {
  using C = typename TypeParam::Curve;
  const test::Case<C> sample(this->arena, {3, 1, 2}, kSnarkjs, this->random);
  const auto proof = this->try_prove(sample.plain_view(), nullptr, sample.witness(), must(Blinding<C>::random()));
  ASSERT_FALSE(proof);
  expect_error(proof.error(), Code::invalid_argument, Kind::none, "needs the circuit");
}

TYPED_TEST(BackendTest, QueriesOfWrongLengthAreRefused) {
  using C = typename TypeParam::Curve;
  const test::Case<C> sample(this->arena, {3, 1, 2}, kSnarkjs, this->random);
  using KeyView = groth16::ProvingKeyView<C>;
  for (Bytes KeyView::* query : {&KeyView::a, &KeyView::b_g1, &KeyView::b_g2, &KeyView::l, &KeyView::h}) {
    for (const std::size_t cut : {std::size_t{1}, sizeof(typename C::G2Affine)}) {
      auto view = sample.view_with_records();
      view.*query = (view.*query).first((view.*query).size() - cut);
      const auto key = this->backend->load_key(view);
      ASSERT_FALSE(key);
      EXPECT_EQ(key.error().kind(), Kind::bad_count) << key.error().to_string();
    }
  }
  auto view = sample.view_with_records();
  view.domain_size = 6;
  ASSERT_FALSE(this->backend->load_key(view));
  EXPECT_EQ(this->backend->load_key(view).error().kind(), Kind::bad_domain);
}

TYPED_TEST(BackendTest, RequestedStopCancels) {
  using C = typename TypeParam::Curve;
  const test::Case<C> sample(this->arena, {3, 1, 2}, kSnarkjs, this->random);
  std::stop_source source;
  const auto key = must(this->backend->load_key(sample.view_with_records()));
  auto ticket = must(
      this->backend->prove_start(key, nullptr, {sample.witness(), must(Blinding<C>::random()), source.get_token()}));
  source.request_stop();
  const auto finished = this->backend->prove_finish(std::move(ticket));
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code(), Code::cancelled);
  const auto started =
      this->backend->prove_start(key, nullptr, {sample.witness(), must(Blinding<C>::random()), source.get_token()});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), Code::cancelled);
}

TYPED_TEST(BackendTest, InputIsFreeWhenStartReturns) {
  using C = typename TypeParam::Curve;
  const test::Case<C> sample(this->arena, {3, 1, 2}, kSnarkjs, this->random);
  auto witness = sample.witness();
  const std::weak_ptr<const r1cs::Witness> watch = witness;
  auto ticket = must(this->backend->prove_start(must(this->backend->load_key(sample.view_with_records())), nullptr,
                                                {std::move(witness), must(Blinding<C>::random())}));
  EXPECT_TRUE(watch.expired());
  EXPECT_TRUE(this->verify(sample, must(this->backend->prove_finish(std::move(ticket)))));
}

TYPED_TEST(BackendTest, ProveVerifiedDeliversValidProofs) {
  using C = typename TypeParam::Curve;
  for (const auto& shape : kShapes) {
    const test::Case<C> sample(this->arena, shape, kSnarkjs, this->random);
    const groth16::PreparedVerifyingKey<C> verifying_key(sample.key->vk);
    const ProvingContext<C> context{must(this->backend->load_key(sample.view_with_records())), nullptr, verifying_key};
    const auto proof =
        must(prove_verified(this->arena, *this->backend, context, {sample.witness(), must(Blinding<C>::random())}));
    EXPECT_TRUE(this->verify(sample, proof));
  }
}

TYPED_TEST(BackendTest, ProveVerifiedRefusesAWrongWitness) {
  using C = typename TypeParam::Curve;
  // x y = z, and one more so that z itself matters in a second row
  r1cs::CircuitBuilder<typename C::Fr> builder(4, 1);
  using Side = typename r1cs::CircuitBuilder<typename C::Fr>::Side;
  const auto one = C::Fr::one();
  builder.add_term(Side::a, 0, one);
  builder.add_term(Side::b, 2, one);
  builder.add_term(Side::c, 2, one);
  builder.end_constraint();
  builder.add_term(Side::a, 2, one);
  builder.add_term(Side::b, 3, one);
  builder.add_term(Side::c, 1, one);
  builder.end_constraint();
  const auto circuit = std::make_shared<const r1cs::RowCircuit<typename C::Fr>>(std::move(builder).finish());
  const auto witness = [](u64 z, u64 x, u64 y) {
    return std::make_shared<const r1cs::Witness>(
        std::vector{U256::from_u64(1), U256::from_u64(z), U256::from_u64(x), U256::from_u64(y)});
  };
  for (const auto& form : {kSnarkjs, kBellperson}) {
    auto key = std::make_shared<const groth16::ProvingKey<C>>(must(groth16::setup<C>(
        this->arena, *circuit, must(groth16::Trapdoor<typename C::Fr>::random()), form.basis, form.roots)));
    const groth16::PreparedVerifyingKey<C> verifying_key(key->vk);
    ProvingContext<C> context{must(this->backend->load_key(groth16::view_of(key))),
                              must(this->backend->load_circuit(circuit)), verifying_key};
    const auto prove = [&](std::shared_ptr<const r1cs::Witness> values) {
      return prove_verified(this->arena, *this->backend, context, {values, must(Blinding<C>::random())});
    };
    EXPECT_TRUE(prove(witness(15, 3, 5)));
    const auto without_circuit = prove(witness(16, 3, 5));
    ASSERT_FALSE(without_circuit);
    expect_error(without_circuit.error(), Code::unsatisfied, Kind::invalid_proof, "key and witness do not match");
    context.compiled = circuit.get();
    const auto with_circuit = prove(witness(16, 3, 5));
    ASSERT_FALSE(with_circuit);
    expect_error(with_circuit.error(), Code::unsatisfied, Kind::unsatisfied_constraint, "constraint 1 of 2");
  }
}

template <class Subject> class FilteredKeyTest : public BackendTest<Subject> {};
using OfBls12_381 = testing::Types<test::OnCpu<Bls12_381>, test::OnCuda<Bls12_381>>;
TYPED_TEST_SUITE(FilteredKeyTest, OfBls12_381, test::BackendNames);

TYPED_TEST(FilteredKeyTest, GivesTheProofOfTheDenseKey) {
  for (const auto& shape : kShapes) {
    const test::Case<Bls12_381> sample(this->arena, shape, kBellperson, this->random);
    const test::FilteredKey filtered(sample);
    const U256 r = this->random_scalar();
    const U256 s = this->random_scalar();
    this->expect_equal(this->prove(filtered.view, this->load(sample), sample, r, s),
                       this->expected_proof(sample, kBellperson, r, s));
  }
}

TYPED_TEST(FilteredKeyTest, DensitiesOfAnotherCircuitAreRefused) {
  const test::Case<Bls12_381> sample(this->arena, {20, 1, 30}, kBellperson, this->random);
  test::FilteredKey filtered(sample);
  for (auto* query : {&filtered.a, &filtered.b_g1}) {
    const auto bytes = *query;
    query->resize(query->size() - zcash::kG1Uncompressed);
    if (query == &filtered.b_g1) filtered.b_g2.resize(filtered.b_g2.size() - zcash::kG2Uncompressed);
    filtered.refresh();
    const auto proof = this->try_prove(filtered.view, this->load(sample), sample.witness(),
                                       Blinding<Bls12_381>::fixed(U256::zero(), U256::zero()));
    ASSERT_FALSE(proof);
    expect_error(proof.error(), Code::malformed, Kind::bad_count,
                 query == &filtered.a ? "variables in A" : "variables in B");
    *query = bytes;
  }
}

TYPED_TEST(FilteredKeyTest, FirstBadPointIsNamed) {
  const test::Case<Bls12_381> sample(this->arena, {20, 1, 30}, kBellperson, this->random);
  test::FilteredKey filtered(sample);
  // in h no point is the identity
  const std::size_t bad = 5 * zcash::kG1Uncompressed;
  filtered.h[bad + 95] ^= std::byte{1};
  filtered.h[bad + 95 + zcash::kG1Uncompressed] ^= std::byte{1};
  const auto key = this->backend->load_key(filtered.view);
  ASSERT_FALSE(key);
  expect_error(key.error(), Code::malformed, Kind::not_on_curve, "point 5");
  ASSERT_NE(key.error().where(), nullptr);
  EXPECT_EQ(key.error().where()->section, "h");
  EXPECT_EQ(key.error().where()->offset, bad);
}

TYPED_TEST(FilteredKeyTest, LoadingEndsWithItsStop) {
  const test::Case<Bls12_381> sample(this->arena, {20, 1, 30}, kBellperson, this->random);
  test::FilteredKey filtered(sample);
  std::stop_source stop;
  EXPECT_TRUE(this->backend->load_key(filtered.view, stop.get_token()));
  EXPECT_TRUE(this->backend->load_circuit(sample.circuit, stop.get_token()));
  stop.request_stop();
  const auto key = this->backend->load_key(filtered.view, stop.get_token());
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code(), Code::cancelled);
  const auto circuit = this->backend->load_circuit(sample.circuit, stop.get_token());
  ASSERT_FALSE(circuit);
  EXPECT_EQ(circuit.error().code(), Code::cancelled);
}

}  // namespace
}  // namespace cuzk::backend
