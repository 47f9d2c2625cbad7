// Without the passes of reversed_to_natural: ntt_bls12_381_to_natural.cu has them.
#include "backend/cuda/ntt_impl.h"

extern template cuzk::Status cuzk::cuda::Transform<cuzk::bls12_381::Fr>::run<true>(
    const Stream&, const Level&, DeviceSpan<cuzk::bls12_381::Fr>) const;
template class cuzk::cuda::Transform<cuzk::bls12_381::Fr>;
