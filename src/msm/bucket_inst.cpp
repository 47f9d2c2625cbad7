#include "msm/pippenger_impl.h"

namespace cuzk {

#define CUZK_INSTANTIATE(C, Isa)                                                                                \
  template MsmSums<C> pippenger<C, Isa>(Arena&, std::span<const U256>, std::span<const PointSpan<C::G1Affine>>, \
                                        std::span<const PointSpan<C::G2Affine>>, const StopToken&);

CUZK_INSTANTIATE(Bn254, Portable)
CUZK_INSTANTIATE(Bls12_381, Portable)
#if defined(__x86_64__)
CUZK_INSTANTIATE(Bn254, Adx)
CUZK_INSTANTIATE(Bls12_381, Adx)
#endif

}  // namespace cuzk
