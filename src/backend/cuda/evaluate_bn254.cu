#include "backend/cuda/evaluate_impl.h"

template class cuzk::cuda::DeviceCircuit<cuzk::bn254::Fr>;
