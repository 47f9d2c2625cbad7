// Uniform field elements.
//
// As many random bits as p has, little endian, until their value is below p (rejection: at most 1.4 tries on average
// for our four fields, no bias). The bytes are wiped; what becomes of the element is the caller's (support/secret.h).
// Errors: those of the source; internal where 256 tries in a row were refused, which no working source does.
// Thread-safety: as the source's.
#pragma once

#include "field/fp.h"
#include "support/random.h"

namespace cuzk {

/// F is one of the four fields with Isa = Portable.
template <class F> Result<F> random_element(RandomSource source);

}  // namespace cuzk
