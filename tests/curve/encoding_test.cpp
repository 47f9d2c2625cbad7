#include "curve/encoding.h"

#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "support/hex.h"
#include "tests/curve/samples.h"

namespace cuzk {
namespace {

using Buffer = std::vector<std::byte>;

template <class T> Kind kind_of(const Result<T>& result) { return result ? Kind::none : result.error().kind(); }

template <class T> T value_of(const Result<T>& result) {
  CUZK_REQUIRE(result.has_value());
  return *result;
}

/// q itself, big endian: the smallest coordinate that is out of range.
template <class Fq> Buffer modulus_be() {
  Buffer bytes(Fq::bytes);
  Fq::modulus.to_be_bytes(bytes.data());
  return bytes;
}

void put(Buffer& into, std::size_t at, const Buffer& bytes) {
  std::copy(bytes.begin(), bytes.end(), into.begin() + static_cast<std::ptrdiff_t>(at));
}

/// One of the four ZCash forms.
template <class GroupOf, bool kIsCompressed> struct Form {
  using Group = GroupOf;
  using A = typename Group::Affine;
  static constexpr bool compressed = kIsCompressed;
  static constexpr bool g2 = std::is_same_v<A, Bls12_381::G2Affine>;
  static constexpr std::size_t size = (g2 ? 96 : 48) * (compressed ? 1 : 2);

  static Result<A> decode(Bytes in, Validation validation = Validation::subgroup) {
    if constexpr (g2) {
      return compressed ? zcash::decode_g2_compressed(in, validation) : zcash::decode_g2_uncompressed(in, validation);
    } else {
      return compressed ? zcash::decode_g1_compressed(in, validation) : zcash::decode_g1_uncompressed(in, validation);
    }
  }
  static Buffer encode(const A& p) {
    Buffer out(size);
    if constexpr (g2) {
      compressed ? zcash::encode_g2_compressed(p, out) : zcash::encode_g2_uncompressed(p, out);
    } else {
      compressed ? zcash::encode_g1_compressed(p, out) : zcash::encode_g1_uncompressed(p, out);
    }
    return out;
  }
};

template <class T> struct ZcashTest : testing::Test {
  test::Samples samples{5};
  typename T::A member() { return test::random_member<typename T::Group>(samples); }
  typename T::A outsider() { return test::random_curve_point<typename T::Group>(samples); }
};
using Forms = testing::Types<Form<test::G1Of<Bls12_381>, true>, Form<test::G1Of<Bls12_381>, false>,
                             Form<test::G2Of<Bls12_381>, true>, Form<test::G2Of<Bls12_381>, false>>;
TYPED_TEST_SUITE(ZcashTest, Forms);

TYPED_TEST(ZcashTest, RoundTrip) {
  for (int i = 0; i < 20; ++i) {
    const auto p = this->member();
    for (const auto& point : {p, -p, TypeParam::A::identity()}) {
      const auto back = TypeParam::decode(TypeParam::encode(point));
      ASSERT_TRUE(back) << back.error().to_string();
      EXPECT_EQ(*back, point);
    }
  }
}

TYPED_TEST(ZcashTest, FlagsOfIdentity) {
  Buffer identity(TypeParam::size);
  identity[0] = std::byte{TypeParam::compressed ? 0xc0 : 0x40};
  EXPECT_EQ(TypeParam::encode(TypeParam::A::identity()), identity);
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, TypeParam::size / 2, TypeParam::size - 1}) {
    Buffer dirty = identity;
    dirty[at] |= std::byte{1};
    EXPECT_EQ(kind_of(TypeParam::decode(dirty)), Kind::bad_flags) << at;
  }
  Buffer with_sign = identity;
  with_sign[0] |= std::byte{0x20};
  EXPECT_EQ(kind_of(TypeParam::decode(with_sign)), Kind::bad_flags);
}

TYPED_TEST(ZcashTest, AllZeroIsNoPoint) {
  const Buffer zeros(TypeParam::size);
  EXPECT_EQ(kind_of(TypeParam::decode(zeros)), TypeParam::compressed ? Kind::bad_flags : Kind::not_on_curve);
}

TYPED_TEST(ZcashTest, WrongFormAndSign) {
  Buffer bytes = TypeParam::encode(this->member());
  bytes[0] ^= std::byte{0x80};
  EXPECT_EQ(kind_of(TypeParam::decode(bytes)), Kind::bad_flags);
  if constexpr (!TypeParam::compressed) {
    Buffer sign = TypeParam::encode(this->member());
    sign[0] |= std::byte{0x20};
    EXPECT_EQ(kind_of(TypeParam::decode(sign)), Kind::bad_flags);
  } else {
    const auto p = this->member();
    Buffer other = TypeParam::encode(p);
    other[0] ^= std::byte{0x20};
    EXPECT_EQ(value_of(TypeParam::decode(other)), -p);
  }
}

