#include "backend/cuda/msm_impl.h"

template class cuzk::cuda::MsmResult<cuzk::Bls12_381, cuzk::Bls12_381::G1>;
template class cuzk::cuda::Msm<cuzk::Bls12_381, cuzk::Bls12_381::G1>;
