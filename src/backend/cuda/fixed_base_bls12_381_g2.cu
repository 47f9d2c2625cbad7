#include "backend/cuda/fixed_base_impl.h"

CUZK_INSTANTIATE_FIXED_BASE(Bls12_381, G2)
