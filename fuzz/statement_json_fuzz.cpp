// Any text as the public data of each kind of proof. What is read determines public inputs, as many as the circuit has.
#include "filecoin/primitives/public_inputs.h"
#include "filecoin/verify/statement_json.h"
#include "filecoin/verify/verify.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  using namespace cuzk::filecoin;
  static_cast<void>(read_proof_file(file));
  for (const ProofKind kind : kProofKinds) {
    const auto statement = read_statement_json(kind, cuzk::bytes_text(file));
    if (!statement) {
      CUZK_REQUIRE(statement.error().where() != nullptr);
      continue;
    }
    CUZK_REQUIRE(partitions_of(*statement) > 0 && circuit_of(*statement).kind == kind);
    if (kind == ProofKind::window && circuit_of(*statement).sector->window_sectors > 2) continue;  // slow
    CUZK_REQUIRE(public_inputs(*statement, 0).size() == circuit_of(*statement).num_public());
  }
}
