// Any bytes as a file of scalars: a trapdoor.
#include "formats/trapdoor_json.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  static_cast<void>(cuzk::formats::read_trapdoor_json<cuzk::Bn254>(text));
  static_cast<void>(cuzk::formats::read_trapdoor_json<cuzk::Bls12_381>(text));
}
