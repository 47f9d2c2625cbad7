// Any bytes as proofs of 192 bytes; what is read must be written back byte for byte.
#include "formats/bellperson_proof.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  static_cast<void>(cuzk::formats::read_bellperson_proof(file));
  const auto proofs = cuzk::formats::read_bellperson_proofs(file, file.size() / cuzk::formats::kBellpersonProofBytes);
  if (!proofs) return;
  const auto written = cuzk::formats::write_bellperson_proofs(*proofs);
  CUZK_REQUIRE(std::equal(written.begin(), written.end(), file.begin(), file.end()));
}
