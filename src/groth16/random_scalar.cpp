#include "groth16/random_scalar.h"

#include "support/secret.h"

namespace cuzk::groth16 {

template <class Fr> Result<Fr> random_scalar(RandomSource random) {
  constexpr u64 kTopLimbMask = (u64{1} << (Fr::modulus.bit_length() - 64 * (Fr::limbs - 1))) - 1;
  Secret<typename Fr::Repr> draw;
  auto& value = draw.expose_mutable();
  do {
    CUZK_CHECK_OK(random(mutable_object_bytes(value)));
    value.limb[Fr::limbs - 1] &= kTopLimbMask;
  } while (!(value < Fr::modulus));
  return Fr::from_canonical(value);
}

template <class Fr> Result<Fr> random_nonzero_scalar(RandomSource random) {
  while (true) {
    CUZK_TRY(const Fr value, random_scalar<Fr>(random));
    if (!value.is_zero()) return value;
  }
}

#define CUZK_INSTANTIATE(Fr)                       \
  template Result<Fr> random_scalar(RandomSource); \
  template Result<Fr> random_nonzero_scalar(RandomSource);

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::groth16
