// Scalars from a source of random bytes: uniform in [0, r) by rejection (no reduction, which would favour small
// values).
//
// Errors: those of the source. Thread-safety: as that of the source.
#pragma once

#include "field/fp.h"
#include "support/random.h"

namespace cuzk::groth16 {

/// At most 1 in 2 draws is rejected: bits above the modulus' length are cleared first.
template <class Fr> Result<Fr> random_scalar(RandomSource random);

/// The same without zero.
template <class Fr> Result<Fr> random_nonzero_scalar(RandomSource random);

}  // namespace cuzk::groth16
