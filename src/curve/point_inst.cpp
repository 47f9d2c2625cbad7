#include "curve/fq2.h"
#include "curve/point_impl.h"
#include "field/fp_mul.h"

namespace cuzk {

#define CUZK_INSTANTIATE(F)  \
  template struct Affine<F>; \
  template struct Point<F>;  \
  template void to_affine_n(std::span<const Point<F>>, std::span<Affine<F>>) noexcept;
#define CUZK_INSTANTIATE_GROUPS(F) \
  CUZK_INSTANTIATE(F)              \
  CUZK_INSTANTIATE(Fq2<F>)

using BnPortable = Fp<Bn254FqParams, Portable>;
using BnAdx = Fp<Bn254FqParams, Adx>;
using BlsPortable = Fp<Bls12_381FqParams, Portable>;
using BlsAdx = Fp<Bls12_381FqParams, Adx>;

CUZK_INSTANTIATE_GROUPS(BnPortable)
CUZK_INSTANTIATE_GROUPS(BnAdx)
CUZK_INSTANTIATE_GROUPS(BlsPortable)
CUZK_INSTANTIATE_GROUPS(BlsAdx)

}  // namespace cuzk
