#include "backend/cuda/ntt_impl.h"

template class cuzk::cuda::Transform<cuzk::bls12_381::Fr>;
