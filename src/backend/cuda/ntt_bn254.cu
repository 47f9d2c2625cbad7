// Without the passes of reversed_to_natural: ntt_bn254_to_natural.cu has them.
#include "backend/cuda/ntt_impl.h"

extern template cuzk::Status cuzk::cuda::Transform<cuzk::bn254::Fr>::run<true>(const Stream&, const Level&,
                                                                               DeviceSpan<cuzk::bn254::Fr>) const;
template class cuzk::cuda::Transform<cuzk::bn254::Fr>;
