// The trapdoor of a development key as JSON: {"tau": "...", "alpha": ..., "beta": ..., "gamma": ..., "delta": ...}.
//
// Each value is 64 hex digits, the canonical scalar in little-endian bytes. Whoever has this file can forge proofs; it
// exists so that keys can be made again. Errors: malformed (bad_json, missing_field, bad_length, bad_number,
// non_canonical). Thread-safety: pure function.
#pragma once

#include <string_view>

#include "curve/curves.h"
#include "groth16/setup.h"
#include "support/result.h"

namespace cuzk::formats {

inline constexpr std::size_t kMaxTrapdoorJsonBytes = 4096;

template <class C> Result<groth16::Trapdoor<typename C::Fr>> read_trapdoor_json(std::string_view text);

}  // namespace cuzk::formats
