// Named scalars in a JSON object: {"tau": "...", "alpha": "...", ...}, 64 hexadecimal digits each, canonical, in
// little-endian bytes. Other members are ignored; one that is there twice is refused.
//
// What reads them is for tests and development: trapdoors, and the randomness of proofs that are to be made again.
// Errors: malformed (bad_json, bad_length, missing_field, bad_number, non_canonical) with the member's name as section.
// Thread-safety: pure function.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "curve/curves.h"
#include "support/result.h"

namespace cuzk::formats {

inline constexpr std::size_t kMaxScalarsJsonBytes = std::size_t{1} << 20;

/// In the order of the names.
template <class C>
Result<std::vector<typename C::Fr>> read_scalars_json(std::string_view text, std::span<const std::string_view> names);

}  // namespace cuzk::formats
