// Any bytes as a .params file, with and without a transcript behind it.
#include "formats/bellperson_params.h"
#include "target.h"

namespace {

void read(cuzk::Arena& arena, cuzk::Bytes file, cuzk::formats::ParamsTail tail) {
  const auto params = cuzk::formats::ParamsFile::open(arena, cuzk::formats::KeySource(file, nullptr), tail);
  if (params) static_cast<void>(params->check_points(arena));
}

}  // namespace

CUZK_FUZZ_TARGET(file) {
  static cuzk::Arena arena(1);
  read(arena, file, cuzk::formats::ParamsTail::none);
  read(arena, file, cuzk::formats::ParamsTail::zcash_transcript);
}
