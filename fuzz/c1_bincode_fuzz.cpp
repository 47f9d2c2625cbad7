// Any bytes as a binary C1 of 2 KiB sectors, of filecoin-proofs and of its API. What is read is written as it was.
#include "filecoin/wire/c1_bincode.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  using namespace cuzk::filecoin;
  for (const std::uint32_t number : {5U, 15U}) {
    const auto proof = read_phase1_bincode(file, *seal_proof(number));
    if (proof) CUZK_REQUIRE(std::ranges::equal(write_phase1_bincode(*proof), file));
  }
  const auto proof = read_api_phase1_bincode(file);
  if (proof) CUZK_REQUIRE(std::ranges::equal(write_api_phase1_bincode(*proof), file));
}
