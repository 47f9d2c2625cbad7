#include "backend/cuda/ntt_impl.h"

template cuzk::Status cuzk::cuda::Transform<cuzk::bn254::Fr>::run<true>(const Stream&, const Level&,
                                                                        DeviceSpan<cuzk::bn254::Fr>) const;
