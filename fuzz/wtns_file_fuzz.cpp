// Any bytes as a .wtns file.
#include "formats/wtns_file.h"
#include "target.h"

namespace {

template <class C> void read(cuzk::Bytes file) {
  const auto witness = cuzk::formats::read_wtns<C>(file);
  if (witness) CUZK_REQUIRE(witness->size() > 0 && witness->values()[0] == cuzk::U256::from_u64(1));
}

}  // namespace

CUZK_FUZZ_TARGET(file) {
  static_cast<void>(cuzk::formats::read_wtns_header(file));
  read<cuzk::Bn254>(file);
  read<cuzk::Bls12_381>(file);
}
