// A real client over a unix socket and TCP, before a service whose jobs end as the tests say.

#include "server/grpc_server.h"

#include <atomic>
#include <fstream>
#include <future>
#include <optional>
#include <thread>

#include <cuzk/v1/proving.grpc.pb.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "server/messages.h"
#include "support/log.h"
#include "tests/server/fake_proving.h"
#include "tests/server/few_descriptors.h"
#include "tests/server/http_client.h"
#include "tests/server/raw_http2.h"
#include "tests/server/tls_files.h"
#include "tests/support/eventually.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::server {
namespace {

using grpc::StatusCode;
using test::must;
using Stub = v1::ProvingEngine::Stub;

const auto kSoon = test::kPatience;

std::shared_ptr<grpc::Channel> channel_to(const std::string& target,
                                          const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(target, credentials, arguments);
}

class GrpcServerTest : public ::testing::Test {
 protected:
  void serve(GrpcOptions options = {}) {
    options.listen.push_back(must(parse_listen_address("unix://" + socket)));
    server = must(GrpcServer::start(proving, options));
    stub = v1::ProvingEngine::NewStub(channel_to("unix:" + socket, grpc::InsecureChannelCredentials()));
  }

  /// Calls with a deadline that no call of these tests should reach.
  template <class Request, class Response>
  grpc::Status call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kSoon);
    return (stub.get()->*method)(&context, request, &response);
  }

  grpc::Status submit(const v1::SubmitProofRequest& request, v1::SubmitProofResponse& response) {
    return call(&Stub::SubmitProof, request, response);
  }
  StatusCode submit_code(const v1::SubmitProofRequest& request) {
    v1::SubmitProofResponse response;
    return submit(request, response).error_code();
  }
  grpc::Status prove(const v1::SubmitProofRequest& request, v1::ProveResponse& response) {
    v1::ProveRequest wrapped;
    *wrapped.mutable_submit() = request;
    return call(&Stub::Prove, wrapped, response);
  }
  grpc::Status await(const std::string& job_id, v1::AwaitProofResponse& response, std::uint64_t timeout_ms = 0) {
    v1::AwaitProofRequest request;
    request.set_job_id(job_id);
    request.set_timeout_ms(timeout_ms);
    return call(&Stub::AwaitProof, request, response);
  }

  const test::TemporaryFolder folder;
  const std::string socket = folder.file("s");
  FakeProving proving;
  std::unique_ptr<GrpcServer> server;
  std::unique_ptr<Stub> stub;
};

v1::SubmitProofRequest window_request(const std::string& label = "wdpost-1000-0-[1 2 3 4 5 6 7 8]") {
  v1::SubmitProofRequest request;
  request.set_request_id(label);
  request.set_proof_kind(v1::WINDOW_POST_PARTITION);
  request.set_registered_proof(13);
  request.set_sector_size(34359738368);
  request.set_miner_id(1000);
  request.set_randomness(std::string(32, 'r'));
  request.set_partition_index(3);
  request.add_vanilla_proofs("first");
  request.add_vanilla_proofs("second");
  return request;
}

std::string text_of(const engine::Payload& payload) { return std::string(bytes_text(payload.bytes)); }
std::string text_of(const std::vector<std::byte>& bytes) { return std::string(bytes_text(bytes)); }

TEST_F(GrpcServerTest, SubmitsWhatTheMessageSays) {
  serve();
  v1::SubmitProofResponse response;
  ASSERT_TRUE(submit(window_request(), response).ok());
  EXPECT_EQ(response.job_id(), "wdpost-1000-0-[1 2 3 4 5 6 7 8]");

  const Submission submission = proving.submissions().at(0);
  const auto& work = std::get<FilecoinWork>(submission.work);
  EXPECT_EQ(work.request.kind, filecoin::ProofKind::window);
  EXPECT_EQ(work.request.registered_proof, 13U);
  EXPECT_EQ(work.sector_size, 34359738368U);
  EXPECT_EQ(work.request.miner_id, 1000U);
  EXPECT_EQ(text_of(work.request.randomness), std::string(32, 'r'));
  ASSERT_EQ(work.request.payloads.size(), 2U);
  EXPECT_EQ(text_of(work.request.payloads[1]), "second");  // the message lives as long as the submission
  EXPECT_FALSE(submission.priority);
  EXPECT_EQ(submission.orphan_grace.count(), 0);
}

TEST_F(GrpcServerTest, EachKindHasItsPayload) {
  serve();
  v1::SubmitProofRequest request;
  request.set_vanilla_proof("c1");
  request.add_vanilla_proofs("v");
  request.set_sector_number(7);
  request.set_comm_r_old(std::string(32, 'a'));
  request.set_comm_r_new(std::string(32, 'b'));
  request.set_comm_d_new(std::string(32, 'c'));
  const std::pair<v1::ProofKind, filecoin::ProofKind> kinds[] = {
      {v1::POREP_SEAL_COMMIT, filecoin::ProofKind::porep},
      {v1::SNAP_DEALS_UPDATE, filecoin::ProofKind::snap},
      {v1::WINDOW_POST_PARTITION, filecoin::ProofKind::window},
      {v1::WINNING_POST, filecoin::ProofKind::winning},
  };
  for (const auto& [number, kind] : kinds) {
    request.set_proof_kind(number);
    EXPECT_EQ(submit_code(request), StatusCode::OK);
    const Submission submission = proving.submissions().back();
    const auto& sent = std::get<FilecoinWork>(submission.work).request;
    EXPECT_EQ(sent.kind, kind);
    ASSERT_EQ(sent.payloads.size(), 1U);
    EXPECT_EQ(text_of(sent.payloads[0]), kind == filecoin::ProofKind::porep ? "c1" : "v");
    EXPECT_EQ(sent.sector_number, 7U);
    EXPECT_EQ(text_of(sent.comm_r_old) + text_of(sent.comm_r_new) + text_of(sent.comm_d_new),
              std::string(32, 'a') + std::string(32, 'b') + std::string(32, 'c'));
  }
}

TEST_F(GrpcServerTest, PrioritiesOutOfRangeAreNormal) {
  serve();
  const std::pair<int, std::optional<engine::Priority>> cases[] = {
      {0, std::nullopt},           {1, engine::Priority::low},      {2, engine::Priority::normal},
      {3, engine::Priority::high}, {4, engine::Priority::critical}, {77, engine::Priority::normal},
  };
  for (const auto& [number, priority] : cases) {
    v1::SubmitProofRequest request = window_request();
    request.set_priority(static_cast<v1::Priority>(number));
    EXPECT_EQ(submit_code(request), StatusCode::OK);
    EXPECT_EQ(proving.submissions().back().priority, priority) << number;
  }
}

