// The fields under the towers and points that this layer instantiates: Fq of both curves, with each Isa.
#pragma once

#include "field/fp.h"

namespace cuzk {

using Bn254FqPortable = Fp<Bn254FqParams, Portable>;
using Bn254FqAdx = Fp<Bn254FqParams, Adx>;
using Bls12_381FqPortable = Fp<Bls12_381FqParams, Portable>;
using Bls12_381FqAdx = Fp<Bls12_381FqParams, Adx>;

}  // namespace cuzk

/// X(F) for each of them, in namespace cuzk.
#define CUZK_FOR_EACH_BASE_FIELD(X) X(Bn254FqPortable) X(Bn254FqAdx) X(Bls12_381FqPortable) X(Bls12_381FqAdx)
