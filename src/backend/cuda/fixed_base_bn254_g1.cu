#include "backend/cuda/fixed_base_impl.h"

CUZK_INSTANTIATE_FIXED_BASE(Bn254, G1)
