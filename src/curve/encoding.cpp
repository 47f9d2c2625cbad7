#include "curve/encoding.h"

#include <algorithm>
#include <array>

namespace cuzk {

namespace {

tl::unexpected<Error> refuse(Kind kind, std::size_t offset, std::string message) {
  Where where;
  where.offset = offset;
  return fail(Error(Code::malformed, kind, std::move(message)).at(std::move(where)));
}

Status check_length(Bytes in, std::size_t expected) {
  if (in.size() == expected) return {};
  return refuse(Kind::bad_length, 0,
                "a point of " + std::to_string(in.size()) + " bytes, expected " + std::to_string(expected));
}

template <class F> Status check_coordinate(const typename F::Repr& value, std::size_t offset) {
  if (value < F::modulus) return {};
  return refuse(Kind::non_canonical, offset, "a coordinate is not below the field's modulus");
}

/// The curve equation and the subgroup, as far as `validation` asks.
template <class C, class A> Result<A> validated(const A& p, Validation validation) {
  if (validation != Validation::range && !is_on_curve<C>(p))
    return refuse(Kind::not_on_curve, 0, "a point is not on the curve");
  if (validation == Validation::subgroup && !is_in_subgroup<C>(p))
    return refuse(Kind::not_in_subgroup, 0, "a point is on the curve, but not in the subgroup of order r");
  return p;
}

/// For forms in which the identity is no pair of coordinates: (0, 0), our identity in memory, is off the curve there.
template <class C, class A> Result<A> validated_coordinates(const A& p, Validation validation) {
  if (p.is_identity()) return refuse(Kind::not_on_curve, 0, "the coordinates (0, 0) are no point of the curve");
  return validated<C>(p, validation);
}

}  // namespace

namespace zcash {

namespace {

using C = Bls12_381;
using Fq = C::Fq;
using FqTwo = C::Fq2;

constexpr std::byte kCompressed{0x80};
constexpr std::byte kIdentity{0x40};
constexpr std::byte kLarger{0x20};

bool has(Bytes in, std::byte flag) { return (in[0] & flag) != std::byte{0}; }

/// One Fq at `offset`; the flags lie in the top bits of the point's first byte, which q leaves free.
Result<Fq> decode_fq(Bytes in, std::size_t offset) {
  Fq::Repr value = Fq::Repr::from_be_bytes(in.data() + offset);
  if (offset == 0) value.limb[Fq::limbs - 1] &= ~u64{0} >> 3;
  CUZK_CHECK_OK(check_coordinate<Fq>(value, offset));
  return Fq::from_canonical(value);
}

template <class F> Result<F> decode_field(Bytes in, std::size_t offset) {
  if constexpr (std::is_same_v<F, Fq>) {
    return decode_fq(in, offset);
  } else {
    CUZK_TRY(const Fq c1, decode_fq(in, offset));
    CUZK_TRY(const Fq c0, decode_fq(in, offset + Fq::bytes));
    return F{c0, c1};
  }
}

void encode_field(const Fq& x, std::byte* out) noexcept { x.canonical().to_be_bytes(out); }
void encode_field(const FqTwo& x, std::byte* out) noexcept {
  encode_field(x.c1, out);
  encode_field(x.c0, out + Fq::bytes);
}

/// y > -y as integers; Fq2 by c1, then c0.
bool is_larger(const Fq& y) noexcept { return y.is_lexicographically_larger(); }
bool is_larger(const FqTwo& y) noexcept { return is_larger(y.c1.is_zero() ? y.c0 : y.c1); }

Fq curve_b(const Fq&) noexcept { return Fq::from_u64(4); }
FqTwo curve_b(const FqTwo&) noexcept { return {Fq::from_u64(4), Fq::from_u64(4)}; }

/// The flags of an encoding in the expected form; true for the identity.
Result<bool> decode_flags(Bytes in, bool compressed) {
  if (has(in, kCompressed) != compressed) {
    return refuse(Kind::bad_flags, 0,
                  compressed ? "an uncompressed point where a compressed one is expected"
                             : "a compressed point where an uncompressed one is expected");
  }
  if (!compressed && has(in, kLarger)) return refuse(Kind::bad_flags, 0, "an uncompressed point with a sign bit");
  if (!has(in, kIdentity)) return false;
  const bool clean = (in[0] & ~(kCompressed | kIdentity)) == std::byte{0} &&
                     std::all_of(in.begin() + 1, in.end(), [](std::byte b) { return b == std::byte{0}; });
  if (!clean) return refuse(Kind::bad_flags, 0, "an identity whose other bits are not zero");
  return true;
}

template <class F> Result<Affine<F>> decode_uncompressed(Bytes in, Validation validation) {
  CUZK_CHECK_OK(check_length(in, sizeof(Affine<F>)));
  CUZK_TRY(const bool identity, decode_flags(in, false));
  if (identity) return Affine<F>::identity();
  CUZK_TRY(const F x, decode_field<F>(in, 0));
  CUZK_TRY(const F y, decode_field<F>(in, sizeof(F)));
  return validated_coordinates<C>(Affine<F>{x, y}, validation);
}

template <class F> Result<Affine<F>> decode_compressed(Bytes in, Validation validation) {
  CUZK_CHECK_OK(check_length(in, sizeof(F)));
  CUZK_TRY(const bool identity, decode_flags(in, true));
  if (identity) return Affine<F>::identity();
  CUZK_TRY(const F x, decode_field<F>(in, 0));
  bool ok = false;
  const F y = with_isa([&]<class Isa>() {
    const auto v = with_arithmetic<Isa>(x);
    return with_arithmetic<Portable>((v.squared() * v + with_arithmetic<Isa>(curve_b(x))).sqrt(ok));
  });
  if (!ok) return refuse(Kind::not_on_curve, 0, "no point of the curve has this x");
  // The root is on the curve by construction; only the subgroup is left to check.
  const Affine<F> p{x, is_larger(y) == has(in, kLarger) ? y : -y};
  return validation == Validation::subgroup ? validated<C>(p, validation) : Result<Affine<F>>(p);
}

void encode_identity(MutableBytes out, std::byte flags) noexcept {
  std::fill(out.begin(), out.end(), std::byte{0});
  out[0] = flags;
}

template <class F> void encode_uncompressed(const Affine<F>& p, MutableBytes out) noexcept {
  CUZK_ASSERT(out.size() == sizeof(Affine<F>));
  if (p.is_identity()) return encode_identity(out, kIdentity);
  encode_field(p.x, out.data());
  encode_field(p.y, out.data() + sizeof(F));
}

template <class F> void encode_compressed(const Affine<F>& p, MutableBytes out) noexcept {
  CUZK_ASSERT(out.size() == sizeof(F));
  if (p.is_identity()) return encode_identity(out, kCompressed | kIdentity);
  encode_field(p.x, out.data());
  out[0] |= is_larger(p.y) ? kCompressed | kLarger : kCompressed;
}

}  // namespace

static_assert(kG1Compressed == sizeof(Fq) && kG1Uncompressed == sizeof(C::G1Affine));
static_assert(kG2Compressed == sizeof(FqTwo) && kG2Uncompressed == sizeof(C::G2Affine));

Result<C::G1Affine> decode_g1_compressed(Bytes in, Validation validation) {
  return decode_compressed<Fq>(in, validation);
}
Result<C::G1Affine> decode_g1_uncompressed(Bytes in, Validation validation) {
  return decode_uncompressed<Fq>(in, validation);
}
Result<C::G2Affine> decode_g2_compressed(Bytes in, Validation validation) {
  return decode_compressed<FqTwo>(in, validation);
}
Result<C::G2Affine> decode_g2_uncompressed(Bytes in, Validation validation) {
  return decode_uncompressed<FqTwo>(in, validation);
}
void encode_g1_compressed(const C::G1Affine& p, MutableBytes out) noexcept { encode_compressed(p, out); }
void encode_g1_uncompressed(const C::G1Affine& p, MutableBytes out) noexcept { encode_uncompressed(p, out); }
void encode_g2_compressed(const C::G2Affine& p, MutableBytes out) noexcept { encode_compressed(p, out); }
void encode_g2_uncompressed(const C::G2Affine& p, MutableBytes out) noexcept { encode_uncompressed(p, out); }

}  // namespace zcash

namespace snarkjs {

namespace {

/// Every limb group of the point is a Montgomery representative below q.
template <class C, class A> Result<A> decode(Bytes in, Validation validation) {
  using Fq = typename C::Fq;
  CUZK_CHECK_OK(check_length(in, sizeof(A)));
  for (std::size_t at = 0; at < in.size(); at += Fq::bytes)
    CUZK_CHECK_OK(check_coordinate<Fq>(Fq::Repr::from_le_bytes(in.data() + at), at));
  A p;
  std::memcpy(&p, in.data(), sizeof(A));
  return validated<C>(p, validation);
}

template <class A> void encode(const A& p, MutableBytes out) noexcept {
  CUZK_ASSERT(out.size() == sizeof(A));
  std::memcpy(out.data(), &p, sizeof(A));
}

}  // namespace

template <class C> Result<typename C::G1Affine> decode_g1(Bytes in, Validation validation) {
  return decode<C, typename C::G1Affine>(in, validation);
}
template <class C> Result<typename C::G2Affine> decode_g2(Bytes in, Validation validation) {
  return decode<C, typename C::G2Affine>(in, validation);
}
template <class C> void encode_g1(const typename C::G1Affine& p, MutableBytes out) noexcept { encode(p, out); }
template <class C> void encode_g2(const typename C::G2Affine& p, MutableBytes out) noexcept { encode(p, out); }

}  // namespace snarkjs

template <class C>
Result<typename C::G1Affine> g1_from_canonical(const typename C::Fq::Repr& x, const typename C::Fq::Repr& y,
                                               Validation validation) {
  using Fq = typename C::Fq;
  CUZK_CHECK_OK(check_coordinate<Fq>(x, 0));
  CUZK_CHECK_OK(check_coordinate<Fq>(y, Fq::bytes));
  return validated_coordinates<C>(typename C::G1Affine{Fq::from_canonical(x), Fq::from_canonical(y)}, validation);
}

template <class C>
Result<typename C::G2Affine> g2_from_canonical(const typename C::Fq::Repr& x0, const typename C::Fq::Repr& x1,
                                               const typename C::Fq::Repr& y0, const typename C::Fq::Repr& y1,
                                               Validation validation) {
  using Fq = typename C::Fq;
  std::size_t offset = 0;
  for (const auto* value : {&x0, &x1, &y0, &y1}) {
    CUZK_CHECK_OK(check_coordinate<Fq>(*value, offset));
    offset += Fq::bytes;
  }
  const typename C::Fq2 x{Fq::from_canonical(x0), Fq::from_canonical(x1)};
  const typename C::Fq2 y{Fq::from_canonical(y0), Fq::from_canonical(y1)};
  return validated_coordinates<C>(typename C::G2Affine{x, y}, validation);
}

#define CUZK_INSTANTIATE(C)                                                                                     \
  template Result<C::G1Affine> snarkjs::decode_g1<C>(Bytes, Validation);                                        \
  template Result<C::G2Affine> snarkjs::decode_g2<C>(Bytes, Validation);                                        \
  template void snarkjs::encode_g1<C>(const C::G1Affine&, MutableBytes) noexcept;                               \
  template void snarkjs::encode_g2<C>(const C::G2Affine&, MutableBytes) noexcept;                               \
  template Result<C::G1Affine> g1_from_canonical<C>(const C::Fq::Repr&, const C::Fq::Repr&, Validation);        \
  template Result<C::G2Affine> g2_from_canonical<C>(const C::Fq::Repr&, const C::Fq::Repr&, const C::Fq::Repr&, \
                                                    const C::Fq::Repr&, Validation);

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk
