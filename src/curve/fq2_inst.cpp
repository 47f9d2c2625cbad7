#include "curve/fq2_impl.h"

namespace cuzk {

#define CUZK_INSTANTIATE(F) \
  template struct Fq2<F>;   \
  template void batch_inverse(std::span<Fq2<F>>, std::span<Fq2<F>>) noexcept;

using BnPortable = Fp<Bn254FqParams, Portable>;
using BnAdx = Fp<Bn254FqParams, Adx>;
using BlsPortable = Fp<Bls12_381FqParams, Portable>;
using BlsAdx = Fp<Bls12_381FqParams, Adx>;

CUZK_INSTANTIATE(BnPortable)
CUZK_INSTANTIATE(BnAdx)
CUZK_INSTANTIATE(BlsPortable)
CUZK_INSTANTIATE(BlsAdx)

}  // namespace cuzk
