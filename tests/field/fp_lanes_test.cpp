// Operations on lanes against GMP and the scalar field: random and extreme digits, values at their bounds.
#include "field/fp_lanes.h"

#if defined(__x86_64__)

#include <array>

#include "support/cpu_features.h"
#include "tests/field/gmp_oracle.h"
#include "tests/field/prime_fields.h"

namespace cuzk::test {
namespace {

using ifma::Digits, ifma::kLanes, ifma::Lanes, ifma::Loose;

/// Eight numbers as digits in memory, [digit][lane], and what kernels here do with them. Functions for IFMA take and
/// give memory alone: the rest of this file runs anywhere.
template <class P> struct alignas(64) Numbers {
  static constexpr std::size_t L = Digits<P>::L;
  std::array<std::array<u64, kLanes>, L> digit;

  mpz_class value(std::size_t lane) const {
    mpz_class z = 0;
    for (std::size_t j = L; j-- > 0;)
      z = (z << ifma::kDigitBits) + mpz_class(static_cast<unsigned long>(digit[j][lane]));
    return z;
  }
  void set(std::size_t lane, mpz_class z) {
    for (std::size_t j = 0; j < L; ++j, z >>= ifma::kDigitBits)
      digit[j][lane] = mpz_class(z & mpz_class(static_cast<unsigned long>(ifma::kDigitMask))).get_ui();
  }
};

template <class P> CUZK_IFMA Lanes<P> lanes_of(const Numbers<P>& n) noexcept {
  Lanes<P> x;
  for (std::size_t j = 0; j < Digits<P>::L; ++j) x.digit[j] = _mm512_load_si512(n.digit[j].data());
  return x;
}
template <class P> CUZK_IFMA void put(const Lanes<P>& x, Numbers<P>& n) noexcept {
  for (std::size_t j = 0; j < Digits<P>::L; ++j) _mm512_store_si512(n.digit[j].data(), x.digit[j]);
}

template <class P> struct Kernels {
  using N = Numbers<P>;
  using Repr = typename FpConstants<P>::Repr;
  static constexpr unsigned kShift = Digits<P>::kShift;

  [[CUZK_IFMA_TARGET]] static void product(const N& a, const N& b, N& out) {
    put(ifma::product(lanes_of(a), lanes_of(b)), out);
  }
  [[CUZK_IFMA_TARGET]] static void square(const N& a, N& out) { put(ifma::square(lanes_of(a)), out); }
  [[CUZK_IFMA_TARGET]] static void difference(const N& a, const N& b, N& out) {
    put((lanes_of(a) - lanes_of(b)).template plus_p<1>().carried(), out);
  }
  [[CUZK_IFMA_TARGET]] static void sum(const N& a, const N& b, N& out) {
    put((lanes_of(a) + lanes_of(b)).carried(), out);
  }
  template <u64 Bound> [[CUZK_IFMA_TARGET]] static void reduced(const N& a, N& out) {
    put(lanes_of(a).loose().template reduced<Bound>(), out);
  }
  /// a - b - c + 2 p, reduced before any carry.
  [[CUZK_IFMA_TARGET]] static void less_two(const N& a, const N& b, const N& c, N& out) {
    put((lanes_of(a) - lanes_of(b) - lanes_of(c)).template plus_p<2>().template reduced<4>(), out);
  }
  /// a - b + Offset p
  template <u64 Offset> [[CUZK_IFMA_TARGET]] static void below_2p(const N& a, const N& b, N& out) {
    put((lanes_of(a) - lanes_of(b)).template plus_p<Offset>().template below_2p<Offset + 2>(), out);
  }
  template <unsigned Shift> [[CUZK_IFMA_TARGET]] static void shifted(const N& a, N& out) {
    put(lanes_of(a).template shifted<Shift>(), out);
  }
  template <unsigned Shift> [[CUZK_IFMA_TARGET]] static void from_memory(const Repr* in, N& out) {
    put(Lanes<P>::template from_limbs<Shift>(ifma::load(in)), out);
  }
  [[CUZK_IFMA_TARGET]] static void to_memory(const N& in, Repr* out) { ifma::store(lanes_of(in).limbs(), out); }
  /// Product of elements as they lie in memory.
  [[CUZK_IFMA_TARGET]] static void element_product(const Repr* a, const Repr* b, Repr* out) {
    const auto left = Lanes<P>::template from_limbs<kShift>(ifma::load(a));
    ifma::store(ifma::loose_product(left, Lanes<P>::from_limbs(ifma::load(b))).template reduced<2>().limbs(), out);
  }
};

template <class P> class LanesTest : public testing::Test {
 protected:
  using N = Numbers<P>;
  using K = Kernels<P>;
  using Element = Fp<P>;
  static constexpr std::size_t L = Digits<P>::L;
  static constexpr int kRounds = 1500;

  void SetUp() override {
    if (!cpu_features().avx512_ifma) GTEST_SKIP() << "this processor has no AVX-512 IFMA";
  }

  mpz_class mod(const mpz_class& z) const {
    mpz_class r;
    mpz_mod(r.get_mpz_t(), z.get_mpz_t(), p.get_mpz_t());
    return r;
  }
  /// Below `bound`: random digits, digits of ones and zeros, or within 8 of a multiple of p or of the bound.
  mpz_class number(const mpz_class& bound) {
    mpz_class z = 0;
    switch (random() % 4) {
      case 0:
        z = p * static_cast<unsigned long>(random() % 8) + static_cast<long>(random() % 17) - 8;
        break;
      case 1:
        z = bound - 1 - static_cast<unsigned long>(random() % 8);
        break;
      default:
        for (std::size_t j = 0; j < L; ++j) {
          const u64 choices[] = {random(), random(), 0, 1, ifma::kDigitMask, ifma::kDigitMask - 1};
          z = (z << ifma::kDigitBits) + mpz_class(static_cast<unsigned long>(choices[random() % 6] & ifma::kDigitMask));
        }
    }
    if (z >= 0 && z < bound) return z;
    mpz_class r;
    mpz_mod(r.get_mpz_t(), z.get_mpz_t(), bound.get_mpz_t());
    return r;
  }
  N numbers(const mpz_class& bound) {
    N n;
    for (std::size_t i = 0; i < kLanes; ++i) n.set(i, number(bound));
    return n;
  }
  void expect_digits(const N& n) {
    for (const auto& digits : n.digit)
      for (const u64 d : digits) ASSERT_LE(d, ifma::kDigitMask);
  }

  std::mt19937_64 random{run_seed()};
  const mpz_class p = to_mpz(Element::modulus), s = mpz_class(1) << static_cast<unsigned>(ifma::kDigitBits * L);
};
using LaneParams = testing::Types<Bn254FrParams, Bn254FqParams, Bls12_381FrParams, Bls12_381FqParams>;
TYPED_TEST_SUITE(LanesTest, LaneParams);

TYPED_TEST(LanesTest, ProductsOfAnyNumbers) {
  for (int round = 0; round < this->kRounds; ++round) {
    const auto a = this->numbers(this->s), b = this->numbers(round % 2 == 0 ? this->s : 4 * this->p);
    std::remove_const_t<decltype(a)> product, square;
    TestFixture::K::product(a, b, product);
    TestFixture::K::square(a, square);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const mpz_class x = a.value(i), y = b.value(i);
      if (x * y < this->s * (this->s - this->p)) {  // else the product itself may pass S
        for (const auto& digits : product.digit) ASSERT_LE(digits[i], ifma::kDigitMask);
        ASSERT_EQ(this->mod(product.value(i) * this->s), this->mod(x * y));
        ASSERT_LT(mpz_class(product.value(i) * this->s), mpz_class(x * y + this->p * this->s));
      }
      if (x * x < this->s * (this->s - this->p)) {
        ASSERT_EQ(this->mod(square.value(i) * this->s), this->mod(x * x));
        ASSERT_LT(mpz_class(square.value(i) * this->s), mpz_class(x * x + this->p * this->s));
      }
    }
  }
}

TYPED_TEST(LanesTest, SumsDifferencesShifts) {
  for (int round = 0; round < this->kRounds; ++round) {
    const auto a = this->numbers(2 * this->p), b = this->numbers(this->p);
    std::remove_const_t<decltype(a)> sum, difference, shifted;
    TestFixture::K::sum(a, b, sum);
    TestFixture::K::difference(a, b, difference);
    TestFixture::K::template shifted<2>(a, shifted);
    this->expect_digits(sum), this->expect_digits(difference), this->expect_digits(shifted);
    for (std::size_t i = 0; i < kLanes; ++i) {
      ASSERT_EQ(sum.value(i), mpz_class(a.value(i) + b.value(i)));
      ASSERT_EQ(difference.value(i), mpz_class(a.value(i) - b.value(i) + this->p));
      ASSERT_EQ(shifted.value(i), mpz_class(4 * a.value(i)));
    }
  }
}

TYPED_TEST(LanesTest, ReducedIsBelowP) {
  const auto expect = [&](const auto& in, const auto& out, std::size_t i) {
    ASSERT_EQ(out.value(i), this->mod(in.value(i)));
  };
  for (int round = 0; round < this->kRounds; ++round) {
    const auto two = this->numbers(2 * this->p), three = this->numbers(3 * this->p), four = this->numbers(4 * this->p);
    std::remove_const_t<decltype(two)> r2, r3, r4;
    TestFixture::K::template reduced<2>(two, r2);
    TestFixture::K::template reduced<3>(three, r3);
    TestFixture::K::template reduced<4>(four, r4);
    this->expect_digits(r2), this->expect_digits(r3), this->expect_digits(r4);
    for (std::size_t i = 0; i < kLanes; ++i) expect(two, r2, i), expect(three, r3, i), expect(four, r4, i);
  }
}

TYPED_TEST(LanesTest, LooseDigitsAreReduced) {
  for (int round = 0; round < this->kRounds; ++round) {
    const auto a = this->numbers(2 * this->p), b = this->numbers(this->p), c = this->numbers(this->p);
    std::remove_const_t<decltype(a)> out;
    TestFixture::K::less_two(a, b, c, out);
    this->expect_digits(out);
    for (std::size_t i = 0; i < kLanes; ++i) ASSERT_EQ(out.value(i), this->mod(a.value(i) - b.value(i) - c.value(i)));
  }
}

TYPED_TEST(LanesTest, StaysBelowTwiceP) {
  const mpz_class slack = mpz_class(1) << static_cast<unsigned>(ifma::kDigitBits * (TestFixture::L - 1) + 2);
  for (int round = 0; round < this->kRounds; ++round) {
    const auto a = this->numbers(2 * this->p + slack), b = this->numbers(2 * this->p);
    std::remove_const_t<decltype(a)> of_4p, of_6p;
    TestFixture::K::template below_2p<2>(a, b, of_4p);
    TestFixture::K::template below_2p<4>(a, a, of_6p);
    this->expect_digits(of_4p), this->expect_digits(of_6p);
    for (std::size_t i = 0; i < kLanes; ++i) ASSERT_EQ(this->mod(of_6p.value(i)), 0);
    TestFixture::K::template below_2p<4>(b, a, of_6p);
    for (std::size_t i = 0; i < kLanes; ++i) {
      ASSERT_EQ(this->mod(of_4p.value(i)), this->mod(a.value(i) - b.value(i)));
      ASSERT_LT(of_4p.value(i), mpz_class(2 * this->p + slack));
      ASSERT_EQ(this->mod(of_6p.value(i)), this->mod(b.value(i) - a.value(i)));
      ASSERT_LT(of_6p.value(i), mpz_class(2 * this->p + slack));
    }
  }
}

TYPED_TEST(LanesTest, ElementsGoInAndOut) {
  using F = typename TestFixture::Element;
  constexpr unsigned shift = TestFixture::K::kShift;
  for (int round = 0; round < this->kRounds; ++round) {
    std::array<typename F::Repr, kLanes> a, b, out;
    for (std::size_t i = 0; i < kLanes; ++i) {
      a[i] = biased_element<F>(this->random).montgomery();
      b[i] = biased_element<F>(this->random).montgomery();
    }
    typename TestFixture::N plain, shifted;
    TestFixture::K::template from_memory<0>(a.data(), plain);
    TestFixture::K::template from_memory<shift>(a.data(), shifted);
    TestFixture::K::to_memory(plain, out.data());
    for (std::size_t i = 0; i < kLanes; ++i) {
      ASSERT_EQ(plain.value(i), to_mpz(a[i]));
      ASSERT_EQ(shifted.value(i), mpz_class(to_mpz(a[i]) << shift));
      ASSERT_EQ(out[i], a[i]);
    }
    TestFixture::K::element_product(a.data(), b.data(), out.data());
    for (std::size_t i = 0; i < kLanes; ++i)
      ASSERT_EQ(out[i], (F::from_montgomery(a[i]) * F::from_montgomery(b[i])).montgomery());
  }
}

}  // namespace
}  // namespace cuzk::test

#endif
