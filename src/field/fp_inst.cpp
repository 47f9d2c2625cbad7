#include "field/fp_mul.h"

namespace cuzk {

#define CUZK_INSTANTIATE(P)                                                                     \
  template class Fp<P, Portable>;                                                               \
  template class Fp<P, Adx>;                                                                    \
  template void batch_inverse(std::span<Fp<P, Portable>>, std::span<Fp<P, Portable>>) noexcept; \
  template void batch_inverse(std::span<Fp<P, Adx>>, std::span<Fp<P, Adx>>) noexcept;

CUZK_INSTANTIATE(Bn254FrParams)
CUZK_INSTANTIATE(Bn254FqParams)
CUZK_INSTANTIATE(Bls12_381FrParams)
CUZK_INSTANTIATE(Bls12_381FqParams)

}  // namespace cuzk
