#include "tests/device/check_points_impl.h"

namespace cuzk::test {

template void fill_with_multiples(Bls12_381::G1Affine const&, DeviceSpan<Bls12_381::G1Affine>);
template void fill_with_multiples(Bls12_381::G2Affine const&, DeviceSpan<Bls12_381::G2Affine>);

}  // namespace cuzk::test
