#include "backend/cuda/ntt_impl.h"

template cuzk::Status cuzk::cuda::Transform<cuzk::bls12_381::Fr>::run<true>(const Stream&, const Level&,
                                                                            DeviceSpan<cuzk::bls12_381::Fr>) const;
