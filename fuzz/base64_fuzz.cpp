// Any bytes as base64; what is decoded encodes to the same text.
#include "filecoin/wire/base64.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  using namespace cuzk::filecoin;
  const auto text = cuzk::bytes_text(file);
  const auto bytes = decode_base64(text);
  if (!bytes) return;
  CUZK_REQUIRE(bytes->size() == Base64Stream(text).decoded_size() && encode_base64(*bytes) == text);
}
