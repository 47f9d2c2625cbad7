#include "backend/cuda/ntt_impl.h"

template class cuzk::cuda::Transform<cuzk::bn254::Fr>;
