// Many points in ZCash's uncompressed form at a time: what curve/encoding.h decodes one by one, with the coordinates'
// conversion and the curve equation as products over spans (field/fp_batch.h). Thread-safety: pure functions. No
// allocation.
#pragma once

#include <span>

#include "curve/encoding.h"

namespace cuzk::zcash {

/// Decodes points that lie one after the other. Returns the index of the first that decode_g1_uncompressed refuses,
/// which has its error, and out.size() where it refuses none; `out` holds the points before that index.
/// precondition: in.size() == out.size() * kG1Uncompressed.
std::size_t decode_g1_uncompressed_n(Bytes in, std::span<Bls12_381::G1Affine> out, Validation validation);
/// The same of decode_g2_uncompressed.
std::size_t decode_g2_uncompressed_n(Bytes in, std::span<Bls12_381::G2Affine> out, Validation validation);

}  // namespace cuzk::zcash