TYPED_TEST(ZcashTest, LengthIsExact) {
  Buffer bytes = TypeParam::encode(this->member());
  EXPECT_EQ(kind_of(TypeParam::decode(Bytes(bytes).first(bytes.size() - 1))), Kind::bad_length);
  EXPECT_EQ(kind_of(TypeParam::decode(Bytes())), Kind::bad_length);
  bytes.push_back(std::byte{0});
  EXPECT_EQ(kind_of(TypeParam::decode(bytes)), Kind::bad_length);
}

TYPED_TEST(ZcashTest, CoordinatesAreCanonical) {
  using Fq = Bls12_381::Fq;
  for (std::size_t at = 0; at < TypeParam::size; at += Fq::bytes) {
    Buffer bytes = TypeParam::encode(this->member());
    const std::byte flags = bytes[0] & std::byte{0xe0};
    put(bytes, at, modulus_be<Fq>());
    if (at == 0) bytes[0] |= flags;
    const auto result = TypeParam::decode(bytes, Validation::range);
    EXPECT_EQ(kind_of(result), Kind::non_canonical) << at;
    EXPECT_EQ(result.error().where()->offset, at);
    // The flags are those of the first byte alone.
    if (at > 0) {
      bytes = TypeParam::encode(this->member());
      bytes[at] |= std::byte{0x80};
      EXPECT_EQ(kind_of(TypeParam::decode(bytes)), Kind::non_canonical);
    }
  }
}

TYPED_TEST(ZcashTest, PointsAreOnTheCurve) {
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    auto p = this->member();
    p.x += decltype(p.x)::one();  // of a compressed x about every second has a point
    const auto result = TypeParam::decode(TypeParam::encode(p), Validation::on_curve);
    if (kind_of(result) == Kind::not_on_curve) ++refused;
    EXPECT_TRUE(result || kind_of(result) == Kind::not_on_curve);
    EXPECT_TRUE(!result || is_on_curve<Bls12_381>(*result));
    EXPECT_TRUE(TypeParam::compressed || TypeParam::decode(TypeParam::encode(p), Validation::range));
  }
  EXPECT_GT(refused, TypeParam::compressed ? 0 : 19);
}

TYPED_TEST(ZcashTest, PointsAreInTheSubgroup) {
  for (int i = 0; i < 5; ++i) {
    const auto p = this->outsider();
    const Buffer bytes = TypeParam::encode(p);
    EXPECT_EQ(kind_of(TypeParam::decode(bytes, Validation::subgroup)), Kind::not_in_subgroup);
    EXPECT_EQ(value_of(TypeParam::decode(bytes, Validation::on_curve)), p);
    EXPECT_EQ(value_of(TypeParam::decode(bytes, Validation::range)), p);
  }
}

/// draft-irtf-cfrg-pairing-friendly-curves-11, appendix C, and every implementation of it.
TEST(Zcash, GeneratorsHaveTheirWellKnownBytes) {
  const auto g1 = Form<test::G1Of<Bls12_381>, true>::encode(g1_generator<Bls12_381>());
  EXPECT_EQ(encode_hex(g1),
            "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb");
  const auto g2 = Form<test::G2Of<Bls12_381>, true>::encode(g2_generator<Bls12_381>());
  EXPECT_EQ(encode_hex(g2),
            "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
            "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8");
}

TEST(Zcash, SignOfFq2ComparesTheImaginaryPartFirst) {
  test::Samples samples{6};
  int seen_larger = 0;
  for (int i = 0; i < 40; ++i) {
    const auto p = test::random_member<test::G2Of<Bls12_381>>(samples);
    const auto bytes = Form<test::G2Of<Bls12_381>, true>::encode(p);
    const bool larger =
        p.y.c1.is_zero() ? (-p.y.c0).canonical() < p.y.c0.canonical() : (-p.y.c1).canonical() < p.y.c1.canonical();
    EXPECT_EQ((bytes[0] & std::byte{0x20}) != std::byte{0}, larger);
    seen_larger += larger ? 1 : 0;
  }
  EXPECT_GT(seen_larger, 0);
  EXPECT_LT(seen_larger, 40);
}

TEST(Zcash, PointOfXZeroIsOutsideTheSubgroup) {
  Buffer bytes(48);
  bytes[0] = std::byte{0x80};
  EXPECT_EQ(kind_of(zcash::decode_g1_compressed(bytes, Validation::subgroup)), Kind::not_in_subgroup);
  EXPECT_TRUE(zcash::decode_g1_compressed(bytes, Validation::on_curve));
}

template <class GroupOf> struct SnarkjsTest : testing::Test {
  using Curve = typename GroupOf::Curve;
  using Point = typename GroupOf::Affine;
  test::Samples samples{7};

  static Result<Point> decode(Bytes in, Validation validation = Validation::subgroup) {
    if constexpr (std::is_same_v<Point, typename Curve::G1Affine>) {
      return snarkjs::decode_g1<Curve>(in, validation);
    } else {
      return snarkjs::decode_g2<Curve>(in, validation);
    }
  }
  static Buffer encode(const Point& p) {
    Buffer out(sizeof(Point));
    if constexpr (std::is_same_v<Point, typename Curve::G1Affine>) {
      snarkjs::encode_g1<Curve>(p, out);
    } else {
      snarkjs::encode_g2<Curve>(p, out);
    }
    return out;
  }
};
using Groups = testing::Types<test::G1Of<Bn254>, test::G2Of<Bn254>, test::G1Of<Bls12_381>, test::G2Of<Bls12_381>>;
TYPED_TEST_SUITE(SnarkjsTest, Groups);

