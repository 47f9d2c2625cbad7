// Any bytes as a .vk file; what is read must be written back byte for byte.
#include "formats/bellperson_vk.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  static cuzk::Arena arena(1);
  const auto key = cuzk::formats::read_bellperson_vk(arena, file);
  if (!key) return;
  const auto written = cuzk::formats::write_bellperson_vk(*key);
  CUZK_REQUIRE(std::equal(written.begin(), written.end(), file.begin(), file.end()));
}
