// The number of a partition in its deadline is a label: proofs of spacetime with any are the same proofs.

#include <cuzk/v1/proving.pb.h>

#include "server/engine_service.h"
#include "server/messages.h"
#include "tests/engine/real_proofs.h"

namespace cuzk::server {
namespace {

using engine::test::RealProofs;
using test::must;

struct WindowIndex : RealProofs {
  static void SetUpTestSuite() { make_keys({"wpost-2k"}); }

  static v1::SubmitProofRequest message_of(const filecoin::GeneratedProof& proof, unsigned index) {
    const engine::FilecoinRequest request = request_of(proof);
    v1::SubmitProofRequest message;
    message.set_request_id("wdpost-1000-0");
    message.set_proof_kind(v1::WINDOW_POST_PARTITION);
    message.set_registered_proof(request.registered_proof);
    message.set_miner_id(request.miner_id);
    message.set_randomness(std::string(bytes_text(request.randomness)));
    message.set_partition_index(index);
    for (const engine::Payload& payload : request.payloads) {
      message.add_vanilla_proofs(std::string(bytes_text(payload.bytes)));
    }
    return message;
  }
};

TEST_F(WindowIndex, fault_A36_any_partition_index_gives_a_proof) {
  start();
  const auto proving = engine_service(*engine);
  for (const unsigned index : {0U, 1U, 7U, ~0U}) {
    const auto proof = generated(filecoin::ProofKind::window, 1 + index % 16);
    const auto job = must(proving->submit(must(submission_of(message_of(proof, index)))));
    expect_verifies(proof, must(job->await(Deadline::after(std::chrono::minutes(2)), {})));
  }
}

TEST_F(WindowIndex, fault_A36_the_index_makes_no_other_job) {
  start();
  const auto proving = engine_service(*engine);
  const auto proof = generated(filecoin::ProofKind::window);
  const auto first = must(proving->submit(must(submission_of(message_of(proof, 0)))));
  const auto second = must(proving->submit(must(submission_of(message_of(proof, 7)))));
  EXPECT_EQ(first->job_id(), second->job_id());
}

}  // namespace
}  // namespace cuzk::server
