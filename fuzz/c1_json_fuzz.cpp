// Any text as a C1 request. What is read is written again, in both forms, and must read back as the same.
// max_len: 262144
#include "filecoin/wire/c1_bincode.h"
#include "filecoin/wire/c1_json.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  using namespace cuzk::filecoin;
  const auto c1 = read_c1_json(cuzk::bytes_text(file));
  if (!c1) {
    CUZK_REQUIRE(c1.error().where() != nullptr);
    return;
  }
  const std::string inner = write_phase1_json(c1->proof);
  const auto again = read_c1_json(write_c1_json(c1->proof, c1->sector_number.value_or(0)));
  CUZK_REQUIRE(again && write_phase1_json(again->proof) == inner);
  const auto binary = read_api_phase1_bincode(write_api_phase1_bincode(c1->proof));
  CUZK_REQUIRE(binary && write_phase1_json(*binary) == inner);
}
