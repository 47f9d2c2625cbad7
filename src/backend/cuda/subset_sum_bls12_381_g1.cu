#include "backend/cuda/subset_sum_impl.h"

CUZK_INSTANTIATE_SUBSET_SUM(Bls12_381, G1)
