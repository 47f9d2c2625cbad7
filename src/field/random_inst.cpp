#include "field/random.h"
#include "support/secret.h"

namespace cuzk {

template <class F> Result<F> random_element(RandomSource source) {
  using Repr = typename F::Repr;
  constexpr unsigned kTries = 256;
  constexpr u64 top_mask = ~u64{0} >> (Repr::bits - F::modulus.bit_length());
  Secret<Repr> value;
  for (unsigned i = 0; i < kTries; ++i) {
    Repr& v = value.expose_mutable();
    CUZK_CHECK_OK(source(std::as_writable_bytes(std::span(v.limb))));
    v.limb[F::limbs - 1] &= top_mask;
    if (v < F::modulus) return F::from_canonical(v);
  }
  return fail(Code::internal, "the random source never gives a value below the field's modulus");
}

template Result<bn254::Fr> random_element(RandomSource);
template Result<bn254::Fq> random_element(RandomSource);
template Result<bls12_381::Fr> random_element(RandomSource);
template Result<bls12_381::Fq> random_element(RandomSource);

}  // namespace cuzk
