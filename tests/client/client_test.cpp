// The client before a server whose jobs end as the tests say.

#include "client/client.h"

#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "server/grpc_server.h"
#include "tests/server/fake_proving.h"
#include "tests/server/tls_files.h"
#include "tests/support/eventually.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::client {
namespace {

using server::FakeJob;
using server::FakeProving;
using server::GrpcOptions;
using server::GrpcServer;
using test::must;

class ClientTest : public ::testing::Test {
 protected:
  void serve(GrpcOptions options = {}) {
    if (options.listen.empty()) options.listen.push_back(must(server::parse_listen_address(unix_address)));
    server = must(GrpcServer::start(proving, options));
  }
  std::unique_ptr<Client> connect(Connection connection) { return must(Client::create(std::move(connection))); }
  std::unique_ptr<Client> connect() { return connect({.address = must(parse_address(unix_address))}); }
  std::string tcp_address() const { return server->addresses()[0].to_string(); }

  const test::TemporaryFolder folder;
  const std::string unix_address = "unix://" + folder.file("s");
  FakeProving proving;
  std::unique_ptr<GrpcServer> server;
};

FilecoinProof window_proof(std::string label = "w") {
  return {.kind = Kind::window,
          .label = std::move(label),
          .priority = Priority::high,
          .registered_proof = 13,
          .sector_size = 2048,
          .sector_number = 7,
          .miner_id = 1001,
          .partition_index = 3,
          .randomness = std::string(32, 'r'),
          .payloads = {text_bytes("first"), text_bytes("second")},
          .deadline_ms = 5000,
          .repetition = 9};
}

std::string text_of(const engine::Payload& payload) { return std::string(bytes_text(payload.bytes)); }
std::string text_of(const std::vector<std::byte>& bytes) { return std::string(bytes_text(bytes)); }

TEST_F(ClientTest, SubmitsAllThatAProofHas) {
  serve();
  EXPECT_EQ(must(connect()->submit(window_proof())).job_id, "w");
  const server::Submission window = proving.submissions().at(0);
  const auto& work = std::get<server::FilecoinWork>(window.work);
  EXPECT_EQ(window.priority, engine::Priority::high);
  EXPECT_EQ(window.deadline, std::chrono::seconds(5));
  EXPECT_EQ(window.repetition, 9U);
  EXPECT_EQ(work.request.kind, filecoin::ProofKind::window);
  EXPECT_EQ(work.request.registered_proof, 13U);
  EXPECT_EQ(work.sector_size, 2048U);
  EXPECT_EQ(work.request.sector_number, 7U);
  EXPECT_EQ(work.request.miner_id, 1001U);
  EXPECT_EQ(text_of(work.request.randomness), std::string(32, 'r'));
  ASSERT_EQ(work.request.payloads.size(), 2U);
  EXPECT_EQ(text_of(work.request.payloads[1]), "second");

  FilecoinProof snap{.kind = Kind::snap,
                     .comm_r_old = std::string(32, 'a'),
                     .comm_r_new = std::string(32, 'b'),
                     .comm_d_new = std::string(32, 'c'),
                     .payloads = {text_bytes("p")}};
  must(connect()->submit(snap));
  const server::Submission second = proving.submissions().at(1);
  const auto& update = std::get<server::FilecoinWork>(second.work).request;
  EXPECT_EQ(text_of(update.comm_r_old) + text_of(update.comm_r_new) + text_of(update.comm_d_new),
            snap.comm_r_old + snap.comm_r_new + snap.comm_d_new);
  EXPECT_FALSE(second.priority);

  must(connect()->submit(FilecoinProof{.kind = Kind::porep, .payloads = {text_bytes("c1")}}));
  const server::Submission third = proving.submissions().at(2);
  EXPECT_EQ(text_of(std::get<server::FilecoinWork>(third.work).request.payloads.at(0)), "c1");
}

TEST_F(ClientTest, SubmitsWitnessesOfRegisteredKeys) {
  serve();
  must(connect()->submit(CircomProof{.key = "multiplier", .label = "m", .wtns = text_bytes("wtns"), .repetition = 4}));
  const server::Submission submission = proving.submissions().at(0);
  const auto& work = std::get<server::CircomWork>(submission.work);
  EXPECT_EQ(work.key, "multiplier");
  EXPECT_EQ(text_of(work.wtns), "wtns");
  EXPECT_EQ(submission.label, "m");
  EXPECT_EQ(submission.repetition, 4U);
}

TEST_F(ClientTest, ProveHasTheProofAndItsTimes) {
  serve();
  proving.on_job = [](FakeJob& job) { job.complete("pi"); };
  const auto client = connect();
  for (const Outcome& outcome : {must(client->prove(window_proof())), must(client->prove(CircomProof{.key = "k"}))}) {
    EXPECT_EQ(outcome.end, End::completed);
    EXPECT_EQ(outcome.proof, "pi");
    EXPECT_EQ(outcome.times.queue, 11U);
    EXPECT_EQ(outcome.times.key, 12U);
    EXPECT_EQ(outcome.times.witness, 13U);
    EXPECT_EQ(outcome.times.compute, 14U);
    EXPECT_EQ(outcome.times.total, 50U);
  }
}

TEST_F(ClientTest, AFailedProofSaysWhoseFaultItWas) {
  serve();
  const auto client = connect();
  proving.refuse = Code::malformed;
  const Outcome refused = must(client->prove(window_proof()));
  EXPECT_EQ(refused.end, End::failed);
  EXPECT_EQ(refused.failure, "caller");
  EXPECT_EQ(refused.error_code, "malformed");
  EXPECT_EQ(refused.error, "refused");

  proving.refuse.reset();
  const std::tuple<engine::FailureClass, Code, std::string, std::string> cases[] = {
      {engine::FailureClass::caller, Code::unsatisfied, "caller", "unsatisfied"},
      {engine::FailureClass::transient, Code::exhausted, "transient", "exhausted"},
      {engine::FailureClass::defect, Code::internal, "defect", "internal"},
      {engine::FailureClass::caller, Code::internal, "caller", ""},  // of the journal, which keeps no code
  };
  for (const auto& [failure, code, name, code_name] : cases) {
    proving.on_job = [failure = failure, code = code](FakeJob& job) {
      engine::JobResult result;
      result.state = engine::JobState::failed;
      result.error = "why";
      result.code = code;
      result.failure = failure;
      result.notes = {"partition 0: attempt 1 failed"};
      job.end(std::move(result));
    };
    const Outcome outcome = must(client->prove(window_proof()));
    EXPECT_EQ(outcome.end, End::failed);
    EXPECT_EQ(outcome.failure, name);
    EXPECT_EQ(outcome.error_code, code_name);
    EXPECT_EQ(outcome.error, "why");
    EXPECT_EQ(outcome.proof, "");
    EXPECT_EQ(outcome.notes, std::vector<std::string>{"partition 0: attempt 1 failed"});
  }
}

TEST_F(ClientTest, AwaitEndsWithTheJobOrItsTimeout) {
  serve();
  const auto client = connect();
  must(client->submit(window_proof("a")));
  const Outcome open = must(client->await("a", std::chrono::milliseconds(20)));
  EXPECT_EQ(open.end, End::timeout);
  EXPECT_EQ(open.job_id, "a");
  proving.job(0)->complete("pi");
  EXPECT_EQ(must(client->await("a")).proof, "pi");
  EXPECT_EQ(client->await("nobody").error().code(), Code::not_found);
}

TEST_F(ClientTest, AStopEndsAWait) {
  serve();
  const auto client = connect();
  must(client->submit(window_proof("a")));
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_EQ(client->await("a", {}, stop.get_token()).error().code(), Code::cancelled);
  EXPECT_EQ(client->prove(window_proof("b"), stop.get_token()).error().code(), Code::cancelled);
  EXPECT_EQ(client->watch("a", [](const JobState&) { return true; }, stop.get_token()).error().code(), Code::cancelled);
  EXPECT_TRUE(proving.job(0)->status().is_open());
}

TEST_F(ClientTest, CancelTellsOpenEndedAndUnknownApart) {
  serve();
  const auto client = connect();
  must(client->submit(window_proof("a")));
  EXPECT_TRUE(must(client->cancel("a")));
  EXPECT_FALSE(must(client->cancel("a")));
  EXPECT_EQ(client->cancel("nobody").error().code(), Code::not_found);
  EXPECT_EQ(must(client->await("a")).end, End::cancelled);
}

TEST_F(ClientTest, WatchesAJobToItsEnd) {
  serve();
  const auto client = connect();
  must(client->submit(window_proof("a")));
  std::vector<JobState> seen;
  must(client->watch("a", [&](const JobState& state) {
    if (seen.empty()) {
      proving.job(0)->change([](engine::JobStatus& status) {
        status.state = engine::JobState::running;
        status.kind = "window-post";
        status.finished_partitions = 1;
        status.partitions[1].stage = engine::Stage::proving;
      });
    } else if (seen.size() == 1) {
      proving.job(0)->complete("pi");
    }
    seen.push_back(state);
    return true;
  }));
  ASSERT_GE(seen.size(), 3U);
  EXPECT_EQ(seen[0].state, "accepted");
  EXPECT_EQ(seen[1].state, "running");
  EXPECT_EQ(seen[1].kind, "window-post");
  EXPECT_EQ(seen[1].finished_partitions, 1U);
  ASSERT_EQ(seen[1].progress.size(), 2U);
  EXPECT_EQ(seen[1].progress[1].stage, "proving");
  EXPECT_TRUE(seen[1].is_open());
  EXPECT_EQ(seen.back().state, "completed");
  EXPECT_FALSE(seen.back().is_open());

  std::size_t told = 0;
  must(client->watch("a", [&](const JobState&) {
    ++told;
    return false;
  }));
  EXPECT_EQ(told, 1U);
  EXPECT_EQ(client->watch("nobody", [](const JobState&) { return true; }).error().code(), Code::not_found);
}

TEST_F(ClientTest, ListsJobs) {
  serve();
  const auto client = connect();
  for (const char* label : {"a", "b", "c"}) must(client->submit(window_proof(label)));
  proving.job(1)->complete("pi");
  EXPECT_EQ(must(client->jobs()).size(), 3U);
  const auto open = must(client->jobs({.states = {"accepted"}, .limit = 1, .with_partitions = true}));
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].job_id, "c");
  EXPECT_EQ(open[0].progress.size(), 2U);
  EXPECT_EQ(client->jobs({.states = {"asleep"}}).error().code(), Code::invalid_argument);
}

