#include "backend/cuda/subset_sum_impl.h"

CUZK_INSTANTIATE_SUBSET_SUM(Bn254, G1)
