// The trapdoor of a development key as JSON: {"tau": "...", "alpha": ..., "beta": ..., "gamma": ..., "delta": ...}, of
// the form and with the errors of scalars_json.h; zero is bad_number.
//
// Whoever has this file can forge proofs; it exists so that keys can be made again. Thread-safety: pure function.
#pragma once

#include <string_view>

#include "curve/curves.h"
#include "groth16/setup.h"
#include "support/result.h"

namespace cuzk::formats {

template <class C> Result<groth16::Trapdoor<typename C::Fr>> read_trapdoor_json(std::string_view text);

}  // namespace cuzk::formats
