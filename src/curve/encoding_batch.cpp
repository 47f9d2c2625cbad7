#include "curve/encoding_batch.h"

#include <algorithm>
#include <array>

#include "field/fp_batch.h"

namespace cuzk::zcash {

namespace {

using C = Bls12_381;
using Fq = C::Fq;
using FqTwo = C::Fq2;

constexpr std::size_t kBlock = 32;  // points at a time: their coordinates stay in the nearest cache

template <class F> constexpr std::size_t kParts = sizeof(F) / sizeof(Fq);

/// A field element for each point of a block, part by part.
template <class F> using Column = std::array<std::array<Fq, kBlock>, kParts<F>>;

void multiply(std::array<Fq, kBlock>& out, const std::array<Fq, kBlock>& a, const std::array<Fq, kBlock>& b) noexcept {
  mul_n<Fq>(out, a, b);
}

template <class Combine>
std::array<Fq, kBlock> each(const std::array<Fq, kBlock>& a, const std::array<Fq, kBlock>& b, Combine combine) {
  std::array<Fq, kBlock> out;
  for (std::size_t i = 0; i < kBlock; ++i) out[i] = combine(a[i], b[i]);
  return out;
}

constexpr auto kSum = [](const Fq& a, const Fq& b) { return a + b; };
constexpr auto kDifference = [](const Fq& a, const Fq& b) { return a - b; };

Column<Fq> product(const Column<Fq>& a, const Column<Fq>& b) noexcept {
  Column<Fq> out;
  multiply(out[0], a[0], b[0]);
  return out;
}

/// u^2 = -1; three products.
Column<FqTwo> product(const Column<FqTwo>& a, const Column<FqTwo>& b) noexcept {
  Column<FqTwo> out;
  std::array<Fq, kBlock> low, high, cross;
  multiply(low, a[0], b[0]);
  multiply(high, a[1], b[1]);
  multiply(cross, each(a[0], a[1], kSum), each(b[0], b[1], kSum));
  out[0] = each(low, high, kDifference);
  out[1] = each(each(cross, low, kDifference), high, kDifference);
  return out;
}

/// A block of points: what they are in memory, and those that are to be looked at one by one.
template <class F> class Block {
 public:
  using Point = Affine<F>;

  Block(Bytes in, std::span<Point> out) noexcept : in_(in), out_(out) {}

  std::size_t decode(Validation validation, Result<Point> (*decode_one)(Bytes, Validation)) {
    read();
    from_canonical_n<Fq>(coordinates(), std::span<const Fq::Repr>(values_).first(out_.size() * kCoordinates));
    if (validation == Validation::on_curve) find_strangers();
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (!one_by_one_[i] && validation != Validation::subgroup) continue;
      const auto point = decode_one(in_.subspan(i * sizeof(Point), sizeof(Point)), validation);
      if (!point) return i;
      out_[i] = *point;
    }
    return out_.size();
  }

 private:
  static constexpr std::size_t kCoordinates = 2 * kParts<F>;

  std::span<Fq> coordinates() noexcept { return {reinterpret_cast<Fq*>(out_.data()), out_.size() * kCoordinates}; }

  /// Where the memory has the i-th coordinate of the wire: there Fq2 is c1 || c0.
  static constexpr std::size_t place_of(std::size_t i) noexcept { return kParts<F> == 1 ? i : i ^ 1; }

  /// Values below q; zeros for a point of zeros alone or with a coordinate that is not below q, as flags make the
  /// first.
  void read() noexcept {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const std::byte* const from = in_.data() + i * sizeof(Point);
      Fq::Repr* const to = values_.data() + i * kCoordinates;
      bool plain = true, zero = true;
      for (std::size_t k = 0; k < kCoordinates; ++k) {
        Fq::Repr& value = to[place_of(k)];
        value = Fq::Repr::from_be_bytes(from + k * Fq::bytes);
        plain &= value < Fq::modulus;
        zero &= value.is_zero();
      }
      one_by_one_[i] = !plain || zero;
      if (one_by_one_[i]) std::fill(to, to + kCoordinates, Fq::Repr{});
    }
  }

  Column<F> column(std::size_t coordinate) noexcept {
    Column<F> column{};
    const std::span<const Fq> all = coordinates();
    for (std::size_t part = 0; part < kParts<F>; ++part)
      for (std::size_t i = 0; i < out_.size(); ++i)
        column[part][i] = all[i * kCoordinates + coordinate * kParts<F> + part];
    return column;
  }

  /// y^2 = x^3 + 4, over Fq2 + 4 (1 + u).
  void find_strangers() noexcept {
    const Column<F> x = column(0), y = column(1);
    const Column<F> left = product(y, y), right = product(product(x, x), x);
    const Fq b = Fq::from_u64(4);
    for (std::size_t part = 0; part < kParts<F>; ++part)
      for (std::size_t i = 0; i < out_.size(); ++i) one_by_one_[i] |= left[part][i] != right[part][i] + b;
  }

  Bytes in_;
  std::span<Point> out_;
  std::array<Fq::Repr, kBlock * kCoordinates> values_;
  std::array<bool, kBlock> one_by_one_{};
};

template <class F>
std::size_t decode_n(Bytes in, std::span<Affine<F>> out, Validation validation,
                     Result<Affine<F>> (*decode_one)(Bytes, Validation)) {
  CUZK_ASSERT(in.size() == out.size_bytes());
  for (std::size_t begin = 0; begin < out.size(); begin += kBlock) {
    const std::span<Affine<F>> part = out.subspan(begin, std::min(kBlock, out.size() - begin));
    Block<F> block(in.subspan(begin * sizeof(Affine<F>), part.size_bytes()), part);
    const std::size_t done = block.decode(validation, decode_one);
    if (done < part.size()) return begin + done;
  }
  return out.size();
}

}  // namespace

std::size_t decode_g1_uncompressed_n(Bytes in, std::span<C::G1Affine> out, Validation validation) {
  return decode_n<Fq>(in, out, validation, decode_g1_uncompressed);
}

std::size_t decode_g2_uncompressed_n(Bytes in, std::span<C::G2Affine> out, Validation validation) {
  return decode_n<FqTwo>(in, out, validation, decode_g2_uncompressed);
}

}  // namespace cuzk::zcash
