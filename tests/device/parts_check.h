// The checks of what a proof needs besides transforms and sums: one function for each file.
#pragma once

#include "tests/device/check_tools.h"

namespace cuzk::test {

/// witness_check.cpp: packed witnesses, the split of scalars.
void check_witnesses(Counts& counts);

/// circuit_check.cpp: rows of circuits, products of vectors. Times: those and witnesses, in the size of a 32 GiB PoRep
/// partition.
void check_circuits(Counts& counts);
void time_circuits();

/// subset_check.cu: sums over sets of points, sums over numbered points.
void check_subset_sums(Counts& counts);
void time_subset_sums();

}  // namespace cuzk::test