TEST_F(GrpcServerTest, DeadlinesOfJobsAreBounded) {
  serve();
  const std::pair<std::uint64_t, std::chrono::milliseconds> cases[] = {
      {0, std::chrono::milliseconds(0)}, {1500, std::chrono::milliseconds(1500)}, {~0ULL, std::chrono::hours(876'000)}};
  for (const auto& [ms, deadline] : cases) {
    v1::SubmitProofRequest request = window_request();
    request.set_deadline_ms(ms);
    EXPECT_EQ(submit_code(request), StatusCode::OK);
    EXPECT_EQ(proving.submissions().back().deadline, deadline);
    v1::SubmitCircomProofRequest circom;
    circom.set_key_id("k");
    circom.set_deadline_ms(ms);
    v1::SubmitProofResponse response;
    EXPECT_TRUE(call(&Stub::SubmitCircomProof, circom, response).ok());
    EXPECT_EQ(proving.submissions().back().deadline, deadline);
  }
}

TEST_F(GrpcServerTest, LimitsAreCheckedBeforeAnythingIsKept) {
  serve();
  v1::SubmitProofRequest request = window_request(std::string(1024, 'x'));
  EXPECT_EQ(submit_code(request), StatusCode::OK);
  request.set_request_id(std::string(1025, 'x'));
  EXPECT_EQ(submit_code(request), StatusCode::INVALID_ARGUMENT);
  request.set_request_id(std::string("a\0b", 3));
  EXPECT_EQ(submit_code(request), StatusCode::INVALID_ARGUMENT);
  for (const int kind : {0, 5, -1}) {
    request = window_request();
    request.set_proof_kind(static_cast<v1::ProofKind>(kind));
    EXPECT_EQ(submit_code(request), StatusCode::INVALID_ARGUMENT) << kind;
    v1::ProveResponse response;
    EXPECT_EQ(prove(request, response).error_code(), StatusCode::INVALID_ARGUMENT);
  }
  request = window_request();
  request.add_vanilla_proofs(std::string((256 << 10) + 1, 'v'));
  EXPECT_EQ(submit_code(request), StatusCode::RESOURCE_EXHAUSTED);
  request.set_proof_kind(v1::WINNING_POST);
  EXPECT_EQ(submit_code(request), StatusCode::OK);
  request.add_vanilla_proofs(std::string((1 << 20) + 1, 'v'));
  EXPECT_EQ(submit_code(request), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(proving.submissions().size(), 2U);
}

TEST(Messages, AC1OutputHasALimit) {
  v1::SubmitProofRequest request;
  request.set_proof_kind(v1::POREP_SEAL_COMMIT);
  request.mutable_vanilla_proof()->resize(RequestLimits::kC1Bytes);
  EXPECT_TRUE(submission_of(v1::SubmitProofRequest(request)));
  request.mutable_vanilla_proof()->push_back('x');
  const auto refused = submission_of(std::move(request));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::exhausted);
}

TEST(Messages, OnlyThePayloadOfTheKindIsKept) {
  v1::SubmitProofRequest request;
  request.set_proof_kind(v1::WINNING_POST);
  request.add_vanilla_proofs(std::string(1000, 'v'));
  request.set_vanilla_proof(std::string(1000, 'c'));
  const auto winning = must(submission_of(v1::SubmitProofRequest(request)));
  const auto& payloads = std::get<FilecoinWork>(winning.work).request.payloads;
  ASSERT_EQ(payloads.size(), 1U);
  EXPECT_EQ(*static_cast<const std::string*>(payloads[0].owner.get()), std::string(1000, 'v'));
  request.set_proof_kind(v1::POREP_SEAL_COMMIT);
  const auto porep = must(submission_of(std::move(request)));
  const auto& c1 = std::get<FilecoinWork>(porep.work).request.payloads;
  ASSERT_EQ(c1.size(), 1U);
  EXPECT_EQ(*static_cast<const std::string*>(c1[0].owner.get()), std::string(1000, 'c'));
}

TEST_F(GrpcServerTest, MessagesOfManyFieldsAreNotDecoded) {
  serve();
  v1::SubmitProofRequest request = window_request();
  for (int i = 0; i < 2347; ++i) request.add_vanilla_proofs("");  // as many sectors as a partition may have
  EXPECT_EQ(submit_code(request), StatusCode::OK);
  v1::ProveResponse response;
  for (int i = 0; i < 8000; ++i) request.add_vanilla_proofs("");
  EXPECT_EQ(submit_code(request), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(prove(request, response).error_code(), StatusCode::INVALID_ARGUMENT);
  v1::SubmitCircomProofRequest circom;
  circom.set_key_id("k");
  auto& unknown = *circom.GetReflection()->MutableUnknownFields(&circom);
  for (int i = 0; i < 20'000; ++i) unknown.AddVarint(99, 1);
  v1::SubmitProofResponse accepted;
  EXPECT_EQ(call(&Stub::SubmitCircomProof, circom, accepted).error_code(), StatusCode::INVALID_ARGUMENT);
  unknown.Clear();
  unknown.AddGroup(98)->AddVarint(1, 1);
  EXPECT_EQ(call(&Stub::SubmitCircomProof, circom, accepted).error_code(), StatusCode::INVALID_ARGUMENT);
  unknown.Clear();
  unknown.AddFixed32(99, 1);
  unknown.AddFixed64(99, 1);
  unknown.AddLengthDelimited(99, "of a newer client");
  EXPECT_TRUE(call(&Stub::SubmitCircomProof, circom, accepted).ok());
  EXPECT_EQ(proving.submissions().size(), 2U);
}

TEST_F(GrpcServerTest, MessagesAreAsLargeAsTheConfigurationAllows) {
  GrpcOptions options;
  options.max_message_bytes = 70 << 20;
  serve(options);
  v1::SubmitProofRequest request;
  request.set_proof_kind(v1::POREP_SEAL_COMMIT);
  request.set_vanilla_proof(std::string(69 << 20, 'c'));
  EXPECT_EQ(submit_code(request), StatusCode::OK);
  EXPECT_EQ(std::get<FilecoinWork>(proving.submissions().back().work).request.payloads[0].bytes.size(), 69U << 20);
  request.set_vanilla_proof(std::string(71 << 20, 'c'));
  EXPECT_EQ(submit_code(request), StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(GrpcServerTest, WhatComesIsCountedBeforeItIsDecoded) {
  serve();
  proving.room = 10'000;
  v1::SubmitProofRequest request = window_request();
  EXPECT_EQ(submit_code(request), StatusCode::OK);
  ASSERT_EQ(proving.received.size(), 1U);
  EXPECT_EQ(proving.received[0], request.ByteSizeLong());
  request.add_vanilla_proofs(std::string(10'000, 'v'));
  EXPECT_EQ(submit_code(request), StatusCode::RESOURCE_EXHAUSTED);
  v1::ProveResponse response;
  EXPECT_EQ(prove(request, response).error_code(), StatusCode::RESOURCE_EXHAUSTED);
  v1::SubmitCircomProofRequest circom;
  circom.set_key_id("k");
  circom.set_wtns(std::string(10'000, 'w'));
  v1::SubmitProofResponse accepted;
  EXPECT_EQ(call(&Stub::SubmitCircomProof, circom, accepted).error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(proving.submissions().size(), 1U);
}

TEST_F(GrpcServerTest, ManyLargeMessagesComeOneAfterTheOther) {
  serve();
  std::vector<std::future<StatusCode>> calls;
  for (int i = 0; i < 24; ++i) {
    calls.push_back(std::async(std::launch::async, [this, i] {
      v1::SubmitProofRequest request;
      request.set_proof_kind(v1::POREP_SEAL_COMMIT);
      request.set_vanilla_proof(std::string(4 << 20, static_cast<char>('a' + i)));
      return submit_code(request);
    }));
  }
  for (auto& code : calls) EXPECT_EQ(code.get(), StatusCode::OK);
  EXPECT_EQ(proving.submissions().size(), 24U);
}

/// A call whose message does not come.
class StuckCall {
 public:
  explicit StuckCall(const std::shared_ptr<grpc::Channel>& channel) : generic_(channel) {
    context_.set_deadline(std::chrono::system_clock::now() + kSoon);
    stream_ = generic_.PrepareCall(&context_, "/cuzk.v1.ProvingEngine/SubmitProof", &queue_);
    stream_->StartCall(nullptr);
    wait();
  }
  StuckCall(const StuckCall&) = delete;
  StuckCall& operator=(const StuckCall&) = delete;
  ~StuckCall() {
    context_.TryCancel();
    grpc::Status status;
    stream_->Finish(&status, nullptr);
    wait();
  }

 private:
  void wait() {
    void* tag = nullptr;
    bool good = false;
    queue_.Next(&tag, &good);
  }

  grpc::GenericStub generic_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
};

TEST_F(GrpcServerTest, ClientsThatSendNothingKeepNobodyOut) {
  GrpcOptions options;
  options.service.receiving_patience = std::chrono::milliseconds(100);
  serve(options);
  const auto channel = channel_to("unix:" + socket, grpc::InsecureChannelCredentials());
  std::vector<std::unique_ptr<StuckCall>> stuck;
  for (int i = 0; i < 10; ++i) stuck.push_back(std::make_unique<StuckCall>(channel));
  EXPECT_EQ(submit_code(window_request()), StatusCode::OK);
  stuck.clear();
  EXPECT_EQ(submit_code(window_request()), StatusCode::OK);
}

TEST_F(GrpcServerTest, CallsThatAreReadFromEndWithTheServer) {
  serve();
  const auto channel = channel_to("unix:" + socket, grpc::InsecureChannelCredentials());
  std::vector<std::unique_ptr<StuckCall>> stuck;
  for (int i = 0; i < 10; ++i) stuck.push_back(std::make_unique<StuckCall>(channel));
  server->stop(Deadline::after(std::chrono::milliseconds(50)));
  server.reset();
}

TEST_F(GrpcServerTest, TheMessageEndsWithItsSubmission) {
  serve();
  v1::ProveResponse response;
  const auto proved = std::async(std::launch::async, [&] { return prove(window_request(), response).ok(); });
  const auto job = proving.job(0);
  const std::weak_ptr<const void> message =
      std::get<FilecoinWork>(proving.submissions().at(0).work).request.payloads.at(0).owner;
  proving.forget_submissions();
  EXPECT_TRUE(test::eventually([&] { return message.expired(); }));
  EXPECT_TRUE(job->status().is_open());
  job->complete("pi");
}

TEST_F(GrpcServerTest, WhatIsNoMessageIsTold) {
  serve();
  const auto channel = channel_to("unix:" + socket, grpc::InsecureChannelCredentials());
  grpc::GenericStub generic(channel);
  for (const char* method : {"SubmitProof", "Prove", "SubmitCircomProof"}) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kSoon);
    const grpc::Slice slice(std::string("\x12\xff\xff\xff\xff\x0f"));
    grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer answer;
    std::promise<grpc::Status> ended;
    generic.UnaryCall(&context, std::string("/cuzk.v1.ProvingEngine/") + method, {}, &request, &answer,
                      [&](grpc::Status status) { ended.set_value(std::move(status)); });
    EXPECT_EQ(ended.get_future().get().error_code(), StatusCode::INVALID_ARGUMENT) << method;
  }
}

TEST_F(GrpcServerTest, NothingCompressedIsTaken) {
  std::atomic<int> warnings = 0;  // a client could write any number of them
  const LogSink former = set_log_sink([&](const LogRecord& record) { warnings += record.level >= LogLevel::warn; });
  serve();
  v1::SubmitProofRequest request = window_request();
  request.add_vanilla_proofs(std::string(1 << 20, '\0'));
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kSoon);
    context.set_compression_algorithm(algorithm);
    v1::SubmitProofResponse response;
    EXPECT_EQ(stub->SubmitProof(&context, request, &response).error_code(), StatusCode::UNIMPLEMENTED);
  }
  EXPECT_TRUE(proving.submissions().empty());
  server.reset();
  set_log_sink(former);
  EXPECT_EQ(warnings, 0);
}

TEST_F(GrpcServerTest, WithoutADescriptorClientsWaitAndAreTakenLater) {
  if (!FewDescriptors::kNoneMayBeLeft) GTEST_SKIP() << "UBSan needs descriptors";
  GrpcOptions options;
  options.listen = {must(parse_listen_address("127.0.0.1:0"))};
  serve(options);
  v1::GetStatusResponse response;
  ASSERT_TRUE(call(&Stub::GetStatus, v1::GetStatusRequest(), response).ok());
  FewDescriptors descriptors;
  for (const ListenAddress& address : server->addresses()) {
    descriptors.take_all_but(1);
    const RawHttpClient waits(address);
    EXPECT_TRUE(call(&Stub::GetStatus, v1::GetStatusRequest(), response).ok());  // by a connection that it has
    descriptors.give_back();
  }
  for (const ListenAddress& address : server->addresses()) {
    stub = v1::ProvingEngine::NewStub(
        channel_to(address.is_unix() ? "unix:" + socket : address.to_string(), grpc::InsecureChannelCredentials()));
    EXPECT_TRUE(call(&Stub::GetStatus, v1::GetStatusRequest(), response).ok()) << address.to_string();
  }
}

TEST_F(GrpcServerTest, RefusalsHaveTheirStatus) {
  serve();
  const std::pair<Code, StatusCode> cases[] = {
      {Code::exhausted, StatusCode::RESOURCE_EXHAUSTED},
      {Code::unavailable, StatusCode::UNAVAILABLE},
      {Code::conflict, StatusCode::ABORTED},
      {Code::internal, StatusCode::INTERNAL},
      {Code::malformed, StatusCode::INVALID_ARGUMENT},
      {Code::unsupported, StatusCode::INVALID_ARGUMENT},
      {Code::not_found, StatusCode::NOT_FOUND},
  };
  for (const auto& [code, expected] : cases) {
    proving.refuse = code;
    EXPECT_EQ(submit_code(window_request()), expected);
  }
}

/// Of the RetryInfo in its details; nothing: there is none.
std::optional<std::chrono::milliseconds> retry_delay(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::RetryInfo retry;
  if (!details.ParseFromString(status.error_details()) || details.details_size() != 1) return std::nullopt;
  EXPECT_EQ(details.code(), status.error_code());
  EXPECT_EQ(details.message(), status.error_message());
  EXPECT_TRUE(details.details(0).UnpackTo(&retry));
  return std::chrono::seconds(retry.retry_delay().seconds()) +
         std::chrono::milliseconds(retry.retry_delay().nanos() / 1'000'000);
}

TEST_F(GrpcServerTest, RefusalsThatPassSayWhenToComeAgain) {
  serve();
  v1::SubmitProofResponse response;
  for (const Code code : {Code::exhausted, Code::unavailable}) {
    proving.refuse = code;
    EXPECT_EQ(retry_delay(submit(window_request(), response)), proving.delay);
    v1::ProveResponse proved;
    EXPECT_EQ(retry_delay(prove(window_request(), proved)), proving.delay);
  }
  proving.refuse = Code::conflict;
  EXPECT_EQ(retry_delay(submit(window_request(), response)), std::nullopt);
  proving.refuse.reset();
  v1::SubmitProofRequest large = window_request();
  large.add_vanilla_proofs(std::string((256 << 10) + 1, 'v'));  // has no room at any time
  EXPECT_EQ(retry_delay(submit(large, response)), std::nullopt);
  proving.room = 10;
  EXPECT_EQ(retry_delay(submit(window_request(), response)), proving.delay);
}

TEST_F(GrpcServerTest, ProveAnswersFailedForWhatIsWrongWithTheProof) {
  serve();
  v1::ProveResponse response;
  for (const Code code : {Code::malformed, Code::unsupported, Code::invalid_argument, Code::not_found}) {
    proving.refuse = code;
    ASSERT_TRUE(prove(window_request("x"), response).ok());
    EXPECT_EQ(response.result().status(), v1::AwaitProofResponse::FAILED);
    EXPECT_EQ(response.result().error_message(), "refused");
    EXPECT_EQ(response.result().job_id(), "x");
  }
  for (const auto& [code, expected] : {std::pair(Code::exhausted, StatusCode::RESOURCE_EXHAUSTED),
                                       std::pair(Code::unavailable, StatusCode::UNAVAILABLE)}) {
    proving.refuse = code;
    EXPECT_EQ(prove(window_request(), response).error_code(), expected);
  }
  EXPECT_EQ(call(&Stub::Prove, v1::ProveRequest(), response).error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcServerTest, ProveWaitsForTheProof) {
  serve();
  proving.on_job = [](FakeJob& job) { job.complete("proof bytes"); };
  v1::ProveResponse response;
  ASSERT_TRUE(prove(window_request("p"), response).ok());
  const v1::AwaitProofResponse& result = response.result();
  EXPECT_EQ(result.status(), v1::AwaitProofResponse::COMPLETED);
  EXPECT_EQ(result.job_id(), "p");
  EXPECT_EQ(result.proof(), "proof bytes");
  EXPECT_EQ(result.error_message(), "");
  EXPECT_EQ(result.queue_wait_ms(), 11U);
  EXPECT_EQ(result.srs_load_ms(), 12U);
  EXPECT_EQ(result.synthesis_ms(), 13U);
  EXPECT_EQ(result.gpu_compute_ms(), 14U);
  EXPECT_EQ(result.total_ms(), 50U);
  EXPECT_EQ(proving.delivered, std::vector<std::string>{"p"});
  EXPECT_EQ(proving.submissions()[0].orphan_grace, std::chrono::minutes(5));
}

TEST_F(GrpcServerTest, AClientThatLeavesLeavesTheJobToItsGrace) {
  serve();
  server->set_orphan_grace(std::chrono::seconds(9));
  grpc::ClientContext context;
  auto left = std::async(std::launch::async, [&] {
    v1::ProveRequest request;
    *request.mutable_submit() = window_request();
    v1::ProveResponse response;
    return stub->Prove(&context, request, &response).error_code();
  });
  const auto job = proving.job(0);
  context.TryCancel();
  EXPECT_EQ(left.get(), StatusCode::CANCELLED);
  EXPECT_TRUE(test::eventually([&] { return job->waiters() == 0; }));
  EXPECT_TRUE(job->status().is_open());
  EXPECT_EQ(proving.submissions()[0].orphan_grace, std::chrono::seconds(9));
}

TEST_F(GrpcServerTest, fault_A37_EachCallerGetsItsOwnProof) {
  serve();
  std::vector<std::future<std::string>> proofs;
  for (int i = 0; i < 16; ++i) {
    proofs.push_back(std::async(std::launch::async, [this, i] {
      v1::SubmitProofRequest request = window_request("same");
      request.set_sector_number(static_cast<std::uint64_t>(i));
      v1::ProveResponse response;
      EXPECT_TRUE(prove(request, response).ok());
      return response.result().job_id() + ":" + response.result().proof();
    }));
  }
  proving.job(15);
  for (std::size_t i = 16; i-- > 0;) proving.job(i)->complete(proving.job(i)->job_id());
  std::vector<std::string> seen;
  for (auto& proof : proofs) {
    const std::string answer = proof.get();
    EXPECT_EQ(answer.substr(0, answer.find(':')), answer.substr(answer.find(':') + 1));
    seen.push_back(answer);
  }
  std::ranges::sort(seen);
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST_F(GrpcServerTest, AwaitTellsHowAJobEnded) {
  serve();
  v1::AwaitProofResponse response;
  EXPECT_EQ(await("nobody", response).error_code(), StatusCode::NOT_FOUND);

  for (const char* label : {"a", "b", "c", "d"}) EXPECT_EQ(submit_code(window_request(label)), StatusCode::OK);
  ASSERT_TRUE(await("a", response, 30).ok());
  EXPECT_EQ(response.status(), v1::AwaitProofResponse::TIMEOUT);
  EXPECT_EQ(response.job_id(), "a");
  EXPECT_TRUE(proving.job(0)->status().is_open());

  proving.job(0)->complete("pi");
  ASSERT_TRUE(await("a", response).ok());
  EXPECT_EQ(response.status(), v1::AwaitProofResponse::COMPLETED);
  EXPECT_EQ(response.proof(), "pi");

  proving.job(1)->end_without_proof(engine::JobState::failed, "no such leaf", Code::malformed);
  ASSERT_TRUE(await("b", response, ~0ULL).ok());
  EXPECT_EQ(response.status(), v1::AwaitProofResponse::FAILED);
  EXPECT_EQ(response.error_message(), "no such leaf");
  EXPECT_EQ(response.proof(), "");

  proving.job(2)->end_without_proof(engine::JobState::cancelled, "cancelled", Code::cancelled);
  ASSERT_TRUE(await("c", response).ok());
  EXPECT_EQ(response.status(), v1::AwaitProofResponse::CANCELLED);

  proving.job(3)->end_without_proof(engine::JobState::failed, "stopping", Code::unavailable);
  const grpc::Status stopping = await("d", response);
  EXPECT_EQ(stopping.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(retry_delay(stopping), proving.delay);
}

TEST_F(GrpcServerTest, fault_A23_CancelIsReal) {
  serve();
  EXPECT_EQ(submit_code(window_request("a")), StatusCode::OK);
  v1::CancelProofRequest request;
  v1::CancelProofResponse response;
  request.set_job_id("a");
  ASSERT_TRUE(call(&Stub::CancelProof, request, response).ok());
  EXPECT_TRUE(response.was_running());
  EXPECT_EQ(proving.job(0)->status().state, engine::JobState::cancelled);
  ASSERT_TRUE(call(&Stub::CancelProof, request, response).ok());
  EXPECT_FALSE(response.was_running());
  request.set_job_id("nobody");
  ASSERT_TRUE(call(&Stub::CancelProof, request, response).ok());
  EXPECT_FALSE(response.was_running());
}

TEST_F(GrpcServerTest, fault_A24_CallsThatWaitAreBounded) {
  GrpcOptions options;
  options.service.max_calls = 2;
  serve(options);
  EXPECT_EQ(submit_code(window_request("a")), StatusCode::OK);
  const auto wait_for_job = [&] {
    v1::AwaitProofResponse response;
    return await("a", response).error_code();
  };
  const auto wait_in_a_place = [&] {  // the call that has brought the job may keep one a moment longer
    StatusCode code = StatusCode::RESOURCE_EXHAUSTED;
    EXPECT_TRUE(test::eventually([&] { return (code = wait_for_job()) != StatusCode::RESOURCE_EXHAUSTED; }));
    return code;
  };
  std::vector<std::future<StatusCode>> waiting;
  for (int i = 0; i < 2; ++i) waiting.push_back(std::async(std::launch::async, wait_in_a_place));
  const auto job = proving.job(0);
  ASSERT_TRUE(test::eventually([&] { return job->waiters() == 2; }));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(wait_for_job(), StatusCode::RESOURCE_EXHAUSTED);
  v1::GetStatusResponse status;
  EXPECT_TRUE(call(&Stub::GetStatus, v1::GetStatusRequest(), status).ok());  // what does not wait is answered
  job->complete("pi");
  for (auto& one : waiting) EXPECT_EQ(one.get(), StatusCode::OK);
}

TEST_F(GrpcServerTest, fault_A24_WhatIsUrgentGetsThrough) {
  GrpcOptions options;
  options.service.max_calls = 1;
  serve(options);
  std::promise<void> held;
  std::promise<void> may_end;
  bool first = true;
  proving.on_job = [&](FakeJob&) {
    if (!std::exchange(first, false)) return;
    held.set_value();
    may_end.get_future().wait();
  };
  auto holding = std::async(std::launch::async, [&] { return submit_code(window_request("a")); });
  held.get_future().wait();
  EXPECT_EQ(submit_code(window_request("b")), StatusCode::RESOURCE_EXHAUSTED);
  v1::SubmitProofRequest critical = window_request("c");
  critical.set_priority(v1::CRITICAL);
  EXPECT_EQ(submit_code(critical), StatusCode::OK);
  v1::PreloadSrsRequest preload;
  preload.set_circuit_id("porep-2k");
  v1::PreloadSrsResponse preloaded;
  EXPECT_TRUE(call(&Stub::PreloadSRS, preload, preloaded).ok());
  v1::AwaitProofResponse response;
  EXPECT_EQ(retry_delay(await("c", response, 1)), std::chrono::seconds(1));
  v1::CancelProofRequest cancel;
  cancel.set_job_id("a");
  v1::CancelProofResponse cancelled;
  EXPECT_TRUE(call(&Stub::CancelProof, cancel, cancelled).ok());
  EXPECT_TRUE(cancelled.was_running());
  may_end.set_value();
  EXPECT_EQ(holding.get(), StatusCode::OK);
}

TEST_F(GrpcServerTest, StatusIsTheSnapshot) {
  engine::DeviceSnapshot device;
  device.ordinal = 1;
  device.name = "card";
  device.max_in_flight = 2;
  device.in_flight.push_back({"job", "porep-c2", 4, 0});
  proving.shown.devices.push_back(device);
  proving.shown.keys.push_back({"porep-2k", 1, false, 4096, 2, 0, 0, false});
  proving.shown.keys.push_back({"snap-2k", 1, true, 0, 0, 0, 0, false});
  proving.shown.kinds = {{"porep-c2", 3, 1}, {"winning-post", 0, 0}};
  proving.shown.metrics.kinds["porep-c2"].completed = 8;
  proving.shown.metrics.kinds["winning-post"].failed = {1, 2, 3};
  proving.shown.uptime_ns = 61'000'000'000;
  proving.shown.memory.total = 1 << 30;
  proving.shown.pool.emplace().in_use_pinned_bytes = 77;
  serve();
  v1::GetStatusResponse status;
  ASSERT_TRUE(call(&Stub::GetStatus, v1::GetStatusRequest(), status).ok());
  ASSERT_EQ(status.gpus_size(), 2);
  EXPECT_EQ(status.gpus(0).ordinal(), 1U);
  EXPECT_EQ(status.gpus(0).name(), "card");
  EXPECT_EQ(status.gpus(0).current_job_id(), "job");
  EXPECT_EQ(status.gpus(0).current_proof_kind(), "porep-c2");
  EXPECT_EQ(status.gpus(1).current_job_id(), "");
  ASSERT_EQ(status.loaded_srs_size(), 2);
  EXPECT_EQ(status.loaded_srs(0).circuit_id(), "porep-2k");
  EXPECT_EQ(status.loaded_srs(0).tier(), v1::SRSStatus::HOT);
  EXPECT_EQ(status.loaded_srs(0).size_bytes(), 4096U);
  EXPECT_EQ(status.loaded_srs(0).ref_count(), 2U);
  EXPECT_EQ(status.loaded_srs(1).tier(), v1::SRSStatus::WARM);
  ASSERT_EQ(status.queues_size(), 2);
  EXPECT_EQ(status.queues(0).proof_kind(), "porep-c2");
  EXPECT_EQ(status.queues(0).pending(), 3U);
  EXPECT_EQ(status.queues(0).in_progress(), 1U);
  EXPECT_EQ(status.total_proofs_completed(), 8U);
  EXPECT_EQ(status.total_proofs_failed(), 6U);
  EXPECT_EQ(status.uptime_seconds(), 61U);
  EXPECT_EQ(status.pinned_memory_bytes(), 77U);
  EXPECT_EQ(status.pinned_memory_limit_bytes(), 1U << 30);

  v1::GetMetricsResponse metrics;
  ASSERT_TRUE(call(&Stub::GetMetrics, v1::GetMetricsRequest(), metrics).ok());
  EXPECT_NE(metrics.prometheus_text().find("cuzk_proofs_completed_total 8\n"), std::string::npos);
}

TEST_F(GrpcServerTest, KeysArePreloadedAndEvicted) {
  serve();
  v1::PreloadSrsRequest preload;
  v1::PreloadSrsResponse preloaded;
  EXPECT_EQ(call(&Stub::PreloadSRS, preload, preloaded).error_code(), StatusCode::NOT_FOUND);
  preload.set_circuit_id("porep-2k");
  ASSERT_TRUE(call(&Stub::PreloadSRS, preload, preloaded).ok());
  EXPECT_TRUE(preloaded.already_loaded());
  EXPECT_EQ(preloaded.load_time_ms(), 7U);
  v1::EvictSrsRequest evict;
  v1::EvictSrsResponse evicted;
  EXPECT_EQ(call(&Stub::EvictSRS, evict, evicted).error_code(), StatusCode::NOT_FOUND);
  evict.set_circuit_id("porep-2k");
  ASSERT_TRUE(call(&Stub::EvictSRS, evict, evicted).ok());
  EXPECT_TRUE(evicted.was_loaded());
  EXPECT_EQ(evicted.freed_bytes(), 4096U);
}

TEST_F(GrpcServerTest, CircomJobsHaveACallOfTheirOwn) {
  serve();
  v1::SubmitCircomProofRequest request;
  v1::SubmitProofResponse response;
  request.set_request_id("c");
  request.set_wtns("wtns bytes");
  EXPECT_EQ(call(&Stub::SubmitCircomProof, request, response).error_code(), StatusCode::INVALID_ARGUMENT);
  request.set_key_id("multiplier");
  request.set_priority(v1::HIGH);
  ASSERT_TRUE(call(&Stub::SubmitCircomProof, request, response).ok());
  EXPECT_EQ(response.job_id(), "c");
  const Submission submission = proving.submissions().at(0);
  EXPECT_EQ(std::get<CircomWork>(submission.work).key, "multiplier");
  EXPECT_EQ(text_of(std::get<CircomWork>(submission.work).wtns), "wtns bytes");
  EXPECT_EQ(submission.priority, engine::Priority::high);
}

TEST_F(GrpcServerTest, JobsAreListed) {
  serve();
  for (const char* label : {"a", "b", "c"}) EXPECT_EQ(submit_code(window_request(label)), StatusCode::OK);
  proving.job(0)->complete("pi");
  proving.job(1)->change([](engine::JobStatus& status) { status.kind = "circom"; });
  const auto ids = [&](const v1::ListJobsRequest& request) {
    v1::ListJobsResponse response;
    EXPECT_TRUE(call(&Stub::ListJobs, request, response).ok());
    std::string out;
    for (const v1::JobProgress& job : response.jobs()) out += job.job_id();
    return out;
  };
  v1::ListJobsRequest request;
  EXPECT_EQ(ids(request), "abc");
  request.set_limit(2);
  EXPECT_EQ(ids(request), "bc");
  request.add_states(v1::JobState::COMPLETED);
  EXPECT_EQ(ids(request), "a");
  request.clear_states();
  request.set_kind("circom");
  EXPECT_EQ(ids(request), "b");
}

TEST_F(GrpcServerTest, AWatcherSeesStatesAndTheEnd) {
  serve();
  EXPECT_EQ(submit_code(window_request("a")), StatusCode::OK);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kSoon);
  v1::WatchJobRequest request;
  request.set_job_id("a");
  const auto reader = stub->WatchJob(&context, request);
  v1::JobProgress progress;
  ASSERT_TRUE(reader->Read(&progress));
  EXPECT_EQ(progress.state(), v1::JobState::ACCEPTED);
  EXPECT_EQ(progress.partitions(), 2U);
  EXPECT_TRUE(proving.job(0)->is_waited_for(2));  // so its caller may leave
  proving.job(0)->change([](engine::JobStatus& status) {
    status.state = engine::JobState::running;
    status.partitions[1].stage = engine::Stage::proving;
    status.partitions[1].timeline.device = "cpu";
  });
  ASSERT_TRUE(reader->Read(&progress));
  EXPECT_EQ(progress.state(), v1::JobState::RUNNING);
  EXPECT_EQ(progress.progress(1).stage(), v1::PartitionProgress::PROVING);
  EXPECT_EQ(progress.progress(1).device(), "cpu");
  proving.job(0)->complete("pi");
  ASSERT_TRUE(reader->Read(&progress));
  EXPECT_EQ(progress.state(), v1::JobState::COMPLETED);
  EXPECT_FALSE(reader->Read(&progress));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(GrpcServerTest, WatchersOfNothingAndWatchersThatLeave) {
  serve();
  v1::WatchJobRequest request;
  v1::JobProgress progress;
  {
    grpc::ClientContext context;
    request.set_job_id("nobody");
    const auto reader = stub->WatchJob(&context, request);
    EXPECT_FALSE(reader->Read(&progress));
    EXPECT_EQ(reader->Finish().error_code(), StatusCode::NOT_FOUND);
  }
  EXPECT_EQ(submit_code(window_request("a")), StatusCode::OK);
  grpc::ClientContext context;
  request.set_job_id("a");
  const auto reader = stub->WatchJob(&context, request);
  EXPECT_TRUE(reader->Read(&progress));
  context.TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::CANCELLED);
}

constexpr auto kWatchJob = "/cuzk.v1.ProvingEngine/WatchJob";
constexpr auto kAwaitProof = "/cuzk.v1.ProvingEngine/AwaitProof";

std::string watch_request(const std::string& job_id) {
  v1::WatchJobRequest request;
  request.set_job_id(job_id);
  return request.SerializeAsString();
}

TEST_F(GrpcServerTest, fault_A24_WatchersThatDoNotReadTakeNoCalls) {
  GrpcOptions options;
  options.service.max_calls = 8;
  options.service.writing_patience = std::chrono::hours(1);
  serve(options);
  EXPECT_EQ(submit_code(window_request("a")), StatusCode::OK);
  test::RawHttp2 client(socket);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(client.is_answered(client.call(kWatchJob, watch_request("a"))));
  v1::AwaitProofResponse response;
  EXPECT_TRUE(await("a", response, 1).ok());
  EXPECT_EQ(response.status(), v1::AwaitProofResponse::TIMEOUT);

  grpc::ClientContext context;
  v1::WatchJobRequest request;
  request.set_job_id("a");
  EXPECT_EQ(stub->WatchJob(&context, request)->Finish().error_code(), StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(GrpcServerTest, WatchersThatDoNotReadAreCancelled) {
  GrpcOptions options;
  options.service.max_calls = 8;
  options.service.writing_patience = std::chrono::milliseconds(200);
  serve(options);
  for (const char* label : {"open", "ended"}) EXPECT_EQ(submit_code(window_request(label)), StatusCode::OK);
  proving.job(1)->complete("pi");
  test::RawHttp2 client(socket);
  for (int i = 0; i < 12; ++i) {  // more than may watch at the same time
    EXPECT_TRUE(client.is_reset(client.call(kWatchJob, watch_request(i % 2 == 0 ? "open" : "ended")))) << i;
  }
}

TEST_F(GrpcServerTest, AnswersThatNobodyTakesAreGivenUp) {
  GrpcOptions options;
  options.service.writing_patience = std::chrono::milliseconds(100);
  serve(options);
  EXPECT_EQ(submit_code(window_request("a")), StatusCode::OK);
  proving.job(0)->complete(std::string(1 << 20, 'p'));
  v1::AwaitProofRequest request;
  request.set_job_id("a");
  test::RawHttp2 client(socket);
  EXPECT_TRUE(client.is_reset(client.call(kAwaitProof, request.SerializeAsString())));
  EXPECT_TRUE(client.is_reset(client.call("/cuzk.v1.ProvingEngine/GetStatus", "")));
}

/// One call of a service that has no stub here; the bytes of the answer.
std::string raw_call(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                     const std::string& request) {
  grpc::GenericStub generic(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kSoon);
  grpc::CompletionQueue queue;
  const auto stream = generic.PrepareCall(&context, method, &queue);
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool good = false;
    return queue.Next(&tag, &good) && good;
  };
  stream->StartCall(nullptr);
  wait();
  const grpc::Slice slice(request);
  stream->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  wait();
  grpc::ByteBuffer answer;
  stream->Read(&answer, nullptr);
  const bool read = wait();
  stream->WritesDone(nullptr);
  wait();
  std::string bytes;
  std::vector<grpc::Slice> slices;
  if (read && answer.Dump(&slices).ok()) {
    for (const grpc::Slice& part : slices) bytes.append(reinterpret_cast<const char*>(part.begin()), part.size());
  }
  context.TryCancel();
  grpc::Status status;
  stream->Finish(&status, nullptr);
  wait();
  return bytes;
}

constexpr auto kCheck = "/grpc.health.v1.Health/Check";
constexpr auto kWatch = "/grpc.health.v1.Health/Watch";
constexpr auto kReflection = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

TEST_F(GrpcServerTest, HealthAndReflectionAreThere) {
  serve();
  const auto channel = channel_to("unix:" + socket, grpc::InsecureChannelCredentials());
  const std::string named = std::string("\x0a\x15") + "cuzk.v1.ProvingEngine";
  EXPECT_EQ(raw_call(channel, kCheck, ""), "\x08\x01");
  EXPECT_EQ(raw_call(channel, kCheck, named), "\x08\x01");
  server->set_serving(false);
  EXPECT_EQ(raw_call(channel, kCheck, named), "\x08\x02");
  EXPECT_EQ(raw_call(channel, kWatch, named), "\x08\x02");
  EXPECT_EQ(raw_call(channel, kWatch, "\x0a\x01x"), "\x08\x03");
  const std::string services = raw_call(channel, kReflection, std::string("\x3a\x00", 2));
  for (const char* name :
       {"cuzk.v1.ProvingEngine", "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}) {
    EXPECT_NE(services.find(name), std::string::npos) << name;
  }
}

/// A call with one message of a service that has no stub here, which the client then has ended: how it ends.
StatusCode raw_code(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                    const std::string& request) {
  grpc::GenericStub generic(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kSoon);
  const grpc::Slice slice(request);
  grpc::ByteBuffer message(&slice, 1);
  grpc::ByteBuffer answer;
  std::promise<grpc::Status> ended;
  generic.UnaryCall(&context, method, {}, &message, &answer,
                    [&](grpc::Status status) { ended.set_value(std::move(status)); });
  return ended.get_future().get().error_code();
}

std::string unknown_field(std::size_t bytes) {
  v1::GetStatusRequest request;
  *request.GetReflection()->MutableUnknownFields(&request)->AddLengthDelimited(99) = std::string(bytes, 'x');
  return request.SerializeAsString();
}

TEST_F(GrpcServerTest, MessagesOfHealthAndReflectionAreSmall) {
  serve();
  const auto channel = channel_to("unix:" + socket, grpc::InsecureChannelCredentials());
  EXPECT_EQ(raw_code(channel, kCheck, "\x0a\x01x"), StatusCode::NOT_FOUND);
  EXPECT_EQ(raw_code(channel, kReflection, std::string("\x3a\x00", 2)), StatusCode::OK);
  for (const char* method : {kCheck, kReflection}) {
    EXPECT_EQ(raw_code(channel, method, unknown_field(60 << 10)), StatusCode::OK) << method;
    EXPECT_EQ(raw_code(channel, method, "\x12\xff"), StatusCode::INVALID_ARGUMENT) << method;
  }
  for (const char* method : {kCheck, kWatch, kReflection}) {
    EXPECT_EQ(raw_code(channel, method, unknown_field(65 << 10)), StatusCode::RESOURCE_EXHAUSTED) << method;
  }
}

/// A stream of a service that has no stub here.
class RawStream {
 public:
  RawStream(const std::shared_ptr<grpc::Channel>& channel, const std::string& method) : generic_(channel) {
    context_.set_deadline(std::chrono::system_clock::now() + kSoon);
    stream_ = generic_.PrepareCall(&context_, method, &queue_);
    stream_->StartCall(nullptr);
    wait();
  }
  void send(const std::string& message) {
    const grpc::Slice slice(message);
    stream_->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    wait();
  }
  void half_close() {
    stream_->WritesDone(nullptr);
    wait();
  }
  /// The next message; nothing: there is none.
  std::optional<std::string> next() {
    grpc::ByteBuffer answer;
    stream_->Read(&answer, nullptr);
    std::vector<grpc::Slice> slices;
    if (!wait() || !answer.Dump(&slices).ok()) return std::nullopt;
    std::string bytes;
    for (const grpc::Slice& part : slices) bytes.append(reinterpret_cast<const char*>(part.begin()), part.size());
    return bytes;
  }
  StatusCode finish() {
    grpc::Status status;
    stream_->Finish(&status, nullptr);
    wait();
    return status.error_code();
  }

 private:
  bool wait() {
    void* tag = nullptr;
    bool good = false;
    return queue_.Next(&tag, &good) && good;
  }

  grpc::GenericStub generic_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
};

TEST_F(GrpcServerTest, AWatcherOfHealthSeesChanges) {
  serve();
  RawStream stream(channel_to("unix:" + socket, grpc::InsecureChannelCredentials()), kWatch);
  stream.send("");
  EXPECT_EQ(stream.next(), "\x08\x01");
  server->set_serving(false);
  EXPECT_EQ(stream.next(), "\x08\x02");
  server->set_serving(true);
  EXPECT_EQ(stream.next(), "\x08\x01");
  server->stop(Deadline::never());  // waits for no watcher
  EXPECT_EQ(stream.next(), std::nullopt);
  EXPECT_EQ(stream.finish(), StatusCode::UNAVAILABLE);
}

TEST_F(GrpcServerTest, ReflectionAnswersOneQuestionAfterTheOther) {
  serve();
  RawStream stream(channel_to("unix:" + socket, grpc::InsecureChannelCredentials()), kReflection);
  const auto ask = [&](char field, const std::string& what) {
    stream.send(std::string(1, static_cast<char>(field << 3 | 2)) + static_cast<char>(what.size()) + what);
    return stream.next().value_or("");
  };
  for (const auto& [field, what] :
       {std::pair(3, "cuzk/v1/proving.proto"), std::pair(4, "cuzk.v1.ProvingEngine"),
        std::pair(4, "cuzk.v1.ProvingEngine.Prove"), std::pair(4, "cuzk.v1.ProveRequest")}) {
    EXPECT_NE(ask(static_cast<char>(field), what).find("WatchJobRequest"), std::string::npos)
        << what;  // another one of the file
  }
  EXPECT_NE(ask(4, "grpc.health.v1.Health").find("HealthCheckRequest"), std::string::npos);
  EXPECT_NE(ask(4, "no.such.symbol").find("nothing is known of no.such.symbol"), std::string::npos);
  EXPECT_NE(ask(6, "cuzk.v1.ProveRequest").find("cuzk.v1.ProveRequest"), std::string::npos);
  stream.half_close();
  EXPECT_EQ(stream.next(), std::nullopt);
  EXPECT_EQ(stream.finish(), StatusCode::OK);
}

TEST_F(GrpcServerTest, StreamsOfReflectionEndWithTheServer) {
  serve();
  RawStream stream(channel_to("unix:" + socket, grpc::InsecureChannelCredentials()), kReflection);
  stream.send(std::string("\x3a\x00", 2));
  EXPECT_TRUE(stream.next());
  server->stop(Deadline::never());
  EXPECT_EQ(stream.next(), std::nullopt);
  EXPECT_NE(stream.finish(), StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(GrpcServerTest, HealthAsksForNoToken) {
  GrpcOptions options;
  options.listen = {must(parse_listen_address("127.0.0.1:0"))};
  options.service.token = "secret";
  serve(options);
  const auto channel = channel_to(server->addresses().at(0).to_string(), grpc::InsecureChannelCredentials());
  EXPECT_EQ(raw_call(channel, kCheck, ""), "\x08\x01");
  EXPECT_NE(raw_call(channel, kReflection, std::string("\x3a\x00", 2)), "");
}

TEST_F(GrpcServerTest, CallsThatSendNothingKeepNoSmallMessageOut) {
  GrpcOptions options;
  options.service.receiving_patience = std::chrono::hours(1);
  serve(options);
  const auto channel = channel_to("unix:" + socket, grpc::InsecureChannelCredentials());
  test::RawHttp2 silent(socket);
  for (const char* method : {"/cuzk.v1.ProvingEngine/GetStatus", kCheck, kReflection}) {
    const std::uint32_t oldest = silent.open(method);
    for (int i = 0; i < 1500; ++i) silent.open(method);
    EXPECT_TRUE(silent.is_answered(oldest)) << method;  // refused, since others came
    // While the server still takes in the flood, a call of ours may be the oldest that is silent for a moment.
    v1::GetStatusResponse status;
    EXPECT_TRUE(test::eventually([&] { return call(&Stub::GetStatus, v1::GetStatusRequest(), status).ok(); }));
    EXPECT_TRUE(test::eventually([&] { return raw_code(channel, kCheck, "") == StatusCode::OK; }));
    const std::string list("\x3a\x00", 2);
    EXPECT_TRUE(test::eventually([&] { return raw_code(channel, kReflection, list) == StatusCode::OK; }));
  }
}

TEST_F(GrpcServerTest, WhatCallersSendIsNotHeldWithoutEnd) {
  constexpr std::uint64_t kHeld = 64 << 20;
  GrpcOptions options;
  options.max_held_bytes = kHeld;
  serve(options);
  const auto channel = channel_to("unix:" + socket, grpc::InsecureChannelCredentials());
  for (const char* method : {kCheck, kReflection, "/cuzk.v1.ProvingEngine/GetStatus", "/cuzk.v1.ProvingEngine/Prove"}) {
    test::RawHttp2 client(socket);
    EXPECT_LT(client.push(client.open(method), 1U << 30), 4 * kHeld) << method;
    // What gRPC ended to stay below may have been somebody else's: who calls again is answered.
    EXPECT_TRUE(test::eventually([&] { return raw_code(channel, kCheck, "") == StatusCode::OK; })) << method;
    EXPECT_TRUE(test::eventually([&] { return submit_code(window_request()) == StatusCode::OK; })) << method;
  }
}

TEST_F(GrpcServerTest, TheSocketHasItsModeAndIsNotShared) {
  GrpcOptions options;
  options.socket_mode = 0600;
  serve(options);
  struct stat found{};
  ASSERT_EQ(lstat(socket.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  options.listen = {must(parse_listen_address("unix://" + socket))};
  EXPECT_EQ(GrpcServer::start(proving, options).error().code(), Code::conflict);
  EXPECT_EQ(submit_code(window_request()), StatusCode::OK);  // the first one still answers
  server.reset();
  EXPECT_NE(lstat(socket.c_str(), &found), 0);
  EXPECT_TRUE(GrpcServer::start(proving, options));
}

TEST_F(GrpcServerTest, PortsAreNotShared) {
  GrpcOptions options;
  options.listen = {must(parse_listen_address("127.0.0.1:0"))};
  serve(options);
  const ListenAddress taken = server->addresses().at(0);
  EXPECT_NE(taken.port, 0);
  options.listen = {taken};
  EXPECT_EQ(GrpcServer::start(proving, options).error().code(), Code::conflict);
}

TEST_F(GrpcServerTest, CallersOfTcpShowTheToken) {
  GrpcOptions options;
  options.listen = {must(parse_listen_address("localhost:0"))};
  options.service.token = "secret";
  serve(options);
  const auto tcp = v1::ProvingEngine::NewStub(
      channel_to("127.0.0.1:" + std::to_string(server->addresses().at(0).port), grpc::InsecureChannelCredentials()));
  const auto code = [&](const char* header) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kSoon);
    if (header != nullptr) context.AddMetadata("authorization", header);
    v1::SubmitProofResponse response;
    return tcp->SubmitProof(&context, window_request(), &response).error_code();
  };
  EXPECT_EQ(code(nullptr), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code("Bearer wrong!"), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code("Bearer secret2"), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code("secret"), StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(proving.received.empty());  // their messages stay with them
  EXPECT_EQ(code("Bearer secret"), StatusCode::OK);
  EXPECT_EQ(submit_code(window_request()), StatusCode::OK);  // the unix socket has its mode instead
}

/// How a call ends whose message is not sent.
StatusCode code_without_a_message(const std::shared_ptr<grpc::Channel>& channel, const std::string& method) {
  grpc::GenericStub generic(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kSoon);
  grpc::CompletionQueue queue;
  const auto stream = generic.PrepareCall(&context, "/cuzk.v1.ProvingEngine/" + method, &queue);
  void* tag = nullptr;
  bool good = false;
  stream->StartCall(nullptr);
  queue.Next(&tag, &good);
  grpc::Status status;
  stream->Finish(&status, nullptr);
  queue.Next(&tag, &good);
  return status.error_code();
}

TEST_F(GrpcServerTest, NoMessageIsReadBeforeTheToken) {
  GrpcOptions options;
  options.listen = {must(parse_listen_address("127.0.0.1:0"))};
  options.service.token = "secret";
  serve(options);
  const auto channel = channel_to(server->addresses().at(0).to_string(), grpc::InsecureChannelCredentials());
  const auto* const service = v1::SubmitProofRequest::descriptor()->file()->service(0);
  for (int i = 0; i < service->method_count(); ++i) {
    const std::string& method = service->method(i)->name();
    EXPECT_EQ(code_without_a_message(channel, method), StatusCode::UNAUTHENTICATED) << method;
  }
}

TEST_F(GrpcServerTest, MessagesWithoutAPayloadAreSmall) {
  serve();
  const auto unary = [&](auto method, auto request, auto response) {
    auto& unknown = *request.GetReflection()->MutableUnknownFields(&request);
    *unknown.AddLengthDelimited(99) = std::string(60 << 10, 'x');
    EXPECT_NE(call(method, request, response).error_code(), StatusCode::RESOURCE_EXHAUSTED);
    *unknown.AddLengthDelimited(99) = std::string(5 << 10, 'x');
    EXPECT_EQ(call(method, request, response).error_code(), StatusCode::RESOURCE_EXHAUSTED);
    unknown.Clear();
    for (int i = 0; i < 20'000; ++i) unknown.AddVarint(99, 1);
    EXPECT_EQ(call(method, request, response).error_code(), StatusCode::INVALID_ARGUMENT);
  };
  unary(&Stub::AwaitProof, v1::AwaitProofRequest(), v1::AwaitProofResponse());
  unary(&Stub::CancelProof, v1::CancelProofRequest(), v1::CancelProofResponse());
  unary(&Stub::GetStatus, v1::GetStatusRequest(), v1::GetStatusResponse());
  unary(&Stub::GetMetrics, v1::GetMetricsRequest(), v1::GetMetricsResponse());
  unary(&Stub::ListJobs, v1::ListJobsRequest(), v1::ListJobsResponse());
  unary(&Stub::PreloadSRS, v1::PreloadSrsRequest(), v1::PreloadSrsResponse());
  unary(&Stub::EvictSRS, v1::EvictSrsRequest(), v1::EvictSrsResponse());

  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kSoon);
  v1::WatchJobRequest watched;
  watched.set_job_id(std::string(65 << 10, 'x'));
  EXPECT_EQ(stub->WatchJob(&context, watched)->Finish().error_code(), StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(GrpcServerTest, TextsOfRefusalsAreCut) {
  serve();
  for (const std::string& id : {std::string(60 << 10, 'x'), std::string(60 << 10, '\x01')}) {
    v1::AwaitProofResponse response;
    const grpc::Status refused = await(id, response);
    EXPECT_EQ(refused.error_code(), StatusCode::NOT_FOUND);
    EXPECT_LE(refused.error_message().size(), 1536U);
    EXPECT_TRUE(refused.error_message().ends_with("...")) << refused.error_message();
  }
}

TEST_F(GrpcServerTest, TlsWithCertificatesOfClients) {
  GrpcOptions options;
  options.listen = {must(parse_listen_address("localhost:0"))};
  options.tls_certificate = test::kServerCertificate;
  options.tls_key = test::kServerKey;
  options.tls_client_ca = test::kRoots;
  serve(options);
  const std::string target = "localhost:" + std::to_string(server->addresses().at(0).port);
  const auto code = [&](const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kSoon);
    v1::SubmitProofResponse response;
    return v1::ProvingEngine::NewStub(channel_to(target, credentials))
        ->SubmitProof(&context, window_request(), &response)
        .error_code();
  };
  EXPECT_EQ(code(grpc::SslCredentials({test::kRoots, test::kClientKey, test::kClientCertificate})), StatusCode::OK);
  EXPECT_EQ(code(grpc::SslCredentials({test::kRoots, "", ""})), StatusCode::UNAVAILABLE);
  EXPECT_EQ(code(grpc::InsecureChannelCredentials()), StatusCode::UNAVAILABLE);
  EXPECT_EQ(submit_code(window_request()), StatusCode::OK);  // the unix socket is plain
}

TEST_F(GrpcServerTest, StoppingEndsTheCallsThatWait) {
  serve();
  std::promise<StatusCode> ended;
  std::thread caller([&] {
    v1::ProveResponse response;
    ended.set_value(prove(window_request(), response).error_code());
  });
  proving.job(0);
  server->stop(Deadline::after(std::chrono::milliseconds(50)));
  EXPECT_NE(ended.get_future().get(), StatusCode::OK);
  caller.join();
  EXPECT_TRUE(proving.job(0)->status().is_open());
}

TEST(GrpcOptions, ComeFromTheConfiguration) {
  const test::TemporaryFolder folder;
  Config config;
  config.daemon.token_file = folder.file("token");
  EXPECT_EQ(grpc_options(config).error().code(), Code::not_found);
  std::ofstream(config.daemon.token_file) << "\nsecond line";
  EXPECT_EQ(grpc_options(config).error().code(), Code::malformed);
  std::ofstream(config.daemon.token_file) << "secret\n";
  config.daemon.listen = {"0.0.0.0:9820", "unix:///a"};
  config.daemon.max_calls = 5;
  const GrpcOptions options = must(grpc_options(config));
  EXPECT_EQ(options.service.token, "secret");
  EXPECT_EQ(options.service.max_calls, 5U);
  EXPECT_EQ(options.listen.size(), 2U);
}

TEST(GrpcOptions, OpenAddressesAreWarnedOf) {
  GrpcOptions options;
  options.listen = {must(parse_listen_address("127.0.0.1:1")), must(parse_listen_address("unix:///a"))};
  EXPECT_TRUE(exposure_warnings(options).empty());
  options.listen.push_back(must(parse_listen_address("0.0.0.0:9820")));
  EXPECT_EQ(exposure_warnings(options).size(), 2U);
  options.service.token = "t";
  EXPECT_EQ(exposure_warnings(options).size(), 1U);
  options.tls_certificate = "c";
  EXPECT_TRUE(exposure_warnings(options).empty());
}

}  // namespace
}  // namespace cuzk::server