TYPED_TEST(SnarkjsTest, RoundTrip) {
  for (int i = 0; i < 10; ++i) {
    const auto p = test::random_member<TypeParam>(this->samples);
    EXPECT_EQ(value_of(this->decode(this->encode(p))), p);
  }
  const auto identity = TypeParam::Affine::identity();
  EXPECT_EQ(this->encode(identity), Buffer(sizeof(identity)));
  EXPECT_EQ(value_of(this->decode(this->encode(identity))), identity);
}

TYPED_TEST(SnarkjsTest, CoordinatesAreMontgomeryLittleEndian) {
  using C = typename TypeParam::Curve;
  const auto p = test::random_member<TypeParam>(this->samples);
  const Buffer bytes = this->encode(p);
  typename C::Fq first;
  if constexpr (requires { p.x.c0; }) {
    first = p.x.c0;
  } else {
    first = p.x;
  }
  auto shifted = first;
  for (std::size_t i = 0; i < C::Fq::Repr::bits; ++i) shifted = shifted.doubled();
  EXPECT_EQ(C::Fq::Repr::from_le_bytes(bytes.data()), shifted.canonical());
}

TYPED_TEST(SnarkjsTest, BadPoints) {
  using C = typename TypeParam::Curve;
  using F = typename TypeParam::Affine::Field;
  const auto p = test::random_member<TypeParam>(this->samples);
  const Buffer good = this->encode(p);
  EXPECT_EQ(kind_of(this->decode(Bytes(good).first(good.size() - 1))), Kind::bad_length);
  for (std::size_t at = 0; at < good.size(); at += C::Fq::bytes) {
    Buffer bytes = good;
    C::Fq::modulus.to_le_bytes(bytes.data() + at);
    const auto result = this->decode(bytes, Validation::range);
    EXPECT_EQ(kind_of(result), Kind::non_canonical);
    EXPECT_EQ(result.error().where()->offset, at);
  }
  const Buffer off = this->encode({p.x, p.y + F::one()});
  EXPECT_EQ(kind_of(this->decode(off)), Kind::not_on_curve);
  EXPECT_TRUE(this->decode(off, Validation::range));
  EXPECT_EQ(kind_of(this->decode(this->encode({F::zero(), F::one()}))), Kind::not_on_curve);
  if constexpr (!std::is_same_v<TypeParam, test::G1Of<Bn254>>) {
    const Buffer outside = this->encode(test::random_curve_point<TypeParam>(this->samples));
    EXPECT_EQ(kind_of(this->decode(outside)), Kind::not_in_subgroup);
    EXPECT_TRUE(this->decode(outside, Validation::on_curve));
  }
}

template <class C> struct CanonicalTest : testing::Test {
  test::Samples samples{8};
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(CanonicalTest, Curves);

TYPED_TEST(CanonicalTest, PointsFromIntegers) {
  using C = TypeParam;
  using Fq = typename C::Fq;
  const auto p = test::random_member<test::G1Of<C>>(this->samples);
  const auto x = p.x.canonical();
  const auto y = p.y.canonical();
  EXPECT_EQ(value_of(g1_from_canonical<C>(x, y, Validation::subgroup)), p);
  EXPECT_EQ(kind_of(g1_from_canonical<C>(Fq::modulus, y, Validation::range)), Kind::non_canonical);
  EXPECT_EQ(kind_of(g1_from_canonical<C>(x, Fq::modulus, Validation::range)), Kind::non_canonical);
  EXPECT_EQ(kind_of(g1_from_canonical<C>({}, {}, Validation::range)), Kind::not_on_curve);
  EXPECT_EQ(kind_of(g2_from_canonical<C>({}, {}, {}, {}, Validation::range)), Kind::not_on_curve);
  EXPECT_EQ(kind_of(g1_from_canonical<C>(y, x, Validation::on_curve)), Kind::not_on_curve);

  const auto q = test::random_member<test::G2Of<C>>(this->samples);
  const std::array<typename Fq::Repr, 4> v{q.x.c0.canonical(), q.x.c1.canonical(), q.y.c0.canonical(),
                                           q.y.c1.canonical()};
  EXPECT_EQ(value_of(g2_from_canonical<C>(v[0], v[1], v[2], v[3], Validation::subgroup)), q);
  EXPECT_EQ(kind_of(g2_from_canonical<C>(v[1], v[0], v[2], v[3], Validation::subgroup)), Kind::not_on_curve);
  for (std::size_t i = 0; i < 4; ++i) {
    auto w = v;
    w[i] = Fq::modulus;
    EXPECT_EQ(kind_of(g2_from_canonical<C>(w[0], w[1], w[2], w[3], Validation::range)), Kind::non_canonical);
  }
}

}  // namespace
}  // namespace cuzk
