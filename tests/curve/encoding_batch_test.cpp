// Blocks of points against one point at a time, on every path of this processor.
#include "curve/encoding_batch.h"

#include <vector>

#include <gtest/gtest.h>

#include "support/cpu_path_scope.h"
#include "tests/curve/samples.h"

namespace cuzk {
namespace {

struct InG1 {
  using Group = test::G1Of<Bls12_381>;
  static constexpr auto decode_one = zcash::decode_g1_uncompressed;
  static constexpr auto decode_n = zcash::decode_g1_uncompressed_n;
  static constexpr auto encode = zcash::encode_g1_uncompressed;
};
struct InG2 {
  using Group = test::G2Of<Bls12_381>;
  static constexpr auto decode_one = zcash::decode_g2_uncompressed;
  static constexpr auto decode_n = zcash::decode_g2_uncompressed_n;
  static constexpr auto encode = zcash::encode_g2_uncompressed;
};

constexpr auto kValidations = {Validation::range, Validation::on_curve, Validation::subgroup};

template <class In> class EncodingBatch : public testing::Test {
 protected:
  using Group = typename In::Group;
  using Point = typename Group::Affine;
  static constexpr std::size_t kPointBytes = sizeof(Point);

  /// Of members, at times the identity.
  std::vector<std::byte> encodings(std::size_t count) {
    std::vector<std::byte> bytes(count * kPointBytes);
    for (std::size_t i = 0; i < count; ++i) {
      const bool identity = samples_.word() % 16 == 0;
      put(bytes, i, identity ? Point::identity() : members_[samples_.word() % members_.size()]);
    }
    return bytes;
  }
  static void put(std::vector<std::byte>& bytes, std::size_t index, const Point& p) {
    In::encode(p, MutableBytes(bytes).subspan(index * kPointBytes, kPointBytes));
  }

  /// What one point at a time says of them.
  static void check(const std::vector<std::byte>& bytes, Validation validation) {
    const std::size_t count = bytes.size() / kPointBytes;
    std::vector<Point> expected;
    while (expected.size() < count) {
      const auto point = In::decode_one(Bytes(bytes).subspan(expected.size() * kPointBytes, kPointBytes), validation);
      if (!point) break;
      expected.push_back(*point);
    }
    for (int path = 0; path <= static_cast<int>(best_cpu_path(cpu_features())); ++path) {
      const CpuPathScope scope(static_cast<CpuPath>(path));
      SCOPED_TRACE(to_string(active_cpu_path()));
      std::vector<Point> points(count);
      ASSERT_EQ(In::decode_n(bytes, points, validation), expected.size());
      points.resize(expected.size());
      ASSERT_EQ(points, expected);
    }
  }

  test::Samples samples_{31};
  std::vector<Point> members_ = [this] {
    std::vector<Point> points(8);
    for (Point& p : points) p = test::random_member<Group>(samples_);
    return points;
  }();
};
using Groups = testing::Types<InG1, InG2>;
TYPED_TEST_SUITE(EncodingBatch, Groups);

TYPED_TEST(EncodingBatch, EverySize) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 31U, 32U, 33U, 64U, 100U})
    for (const Validation validation : kValidations) this->check(this->encodings(count), validation);
}

/// Bits of bytes turned: flags, coordinates that are too large or off the curve, identities with dirt.
TYPED_TEST(EncodingBatch, DamagedPoints) {
  for (int round = 0; round < 60; ++round) {
    std::vector<std::byte> bytes = this->encodings(40);
    for (std::size_t faults = this->samples_.word() % 3; faults > 0; --faults) {
      const std::size_t coordinate = this->samples_.word() % (bytes.size() / Bls12_381::Fq::bytes);
      const std::size_t at = this->samples_.word() % 2 == 0 ? 0 : this->samples_.word() % Bls12_381::Fq::bytes;
      bytes[coordinate * Bls12_381::Fq::bytes + at] ^=
          std::byte{static_cast<unsigned char>(1 << this->samples_.word() % 8)};
    }
    for (const Validation validation : {Validation::range, Validation::on_curve}) this->check(bytes, validation);
  }
}

TYPED_TEST(EncodingBatch, EdgesOfTheRange) {
  using Fq = Bls12_381::Fq;
  constexpr std::size_t kBytes = TestFixture::kPointBytes;
  for (std::size_t at = 0; at < kBytes; at += Fq::bytes) {
    for (const u64 below : {0U, 1U}) {  // q and q - 1
      std::vector<std::byte> bytes = this->encodings(9);
      typename Fq::Repr value = Fq::modulus;
      value.limb[0] -= below;
      value.to_be_bytes(bytes.data() + 4 * kBytes + at);
      for (const Validation validation : {Validation::range, Validation::on_curve}) this->check(bytes, validation);
    }
  }
}

TYPED_TEST(EncodingBatch, OutsidersAndZeros) {
  constexpr std::size_t kBytes = TestFixture::kPointBytes;
  std::vector<std::byte> bytes = this->encodings(40);
  this->put(bytes, 35, test::random_curve_point<typename TypeParam::Group>(this->samples_));
  for (const Validation validation : kValidations) this->check(bytes, validation);
  std::fill_n(bytes.begin() + 37 * kBytes, kBytes, std::byte{0});
  for (const Validation validation : kValidations) this->check(bytes, validation);
  std::vector<typename TestFixture::Point> points(40);
  EXPECT_EQ(TypeParam::decode_n(bytes, points, Validation::subgroup), 35U);
  EXPECT_EQ(TypeParam::decode_n(bytes, points, Validation::range), 37U);
}

}  // namespace
}  // namespace cuzk
