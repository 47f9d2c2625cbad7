// Any bytes as a .r1cs file: an error or a circuit, never a crash. What was read must survive a round trip through
// checks.
#include "formats/r1cs_file.h"
#include "target.h"

namespace {

template <class C> void read(cuzk::Bytes file) {
  const auto circuit = cuzk::formats::read_r1cs<C>(file);
  if (circuit) CUZK_REQUIRE(circuit->b().rows() == circuit->a().rows() && circuit->c().rows() == circuit->a().rows());
}

}  // namespace

CUZK_FUZZ_TARGET(file) {
  static_cast<void>(cuzk::formats::read_r1cs_header(file));
  read<cuzk::Bn254>(file);
  read<cuzk::Bls12_381>(file);
}
