// BigInt and field elements as GMP integers, and back.
#pragma once

#include <gmpxx.h>

#include <ostream>

#include "field/fp.h"

/// For test messages; the stream operator of gmpxx.h would need a library of its own.
inline void PrintTo(const mpz_class& z, std::ostream* out) { *out << z.get_str(); }

namespace cuzk::test {

template <std::size_t N> mpz_class to_mpz(const BigInt<N>& v) {
  mpz_class z;
  mpz_import(z.get_mpz_t(), N, -1, sizeof(u64), 0, 0, v.limb.data());
  return z;
}

/// precondition: 0 <= z < 2^(64 N).
template <std::size_t N> BigInt<N> from_mpz(const mpz_class& z) {
  BigInt<N> v{};
  mpz_export(v.limb.data(), nullptr, -1, sizeof(u64), 0, 0, z.get_mpz_t());
  return v;
}

template <class F> mpz_class value_of(const F& x) { return to_mpz(x.canonical()); }

}  // namespace cuzk::test
