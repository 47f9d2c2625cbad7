#include "tests/device/check_points_impl.h"

namespace cuzk::test {

template void fill_with_multiples(Bn254::G1Affine const&, DeviceSpan<Bn254::G1Affine>);
template void fill_with_multiples(Bn254::G2Affine const&, DeviceSpan<Bn254::G2Affine>);

}  // namespace cuzk::test
