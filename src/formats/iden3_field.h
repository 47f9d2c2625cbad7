// Field elements and moduli as the iden3 files hold them: a u32 byte count and a canonical little-endian prime say
// which curve a file is for. Errors: malformed (bad_field_size, unknown_curve, curve_mismatch, truncated).
// Thread-safety: pure functions.
#pragma once

#include "curve/curves.h"
#include "formats/iden3_container.h"
#include "support/bytes.h"
#include "support/reader.h"
#include "support/result.h"

namespace cuzk::formats {

/// u32 n8, n8 bytes of prime: the curve whose scalar field that is.
Result<CurveId> read_scalar_prime(Reader& in);

/// A .zkey's header begins with both fields; they must be those of one curve.
Result<CurveId> read_both_primes(Reader& in);

/// u32 n8, prime of a curve's scalar field.
template <class C> std::array<std::byte, 4 + C::Fr::bytes> scalar_prime_bytes() noexcept;

/// curve_mismatch, naming both curves, unless they are the same.
Status expect_curve(CurveId expected, CurveId found);

/// A canonical value at any address; precondition: Field::bytes bytes are there.
template <class Field> typename Field::Repr load_canonical(const std::byte* from) noexcept {
  typename Field::Repr value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace cuzk::formats
