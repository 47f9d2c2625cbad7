#include "field/fp.h"

#include <cstring>
#include <vector>

#include "tests/field/prime_fields.h"
#include "tests/laws/field_laws.h"

namespace cuzk::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(PrimeFields, FieldLaws, AllPrimeFields);

template <class F, std::size_t Bytes>
constexpr bool is_plain_memory = sizeof(F) == Bytes && alignof(F) == 8 && std::is_trivially_copyable_v<F> &&
                                 std::is_trivially_default_constructible_v<F> && std::is_standard_layout_v<F> &&
                                 std::has_unique_object_representations_v<F>;
static_assert(is_plain_memory<bn254::Fr, 32> && is_plain_memory<bn254::Fq, 32>);
static_assert(is_plain_memory<bls12_381::Fr, 32> && is_plain_memory<bls12_381::Fq, 48>);
static_assert(is_plain_memory<Fp<Bn254FrParams, Adx>, 32> && is_plain_memory<Fp<Bls12_381FqParams, Adx>, 48>);

// All of it at compile time too.
static_assert(bls12_381::Fr::from_u64(6) * bls12_381::Fr::from_u64(7) == bls12_381::Fr::from_u64(42));
static_assert((-bls12_381::Fq::one() + bls12_381::Fq::one()).is_zero());
static_assert(bn254::Fq::from_u64(3) - bn254::Fq::from_u64(5) == -bn254::Fq::from_u64(2));
static_assert(bn254::Fr::from_u64(3).pow(5) == bn254::Fr::from_u64(243));
static_assert(bn254::Fr::from_u64(9).canonical() == U256::from_u64(9));
static_assert(bn254::Fr::Constants::two_adicity == 28 && bls12_381::Fr::Constants::two_adicity == 32);

template <class F> class Portables : public testing::Test {
 protected:
  std::mt19937_64 random_{run_seed()};
};
TYPED_TEST_SUITE(Portables, PortablePrimeFields);

TYPED_TEST(Portables, BytesInMemoryAreTheMontgomeryForm) {
  using F = TypeParam;
  const F x = uniform_element<F>(this->random_);
  typename F::Repr memory;
  std::memcpy(&memory, &x, sizeof x);
  EXPECT_EQ(memory, x.montgomery());
  EXPECT_EQ(F::from_montgomery(memory), x);
  EXPECT_EQ(F::from_canonical(x.canonical()), x);
}

TYPED_TEST(Portables, ViewsWithAnotherIsaShareTheBytes) {
  using F = TypeParam;
  using A = rebind_isa<F, Adx>;
  static_assert(std::is_same_v<A, Fp<typename F::Params, Adx>>);
  std::vector<F> elements(3);
  for (F& x : elements) x = uniform_element<F>(this->random_);
  const std::span<A> view = view_as<Adx>(std::span(elements));
  EXPECT_EQ(view[1].montgomery(), elements[1].montgomery());
  view[2] = A::zero();
  EXPECT_TRUE(elements[2].is_zero());
  const std::span<const A> constant = view_as<Adx>(std::span<const F>(elements));
  EXPECT_EQ(constant.data(), view.data());
  EXPECT_EQ(with_arithmetic<Portable>(with_arithmetic<Adx>(elements[0])), elements[0]);
}

TYPED_TEST(Portables, LexicographicallyLargerMeansAboveItsNegative) {
  using F = TypeParam;
  EXPECT_FALSE(F::zero().is_lexicographically_larger());
  EXPECT_FALSE(F::one().is_lexicographically_larger());
  EXPECT_TRUE((-F::one()).is_lexicographically_larger());
  EXPECT_FALSE(F::from_canonical(F::Constants::half).is_lexicographically_larger());
  EXPECT_TRUE((F::from_canonical(F::Constants::half) + F::one()).is_lexicographically_larger());
  for (int i = 0; i < 1000; ++i) {
    const F x = biased_element<F>(this->random_);
    EXPECT_EQ(x.is_lexicographically_larger(), (-x).canonical() < x.canonical());
  }
}

TYPED_TEST(Portables, BatchInverse) {
  using F = TypeParam;
  for (const std::size_t n : {0u, 1u, 2u, 3u, 17u, 1000u}) {
    std::vector<F> elements(n), expected(n), scratch(n);
    for (std::size_t i = 0; i < n; ++i) {
      elements[i] = biased_element<F>(this->random_);
      expected[i] = elements[i].inverse();
    }
    batch_inverse(std::span(elements), std::span(scratch));
    EXPECT_EQ(elements, expected) << n << " elements";
  }
  std::vector<F> zeros(5), scratch(5);
  batch_inverse(std::span(zeros), std::span(scratch));
  EXPECT_EQ(zeros, std::vector<F>(5));
}

