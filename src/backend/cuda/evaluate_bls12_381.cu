#include "backend/cuda/evaluate_impl.h"

template class cuzk::cuda::DeviceCircuit<cuzk::bls12_381::Fr>;
