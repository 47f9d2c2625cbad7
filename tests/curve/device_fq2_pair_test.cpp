// Fq2 in two lanes, which two threads play here: the same elements and points as the host's.
#include "curve/device_fq2_pair.h"

#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "curve/device_xyzz.h"
#include "tests/curve/samples.h"

namespace cuzk::test {
namespace {

/// Two lanes that hand each other words in step. kOthersDiffer: as if in step with other pairs, of which one has what
/// this pair has not, so that the way of special cases is taken for each sum.
template <bool kOthersDiffer> class LanePair {
 public:
  /// Calls of(lane) for both, at the same time.
  static void run(const std::function<void(bool odd)>& of) {
    LanePair pair;
    const auto play = [&](bool odd) {
      own() = {&pair, odd, 0};
      of(odd);
    };
    std::thread second(play, true);
    play(false);
    second.join();
  }

  static bool is_odd() { return own().odd; }
  /// Words that this lane has handed over.
  static u64 steps() { return own().steps; }
  static u32 other(u32 word) {
    Lane& lane = own();
    const u64 step = ++lane.steps;
    // Two slots: the other lane writes this one again only when it has had this lane's next word.
    std::atomic<u64>& mine = lane.pair->slots_[lane.odd][step % 2];
    mine.store(step << 32 | word, std::memory_order_release);
    mine.notify_one();
    const std::atomic<u64>& theirs = lane.pair->slots_[!lane.odd][step % 2];
    u64 found = theirs.load(std::memory_order_acquire);
    for (; found >> 32 != step; found = theirs.load(std::memory_order_acquire)) theirs.wait(found);
    return static_cast<u32>(found);
  }
  static constexpr bool any(bool condition) { return condition || kOthersDiffer; }
  static bool all(bool condition) { return condition && !kOthersDiffer; }

 private:
  struct Lane {
    LanePair* pair = nullptr;
    bool odd = false;
    u64 steps = 0;
  };
  static Lane& own() {
    thread_local Lane lane;
    return lane;
  }

  std::atomic<u64> slots_[2][2] = {};
};

template <class Curve, bool kOthersDiffer> struct Pairs {
  using C = Curve;
  using Lanes = LanePair<kOthersDiffer>;
};

template <class T> class PairedFields : public testing::Test {
 protected:
  using C = typename T::C;
  using Lanes = typename T::Lanes;
  using Fq2 = typename C::Fq2;
  using Paired = PairedFq2<typename C::Fq::Params, Lanes>;
  using Affine = typename C::G2Affine;
  using Xyzz = DeviceXyzz<Paired>;

  static Paired part(const Fq2& x) { return {device_twin(Lanes::is_odd() ? x.c1 : x.c0)}; }
  static DeviceAffine<Paired> part(const Affine& p) { return {part(p.x), part(p.y)}; }
  /// What both lanes have of one result.
  static void put(Fq2& to, const Paired& part) {
    (Lanes::is_odd() ? to.c1 : to.c0) = std::bit_cast<typename C::Fq>(part.own);
  }

  /// The point with coordinates that are not its affine ones.
  static Xyzz scaled(const Affine& p) {
    Xyzz sum = Xyzz::from_affine(part(g2_generator<C>()));
    sum.add(part(p));
    sum.add(part(-g2_generator<C>()));
    return sum;
  }
  struct Coordinates {
    Fq2 x, y, zz, zzz;
    Affine affine() const { return zz.is_zero() ? Affine::identity() : Affine{x * zz.inverse(), y * zzz.inverse()}; }
  };
  static void put(Coordinates& to, const Xyzz& sum) {
    put(to.x, sum.x);
    put(to.y, sum.y);
    put(to.zz, sum.zz);
    put(to.zzz, sum.zzz);
  }
  static Affine sum(const Affine& p, const Affine& q) {
    return (C::G2::from_affine(p) + C::G2::from_affine(q)).to_affine();
  }

  Samples samples_;
};
using AllPairs =
    testing::Types<Pairs<Bn254, false>, Pairs<Bn254, true>, Pairs<Bls12_381, false>, Pairs<Bls12_381, true>>;
TYPED_TEST_SUITE(PairedFields, AllPairs);

TYPED_TEST(PairedFields, ArithmeticIsThatOfFq2) {
  using Element = typename TestFixture::Fq2;
  for (int i = 0; i < 60; ++i) {
    std::array<Element, 4> x;
    for (Element& one : x) one = this->samples_.template element<Element>();
    const auto& [a, b, c, d] = x;
    Element product, square, sum, difference, negative, twice, of_products;
    std::array<bool, 2> zero{};
    TestFixture::Lanes::run([&](bool odd) {
      const auto p = this->part(a), q = this->part(b);
      this->put(product, p * q);
      this->put(square, p.squared());
      this->put(sum, p + q);
      this->put(difference, p - q);
      this->put(negative, -p);
      this->put(twice, p.doubled());
      this->put(of_products, TestFixture::Paired::sum_of_products(p, q, this->part(c), this->part(d)));
      zero.at(odd) = p.is_zero();
    });
    ASSERT_EQ(product, a * b);
    ASSERT_EQ(square, a.squared());
    ASSERT_EQ(sum, a + b);
    ASSERT_EQ(difference, a - b);
    ASSERT_EQ(negative, -a);
    ASSERT_EQ(twice, a + a);
    ASSERT_EQ(of_products, a * b + c * d);
    ASSERT_EQ(zero, (std::array{a.is_zero(), a.is_zero()}));
  }
}

TYPED_TEST(PairedFields, ConstantsAndElementsWithOneComponentZero) {
  using Element = typename TestFixture::Fq2;
  using Fq = typename TestFixture::C::Fq;
  Element zero, one;
  TestFixture::Lanes::run([&](bool) {
    this->put(zero, TestFixture::Paired::zero());
    this->put(one, TestFixture::Paired::one());
  });
  EXPECT_EQ(zero, Element::zero());
  EXPECT_EQ(one, Element::one());
  for (const Element& x : {Element{Fq::one(), Fq::zero()}, Element{Fq::zero(), Fq::one()}}) {
    std::array<bool, 2> found{true, true};
    TestFixture::Lanes::run([&](bool odd) { found.at(odd) = this->part(x).is_zero(); });
    EXPECT_EQ(found, (std::array{false, false}));
  }
}

TYPED_TEST(PairedFields, SumsAreThoseOfPoint) {
  const auto p = random_member<G2Of<typename TestFixture::C>>(this->samples_),
             q = random_member<G2Of<typename TestFixture::C>>(this->samples_);
  const auto none = TestFixture::Affine::identity();
  for (const auto& a : {none, p, q}) {
    for (const auto& b : {none, p, -p}) {
      typename TestFixture::Coordinates full, mixed, twice;
      TestFixture::Lanes::run([&](bool) {
        auto sum = this->scaled(a);
        this->put(twice, sum.doubled());
        sum.add(this->scaled(b));
        this->put(full, sum);
        auto other = this->scaled(a);
        other.add(this->part(b));
        this->put(mixed, other);
      });
      EXPECT_EQ(full.affine(), this->sum(a, b));
      EXPECT_EQ(mixed.affine(), this->sum(a, b));
      EXPECT_EQ(twice.affine(), this->sum(a, a));
    }
  }
}

// Pairs in step with others must exchange words at the same places, whatever their values: elsewhere a warp would hang.
TYPED_TEST(PairedFields, AdditionsInStepExchangeAsManyWords) {
  if constexpr (TestFixture::Lanes::any(false)) {
    const auto p = random_member<G2Of<typename TestFixture::C>>(this->samples_),
               q = random_member<G2Of<typename TestFixture::C>>(this->samples_);
    const auto none = TestFixture::Affine::identity();
    std::set<std::pair<u64, u64>> counts;
    for (const auto& a : {none, p, -p, q}) {
      for (const auto& b : {none, p}) {
        TestFixture::Lanes::run([&](bool odd) {
          auto mixed = this->scaled(a), full = mixed;
          const auto more = this->scaled(b);
          const u64 first = TestFixture::Lanes::steps();
          mixed.add(this->part(b));
          const u64 second = TestFixture::Lanes::steps();
          full.add(more);
          if (odd) counts.emplace(second - first, TestFixture::Lanes::steps() - second);
        });
      }
    }
    EXPECT_EQ(counts.size(), 1U);
  }
}

}  // namespace
}  // namespace cuzk::test
