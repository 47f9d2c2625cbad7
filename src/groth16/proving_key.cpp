#include "groth16/proving_key.h"

namespace cuzk::groth16 {

template <class C> ProvingKeyView<C> view_of(std::shared_ptr<const ProvingKey<C>> key) {
  return {.vk = key->vk,
          .num_variables = key->num_variables,
          .domain_size = key->domain_size,
          .basis = key->basis,
          .roots = key->roots,
          .encoding = PointEncoding::montgomery_le,
          .filtered = false,
          .a = std::as_bytes(std::span(key->a)),
          .b_g1 = std::as_bytes(std::span(key->b_g1)),
          .b_g2 = std::as_bytes(std::span(key->b_g2)),
          .l = std::as_bytes(std::span(key->l)),
          .h = std::as_bytes(std::span(key->h)),
          .coefficients = std::nullopt,
          .owner = key,
          .file = nullptr};
}

template ProvingKeyView<Bn254> view_of(std::shared_ptr<const ProvingKey<Bn254>>);
template ProvingKeyView<Bls12_381> view_of(std::shared_ptr<const ProvingKey<Bls12_381>>);

}  // namespace cuzk::groth16