TYPED_TEST(Portables, InverseIsFermats) {
  using F = TypeParam;
  typename F::Repr p_minus_2 = F::Constants::p_minus_1;
  p_minus_2.sub(F::Repr::from_u64(1));
  for (const F& x : edge_elements<F>()) EXPECT_EQ(x.inverse(), x.pow(p_minus_2)) << x.canonical().to_hex();
  for (int i = 0; i < 500; ++i) {
    const F x = biased_element<F>(this->random_);
    EXPECT_EQ(x.inverse(), x.pow(p_minus_2)) << x.canonical().to_hex();
  }
}

TYPED_TEST(Portables, Powers) {
  using F = TypeParam;
  using Repr = typename F::Repr;
  for (int i = 0; i < 50; ++i) {
    const F x = biased_element<F>(this->random_);
    EXPECT_EQ(x.pow(Repr::zero()), F::one());
    EXPECT_EQ(x.pow(u64{1}), x);
    EXPECT_EQ(x.pow(u64{5}), x * x * x * x * x);
    EXPECT_EQ(x.pow(F::modulus), x);
    const u64 a = this->random_() >> 1, b = this->random_() >> 1;
    EXPECT_EQ(x.pow(a) * x.pow(b), x.pow(a + b));
  }
}

TYPED_TEST(Portables, SquareRoots) {
  using F = TypeParam;
  const bool p_is_3_mod_4 = (F::modulus.limb[0] & 3) == 3;
  bool ok = false;
  for (int i = 0; i < 200; ++i) {
    const F x = biased_element<F>(this->random_);
    const F root = x.squared().sqrt(ok);
    EXPECT_EQ(ok, p_is_3_mod_4);
    if (ok) {
      EXPECT_TRUE(root == x || root == -x);
    }
    if (p_is_3_mod_4 && !x.is_zero()) {  // -1 is no square, so -x^2 has no root
      (-x.squared()).sqrt(ok);
      EXPECT_FALSE(ok);
    }
  }
}

template <class F> class ScalarFields : public testing::Test {};
using BothScalarFields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(ScalarFields, BothScalarFields);

TYPED_TEST(ScalarFields, RootsOfUnityHaveTheirOrder) {
  using F = TypeParam;
  constexpr unsigned s = F::Constants::two_adicity;
  for (const RootFamily family : {RootFamily::iden3, RootFamily::bellperson}) {
    const F top = F::root_of_unity(family, s);
    EXPECT_EQ(F::root_of_unity(family, 0), F::one());
    EXPECT_EQ(F::root_of_unity(family, 1), -F::one());
    F power = top;
    for (unsigned k = s; k > 0; --k, power = power.squared()) {
      EXPECT_EQ(power, F::root_of_unity(family, k)) << k;
      EXPECT_NE(power, F::one());
    }
    EXPECT_EQ(power, F::one());
  }
}

// The numbers of the curves' specifications and of iden3's and bellperson's code, independent of ours.
TEST(FieldConstants, Bn254) {
  using Fr = bn254::Fr;
  EXPECT_EQ(Fr::modulus.to_decimal(), "21888242871839275222246405745257275088548364400416034343698204186575808495617");
  EXPECT_EQ(bn254::Fq::modulus.to_decimal(),
            "21888242871839275222246405745257275088696311157297823662689037894645226208583");
  EXPECT_EQ(Fr::Constants::r, U256::from_hex("e0a77c19a07df2f666ea36f7879462e36fc76959f60cd29ac96341c4ffffffb"));
  EXPECT_EQ(Fr::Constants::r2, U256::from_hex("216d0b17f4e44a58c49833d53bb808553fe3ab1e35c59e31bb8e645ae216da7"));
  for (const RootFamily family : {RootFamily::iden3, RootFamily::bellperson})
    EXPECT_EQ(Fr::root_of_unity(family, 28).canonical(),
              U256::from_hex("2a3c09f0a58a7e8500e0a7eb8ef62abc402d111e41112ed49bd61b6e725b19f0"));
}

TEST(FieldConstants, Bls12_381) {
  using Fr = bls12_381::Fr;
  EXPECT_EQ(Fr::modulus.to_decimal(), "52435875175126190479447740508185965837690552500527637822603658699938581184513");
  EXPECT_EQ(bls12_381::Fq::modulus.to_decimal(),
            "4002409555221667393417789825735904156556882819939007885332058136124031650490837864442687629129015664037894"
            "272559787");
  EXPECT_EQ(Fr::Constants::r, U256::from_hex("1824b159acc5056f998c4fefecbc4ff55884b7fa0003480200000001fffffffe"));
  EXPECT_EQ(Fr::Constants::r2, U256::from_hex("748d9d99f59ff1105d314967254398f2b6cedcb87925c23c999e990f3f29c6d"));
  EXPECT_EQ(Fr::root_of_unity(RootFamily::iden3, 32).canonical(),
            U256::from_hex("212d79e5b416b6f0fd56dc8d168d6c0c4024ff270b3e0941b788f500b912f1f"));
  EXPECT_EQ(Fr::root_of_unity(RootFamily::bellperson, 32).canonical(),
            U256::from_hex("16a2a19edfe81f20d09b681922c813b4b63683508c2280b93829971f439f0d2b"));
}

}  // namespace
}  // namespace cuzk::test
