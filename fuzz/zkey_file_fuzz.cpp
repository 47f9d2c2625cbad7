// Any bytes as a .zkey file: opened, its transcript read, its points checked.
#include "formats/zkey_file.h"
#include "target.h"

namespace {

template <class C> void read(cuzk::Arena& arena, cuzk::Bytes file) {
  const auto zkey = cuzk::formats::ZkeyFile<C>::open(arena, cuzk::formats::KeySource(file, nullptr));
  if (!zkey) return;
  static_cast<void>(zkey->contributions());
  static_cast<void>(zkey->is_development());
  static_cast<void>(zkey->check_points(arena));
}

}  // namespace

CUZK_FUZZ_TARGET(file) {
  static cuzk::Arena arena(1);
  static_cast<void>(cuzk::formats::read_zkey_header(file));
  read<cuzk::Bn254>(arena, file);
  read<cuzk::Bls12_381>(arena, file);
}
