// .wtns files (iden3, version 2): all wires of a circuit, canonical, 32 bytes little-endian each.
//
// Checked: curve by its prime, counts against lengths, every value below r, the first value 1. Whether the values
// satisfy a circuit, and are as many as a key wants, is the caller's to ask. Page: docs/formats/wtns.md. Errors:
// malformed (container; bad_field_size, unknown_curve, curve_mismatch, bad_count, bad_section_length, non_canonical,
// bad_witness). Memory: one copy of the values. Thread-safety: pure functions.
#pragma once

#include <string>

#include "curve/curves.h"
#include "r1cs/witness.h"
#include "support/bytes.h"
#include "support/result.h"

namespace cuzk::formats {

struct WtnsHeader {
  CurveId curve;
  std::uint32_t num_wires;
};

Result<WtnsHeader> read_wtns_header(Bytes file);

/// curve_mismatch when the file's prime is another curve's.
template <class C> Result<r1cs::Witness> read_wtns(Bytes file);

template <class C> Status write_wtns(const std::string& path, const r1cs::Witness& witness);

}  // namespace cuzk::formats
