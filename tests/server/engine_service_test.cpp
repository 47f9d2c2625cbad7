// The real engine behind the real server: one client, over a unix socket.

#include "server/engine_service.h"

#include <cuzk/v1/proving.grpc.pb.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "engine/circom_jobs.h"
#include "formats/snarkjs_json.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "groth16/verifier.h"
#include "server/grpc_server.h"
#include "support/mapped_file.h"
#include "tests/formats/samples.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::server {
namespace {

using grpc::StatusCode;
using test::must;
using Sample = test::Sample<Bn254>;

class EngineServiceTest : public ::testing::Test {
 protected:
  EngineServiceTest() {
    must(formats::write_zkey(folder.file("cubic.zkey"), key, Sample::circuit()));
    must(formats::write_wtns<Bn254>(folder.file("right.wtns"), Sample::witness()));

    circom = must(engine::circom_catalogue(arena, {{"cubic", folder.file("cubic.zkey")}}));
    filecoin = engine::filecoin_catalogue(arena, {.params = folder.path().string(), .circuits = ""});
    both = engine::joined_catalogue(*filecoin, *circom);
    memory::BudgetOptions budget;
    budget.total_bytes = std::uint64_t{1} << 30;
    engine::EngineOptions options;
    options.arena = &arena;
    options.budget = must(memory::MemoryBudget::create(std::move(budget)));
    options.catalogue = both.get();
    options.kinds = engine::filecoin_kinds();
    options.kinds.push_back(engine::circom_kind());
    engine::Device cpu;
    cpu.name = "cpu";
    cpu.bn254 = std::make_shared<backend::CpuBackend<Bn254>>(arena);
    cpu.bls12_381 = std::make_shared<backend::CpuBackend<Bls12_381>>(arena);
    options.devices = {cpu};
    engine = must(engine::Engine::create(std::move(options)));
    proving = engine_service(*engine);

    GrpcOptions listen;
    listen.listen = {must(parse_listen_address("unix://" + folder.file("s")))};
    server = must(GrpcServer::start(*proving, listen));
    stub =
        v1::ProvingEngine::NewStub(grpc::CreateChannel("unix:" + folder.file("s"), grpc::InsecureChannelCredentials()));
  }

  template <class Request, class Response>
  grpc::Status call(grpc::Status (v1::ProvingEngine::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    return (stub.get()->*method)(&context, request, &response);
  }

  v1::SubmitCircomProofRequest circom_request() const {
    const MappedFile wtns = must(MappedFile::open(folder.file("right.wtns")));
    v1::SubmitCircomProofRequest request;
    request.set_request_id("mine");
    request.set_key_id("cubic");
    request.set_wtns(std::string(bytes_text(wtns.bytes())));
    return request;
  }

  const test::TemporaryFolder folder;
  Arena arena;
  const groth16::ProvingKey<Bn254> key = Sample::zkey_key(arena);
  std::unique_ptr<engine::Catalogue> circom, filecoin, both;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<ProvingService> proving;
  std::unique_ptr<GrpcServer> server;  // ends first
  std::unique_ptr<v1::ProvingEngine::Stub> stub;
};

TEST_F(EngineServiceTest, ACircomProofOverTheWireVerifies) {
  v1::SubmitProofResponse submitted;
  ASSERT_TRUE(call(&v1::ProvingEngine::Stub::SubmitCircomProof, circom_request(), submitted).ok());
  EXPECT_EQ(submitted.job_id(), "mine");
  v1::AwaitProofRequest request;
  request.set_job_id("mine");
  v1::AwaitProofResponse response;
  ASSERT_TRUE(call(&v1::ProvingEngine::Stub::AwaitProof, request, response).ok());
  ASSERT_EQ(response.status(), v1::AwaitProofResponse::COMPLETED) << response.error_message();
  const auto result = must(engine::split_circom_result(text_bytes(response.proof())));
  EXPECT_TRUE(groth16::verify(arena, groth16::PreparedVerifyingKey<Bn254>(key.vk),
                              must(formats::read_public_json<Bn254>(result.public_json)),
                              must(formats::read_proof_json<Bn254>(result.proof_json))));

  v1::GetStatusResponse status;
  ASSERT_TRUE(call(&v1::ProvingEngine::Stub::GetStatus, v1::GetStatusRequest(), status).ok());
  EXPECT_EQ(status.total_proofs_completed(), 1U);
  EXPECT_EQ(status.queues_size(), 5);
  EXPECT_EQ(status.loaded_srs(0).circuit_id(), "cubic");
  v1::ListJobsResponse jobs;
  ASSERT_TRUE(call(&v1::ProvingEngine::Stub::ListJobs, v1::ListJobsRequest(), jobs).ok());
  ASSERT_EQ(jobs.jobs_size(), 1);
  EXPECT_EQ(jobs.jobs(0).state(), v1::JobState::COMPLETED);
  EXPECT_EQ(jobs.jobs(0).request_id(), "mine");
}

TEST_F(EngineServiceTest, fault_A07_NumbersOfOtherKindsAndSizesFail) {
  const auto prove = [&](v1::ProofKind kind, std::uint64_t registered, std::uint64_t sector_size) {
    v1::ProveRequest request;
    v1::SubmitProofRequest& submit = *request.mutable_submit();
    submit.set_proof_kind(kind);
    submit.set_registered_proof(registered);
    submit.set_sector_size(sector_size);
    submit.set_randomness(std::string(32, '\1'));
    submit.add_vanilla_proofs("no vanilla proof");
    v1::ProveResponse response;
    EXPECT_TRUE(call(&v1::ProvingEngine::Stub::Prove, request, response).ok());
    EXPECT_EQ(response.result().status(), v1::AwaitProofResponse::FAILED);
    return response.result().error_message();
  };
  EXPECT_NE(prove(v1::WINDOW_POST_PARTITION, 3, 0).find("no proof of kind window"), std::string::npos);
  EXPECT_NE(prove(v1::WINNING_POST, 13, 0).find("no proof of kind winning"), std::string::npos);
  EXPECT_NE(prove(v1::WINNING_POST, 0, 34359738368).find("sector_size"), std::string::npos);
  EXPECT_NE(prove(v1::WINNING_POST, 99, 0), "");
  EXPECT_NE(prove(v1::WINNING_POST, ~0ULL, 0), "");
  EXPECT_NE(prove(v1::WINNING_POST, 0, 2048), "");  // what is in the payload
}

TEST_F(EngineServiceTest, AStoppedEngineIsUnavailable) {
  engine->stop();
  v1::SubmitProofResponse submitted;
  EXPECT_EQ(call(&v1::ProvingEngine::Stub::SubmitCircomProof, circom_request(), submitted).error_code(),
            StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace cuzk::server
