// The checks of what a proof needs: one function for each file, one for its times.
#pragma once

#include "tests/device/check_tools.h"

namespace cuzk::test {

/// transform_check.cpp.
void check_transforms(Counts& counts);
void time_transforms();

/// pair_check.cu: elements of Fq2 in two threads.
void check_pairs(Counts& counts);

/// sum_check.cpp: sums of points, each times a scalar.
void check_sums(Counts& counts);
void time_sums();

/// witness_check.cpp: packed witnesses, the split of scalars.
void check_witnesses(Counts& counts);

/// circuit_check.cpp: rows of circuits, products of vectors. Times: those and witnesses, in the size of a 32 GiB PoRep
/// partition.
void check_circuits(Counts& counts);
void time_circuits();

/// subset_check.cpp: sums over sets of points, sums over numbered points.
void check_subset_sums(Counts& counts);
void time_subset_sums();

/// fixed_base_check.cpp: multiples of the generators, as setups need them.
void check_multiples(Counts& counts);
void time_multiples();

}  // namespace cuzk::test
