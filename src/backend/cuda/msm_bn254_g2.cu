#include "backend/cuda/msm_impl.h"

template class cuzk::cuda::MsmResult<cuzk::Bn254, cuzk::Bn254::G2>;
template class cuzk::cuda::Msm<cuzk::Bn254, cuzk::Bn254::G2>;