TEST_F(ClientTest, TellsTheStateOfTheService) {
  engine::EngineSnapshot& shown = proving.shown;
  shown.uptime_ns = 90'000'000'000;
  shown.now_ns = 5'000'000'000;
  shown.kinds = {{"porep-c2", 2, 1}};
  shown.queues = {{"decode", 3, 8, 2'000'000}};
  engine::DeviceSnapshot device_shown;
  device_shown.ordinal = 1;
  device_shown.name = "H200";
  device_shown.is_cpu = false;
  device_shown.proofs = 4;
  device_shown.errors = 1;
  device_shown.busy_ns = 7'000'000;
  device_shown.max_in_flight = 2;
  device_shown.in_flight = {{"job", "porep-c2", 3, 4'000'000'000}};
  shown.devices.push_back(std::move(device_shown));
  shown.keys = {{.circuit = "porep-32g", .loading = true, .bytes = 99, .users = 2}};
  shown.memory.total = 1000;
  shown.memory.used = 300;
  shown.memory.by_tag[0].bytes = 200;
  shown.metrics.kinds["porep-c2"].completed = 12;
  serve();
  const auto client = connect();
  const ServiceState state = must(client->status());
  EXPECT_EQ(state.uptime_seconds, 90U);
  EXPECT_EQ(state.completed, 12U);
  EXPECT_FALSE(state.version.empty());
  EXPECT_TRUE(state.accepting);
  EXPECT_EQ(state.memory.total_bytes, 1000U);
  EXPECT_EQ(state.memory.used_bytes, 300U);
  EXPECT_EQ(state.memory.uses.at(0).tag, "key");
  EXPECT_EQ(state.memory.uses.at(0).bytes, 200U);
  EXPECT_EQ(state.pinned_limit_bytes, 1000U);
  EXPECT_EQ(state.queues.at(0).waiting, 2U);
  EXPECT_EQ(state.queues.at(0).running, 1U);
  EXPECT_EQ(state.stages.at(0).length, 3U);
  EXPECT_EQ(state.stages.at(0).oldest_ms, 2U);
  EXPECT_EQ(state.slots.size(), 2U);
  EXPECT_EQ(state.keys.at(0).tier, "warm");
  const ServiceState::Device& device = state.devices.at(0);
  EXPECT_EQ(device.name, "H200");
  EXPECT_FALSE(device.is_cpu);
  EXPECT_EQ(device.busy_ms, 7U);
  EXPECT_EQ(device.in_flight.at(0).partition, 3U);
  EXPECT_EQ(device.in_flight.at(0).age_ms, 1000U);
  EXPECT_NE(must(client->metrics()).find("cuzk_proofs_completed_total 12"), std::string::npos);

  EXPECT_EQ(must(client->preload("porep-2k")).load_ms, 7U);
  EXPECT_EQ(must(client->evict("porep-2k")).freed_bytes, 4096U);
  EXPECT_EQ(client->preload("porep-3k").error().code(), Code::not_found);
  EXPECT_EQ(client->evict("porep-3k").error().code(), Code::not_found);
}

TEST_F(ClientTest, WhereNobodyAnswersTheAddressIsTold) {
  const auto client = connect();
  const Error error = client->status().error();
  EXPECT_EQ(error.code(), Code::unavailable);
  EXPECT_NE(error.message().find("no service answers at unix:" + folder.file("s")), std::string::npos)
      << error.message();
  const auto refused = connect({.address = must(parse_address("127.0.0.1:1"))})->submit(window_proof());
  EXPECT_EQ(refused.error().code(), Code::unavailable);
}

TEST_F(ClientTest, AStoppingServiceIsToldFromNone) {
  serve();
  proving.refuse = Code::unavailable;
  const auto refused = connect()->submit(window_proof());
  EXPECT_EQ(refused.error().code(), Code::unavailable);
  EXPECT_EQ(refused.error().message(), "refused");
  proving.refuse = Code::exhausted;
  EXPECT_EQ(connect()->prove(window_proof()).error().code(), Code::exhausted);
}

TEST_F(ClientTest, WhereThereIsNoRoomItComesAgainWhenItIsTold) {
  serve();
  proving.delay = std::chrono::milliseconds(10);
  proving.on_job = [](FakeJob& job) { job.complete("pi"); };
  const auto patient = connect({.address = must(parse_address(unix_address)), .patience = std::chrono::seconds(30)});
  proving.full = 2;
  EXPECT_EQ(must(patient->submit(window_proof("a"))).job_id, "a");
  proving.full = 1;
  EXPECT_EQ(must(patient->prove(window_proof("b"))).proof, "pi");
  proving.full = 1;
  EXPECT_EQ(must(patient->submit(CircomProof{.key = "k", .label = "c"})).job_id, "c");
  EXPECT_EQ(proving.full, 0);

  proving.full = 1;
  EXPECT_EQ(connect()->submit(window_proof()).error().code(), Code::exhausted);
  proving.full = 1;
  proving.delay = std::chrono::minutes(1);  // later than the patience: it is told at once
  EXPECT_EQ(patient->submit(window_proof()).error().code(), Code::exhausted);
  proving.refuse = Code::conflict;
  EXPECT_EQ(patient->submit(window_proof()).error().code(), Code::conflict);
}

TEST_F(ClientTest, AStopEndsAWaitForRoom) {
  serve();
  proving.delay = std::chrono::minutes(1);
  proving.full = 1;
  const auto patient = connect({.address = must(parse_address(unix_address)), .patience = std::chrono::hours(1)});
  std::stop_source stop;
  const std::jthread stopper([&] {
    while (proving.full > 0) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_EQ(patient->submit(window_proof(), stop.get_token()).error().code(), Code::cancelled);
}

TEST_F(ClientTest, AServiceThatIsNotThereYetIsWaitedFor) {
  const auto patient = connect({.address = must(parse_address(unix_address)), .patience = test::kPatience});
  std::jthread caller([&] { EXPECT_EQ(must(patient->submit(window_proof("a"))).job_id, "a"); });
  const auto impatient = connect();
  EXPECT_EQ(impatient->submit(window_proof("b")).error().code(), Code::unavailable);
  serve();
}

TEST_F(ClientTest, AServiceThatStartsAgainIsWaitedFor) {
  serve();
  const auto patient = connect({.address = must(parse_address(unix_address)), .patience = test::kPatience});
  must(patient->submit(window_proof("a")));
  std::jthread awaiter([&] { EXPECT_EQ(must(patient->await("a", 2 * test::kPatience)).proof, "pi"); });
  std::jthread prover([&] { EXPECT_EQ(must(patient->prove(window_proof("b"))).proof, "pi"); });
  const auto waiters = [&] { return proving.job(0)->waiters() + proving.job(1)->waiters(); };
  ASSERT_TRUE(test::eventually([&] { return waiters() == 2; }));
  server.reset();
  proving.on_job = [](FakeJob& job) { job.complete("pi"); };
  serve();
  proving.job(0)->complete("pi");
}

TEST_F(ClientTest, ATimeoutEndsAWaitForAServiceToo) {
  const auto patient = connect({.address = must(parse_address(unix_address)), .patience = std::chrono::hours(1)});
  EXPECT_EQ(patient->await("a", std::chrono::milliseconds(50)).error().code(), Code::unavailable);
}

/// A port that takes connections and never says anything.
class SilentPort {
 public:
  SilentPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), length) != 0 || ::listen(socket_, 8) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      throw std::runtime_error("no port to listen at");
    }
    port_ = ntohs(address.sin_port);
  }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  ~SilentPort() { ::close(socket_); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  int socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  unsigned port_ = 0;
};

TEST_F(ClientTest, ASilentServiceIsGivenUp) {
  const SilentPort silent;
  const auto client =
      connect({.address = must(parse_address(silent.address())), .call_timeout = std::chrono::milliseconds(100)});
  const Error error = client->status().error();
  EXPECT_EQ(error.code(), Code::deadline);
  EXPECT_NE(error.message().find("gave no answer within 100 ms"), std::string::npos) << error.message();
  EXPECT_EQ(client->await("job").error().code(), Code::unavailable);  // its connection never came to be
}

TEST_F(ClientTest, ACallThatWaitsHasNoDeadline) {
  serve();
  const auto client =
      connect({.address = must(parse_address(unix_address)), .call_timeout = std::chrono::milliseconds(500)});
  proving.on_job = [](FakeJob&) { std::this_thread::sleep_for(std::chrono::milliseconds(700)); };
  EXPECT_TRUE(client->submit(window_proof()));
}

TEST_F(ClientTest, TokensOpenTcp) {
  GrpcOptions options;
  options.listen = {must(server::parse_listen_address("127.0.0.1:0"))};
  options.service.token = "secret";
  serve(options);
  const Address address = must(parse_address(tcp_address()));
  EXPECT_TRUE(connect({.address = address, .token = "secret"})->status());
  const auto refused = connect({.address = address, .token = "wrong"})->status();
  EXPECT_EQ(refused.error().code(), Code::invalid_argument);
  EXPECT_NE(refused.error().message().find("Bearer"), std::string::npos);
  EXPECT_FALSE(connect({.address = address})->status());
}

TEST_F(ClientTest, TlsOfBothSides) {
  GrpcOptions options;
  options.listen = {must(server::parse_listen_address("127.0.0.1:0"))};
  options.tls_certificate = test::kServerCertificate;
  options.tls_key = test::kServerKey;
  options.tls_client_ca = test::kRoots;
  serve(options);
  const Address address = must(parse_address("localhost:" + std::to_string(server->addresses()[0].port)));
  EXPECT_TRUE(connect({.address = address,
                       .tls_roots = test::kRoots,
                       .tls_certificate = test::kClientCertificate,
                       .tls_key = test::kClientKey})
                  ->status());
  EXPECT_EQ(connect({.address = address, .tls_roots = test::kRoots})->status().error().code(), Code::unavailable);
  EXPECT_EQ(connect({.address = address})->status().error().code(), Code::unavailable);
}

TEST_F(ClientTest, ConnectionsThatContradictThemselvesAreRefused) {
  const Address unix_socket = must(parse_address(unix_address));
  EXPECT_EQ(Client::create({.address = unix_socket, .tls_roots = test::kRoots}).error().code(), Code::invalid_argument);
  const Address tcp = must(parse_address("https://localhost:1"));
  EXPECT_EQ(Client::create({.address = tcp, .tls_certificate = "x"}).error().code(), Code::invalid_argument);
}

TEST_F(ClientTest, LargePayloadsAndProofsPass) {
  serve();
  const std::string payload(100 << 20, 'c');
  proving.on_job = [](FakeJob& job) { job.complete(std::string(20 << 20, 'p')); };
  const Outcome outcome = must(connect()->prove(FilecoinProof{.kind = Kind::porep, .payloads = {text_bytes(payload)}}));
  EXPECT_EQ(outcome.proof.size(), 20U << 20);
}

}  // namespace
}  // namespace cuzk::client
