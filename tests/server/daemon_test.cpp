#include "server/daemon.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <cuzk/v1/proving.grpc.pb.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "engine/circom_jobs.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "support/log.h"
#include "support/mapped_file.h"
#include "tests/formats/samples.h"
#include "tests/server/http_client.h"
#include "tests/server/notify_socket.h"
#include "tests/support/eventually.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::server {
namespace {

using test::must;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Sample = test::Sample<Bn254>;

class DaemonTest : public ::testing::Test {
 protected:
  DaemonTest() {
    write_key(1);
    must(formats::write_wtns<Bn254>(folder.file("right.wtns"), Sample::witness()));
    std::filesystem::create_directory(folder.file("params"));
    config.daemon.listen = {"unix://" + folder.file("s")};
    config.daemon.drain_timeout = std::chrono::seconds(30);
    config.memory.total_budget = std::uint64_t{1} << 30;
    config.srs.param_cache = folder.file("params");
    config.journal.folder = folder.file("journal");
    config.circom.keys["cubic"] = folder.file("cubic.zkey");
  }

  /// Of the circuit; another one for each number.
  void write_key(std::uint64_t number) const {
    using Fr = Sample::Fr;
    Arena arena;
    const auto trapdoor = groth16::Trapdoor<Fr>::given({.tau = Fr::from_u64(1234567),
                                                        .alpha = Fr::from_u64(2345678),
                                                        .beta = Fr::from_u64(3456789),
                                                        .gamma = Fr::from_u64(4567890),
                                                        .delta = Fr::from_u64(5678901 + number)});
    const auto key = must(groth16::setup<Bn254>(arena, Sample::circuit(), trapdoor,
                                                groth16::QuotientBasis::odd_coset_lagrange, RootFamily::iden3));
    must(formats::write_zkey(folder.file("cubic.zkey"), key, Sample::circuit()));
  }

  std::unique_ptr<Daemon> start() { return must(Daemon::start(config, {})); }

  static bool becomes_ready(const Daemon& daemon) {
    return test::eventually([&] { return daemon.ready(); });
  }

  std::unique_ptr<v1::ProvingEngine::Stub> client() const {
    return v1::ProvingEngine::NewStub(
        grpc::CreateChannel("unix:" + folder.file("s"), grpc::InsecureChannelCredentials()));
  }

  /// The job's id; empty: refused.
  std::string submit(const std::string& label, const std::string& key = "cubic") const {
    const MappedFile wtns = must(MappedFile::open(folder.file("right.wtns")));
    v1::SubmitCircomProofRequest request;
    request.set_request_id(label);
    request.set_key_id(key);
    request.set_wtns(std::string(bytes_text(wtns.bytes())));
    grpc::ClientContext context;
    v1::SubmitProofResponse response;
    return client()->SubmitCircomProof(&context, request, &response).ok() ? response.job_id() : "";
  }

  v1::AwaitProofResponse await(const std::string& job) const {
    v1::AwaitProofRequest request;
    request.set_job_id(job);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    v1::AwaitProofResponse response;
    client()->AwaitProof(&context, request, &response);
    return response;
  }

  const test::TemporaryFolder folder;
  Config config;
};

TEST_F(DaemonTest, ListensProvesAndStops) {
  const auto daemon = start();
  EXPECT_THAT(daemon->addresses(), ElementsAre("unix://" + folder.file("s")));
  EXPECT_TRUE(becomes_ready(*daemon));
  EXPECT_THAT(daemon->warnings(), Not(Contains(HasSubstr("journal"))));
  EXPECT_EQ(await(submit("mine")).status(), v1::AwaitProofResponse::COMPLETED);

  const Daemon::Drained drained = daemon->drain();
  EXPECT_EQ(drained.open_jobs, 0U);
  EXPECT_TRUE(drained.kept);
  EXPECT_FALSE(daemon->ready());
  EXPECT_EQ(submit("late"), "");
  EXPECT_EQ(await("mine").status(), v1::AwaitProofResponse::COMPLETED);
  daemon->stop();
  EXPECT_EQ(await("mine").status(), v1::AwaitProofResponse::UNKNOWN);
}

TEST_F(DaemonTest, ResultsOutliveTheProcess) {
  {
    const auto daemon = start();
    EXPECT_EQ(await(submit("mine")).status(), v1::AwaitProofResponse::COMPLETED);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("s")));
  const auto daemon = start();
  EXPECT_EQ(await("mine").status(), v1::AwaitProofResponse::COMPLETED);
}

TEST_F(DaemonTest, PayloadsHaveSoMuchOfTheDisk) {
  config.journal.max_spool_bytes = 1;
  const auto daemon = start();
  EXPECT_EQ(submit("mine"), "");
}

TEST_F(DaemonTest, WithoutAJournalItWarns) {
  config.journal.folder.clear();
  EXPECT_THAT(start()->warnings(), Contains(HasSubstr("no journal.folder")));
  const auto daemon = must(Daemon::start(config, {.parameters = "",
                                                  .state_directory = folder.file("state"),
                                                  .cache_directory = "",
                                                  .log_level = "",
                                                  .timing = false}));
  EXPECT_THAT(daemon->warnings(), Not(Contains(HasSubstr("no journal.folder"))));
  EXPECT_TRUE(std::filesystem::exists(folder.file("state") + "/journal.sqlite"));
}

TEST_F(DaemonTest, IsReadyWhenWhatItIsToldToPreloadIsResident) {
  config.srs.preload = {"cubic"};
  const auto daemon = start();
  ASSERT_TRUE(becomes_ready(*daemon));
  grpc::ClientContext context;
  v1::GetStatusResponse status;
  ASSERT_TRUE(client()->GetStatus(&context, {}, &status).ok());
  ASSERT_EQ(status.loaded_srs_size(), 1);
  EXPECT_EQ(status.loaded_srs(0).circuit_id(), "cubic");
}

TEST_F(DaemonTest, WhatCannotBePreloadedKeepsItFromBeingReadyUntilAReload) {
  config.srs.preload = {"cubic", "winning-2k"};
  const auto daemon = start();
  EXPECT_TRUE(test::eventually([&] { return !daemon->warnings().empty(); }));
  EXPECT_THAT(daemon->warnings(), ElementsAre(StartsWith("winning-2k is not preloaded: ")));
  EXPECT_FALSE(daemon->ready());
  EXPECT_EQ(await(submit("mine")).status(), v1::AwaitProofResponse::COMPLETED);

  Config wanted = config;
  wanted.srs.preload = {"cubic"};
  const ReloadPlan plan = must(daemon->reload(wanted));
  EXPECT_THAT(plan.applied, ElementsAre("srs.preload"));
  EXPECT_TRUE(becomes_ready(*daemon));
  EXPECT_THAT(daemon->warnings(), IsEmpty());
}

TEST_F(DaemonTest, ReadinessSaysWhatIsMissing) {
  config.srs.preload = {"winning-2k"};
  config.daemon.status_listen = "127.0.0.1:0";
  const auto daemon = start();
  const ListenAddress at = must(parse_listen_address(daemon->addresses()[1].substr(7)));
  const auto answer = [&] { return http(at, "GET", "/readyz", "Host: localhost\r\n"); };
  HttpAnswer missing;
  const auto is_said = [&] {  // between two attempts
    missing = answer();
    return missing.body.starts_with("not ready: winning-2k is not preloaded: ");
  };
  EXPECT_TRUE(test::eventually(is_said)) << missing.body;
  EXPECT_EQ(missing.status, 503);
  must(daemon->reload([&] {
    Config wanted = config;
    wanted.srs.preload.clear();
    return wanted;
  }()));
  EXPECT_TRUE(becomes_ready(*daemon));
  EXPECT_EQ(answer().body, "ready\n");
  static_cast<void>(daemon->drain());
  EXPECT_EQ(answer().body, "not ready: stopping\n");
}

/// What the log says, while it lives.
class Heard {
 public:
  Heard()
      : former_(set_log_sink([this](const LogRecord& record) {
          const std::lock_guard lock(mutex_);
          messages_.emplace_back(record.message);
        })) {}
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;
  ~Heard() { set_log_sink(std::move(former_)); }

  std::vector<std::string> messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
  LogSink former_;
};

TEST_F(DaemonTest, TimingRecordsAreEventsOfAJsonLogAndLinesElse) {
  Environment environment;
  environment.timing = true;
  config.logging.format = "json";
  std::filesystem::copy(folder.file("cubic.zkey"), folder.file("again.zkey"));
  config.circom.keys["again"] = folder.file("again.zkey");
  const Heard heard;
  const auto daemon = must(Daemon::start(config, environment));
  EXPECT_EQ(await(submit("mine")).status(), v1::AwaitProofResponse::COMPLETED);
  const auto is_record = testing::AllOf(StartsWith("CUZK_TIMING: "), HasSubstr(" job=mine part=0 gpu=-1\nCUZK_TIMING:"),
                                        Not(testing::EndsWith("\n")));
  EXPECT_THAT(heard.messages(), Contains(is_record));

  config.logging.format = "text";
  must(daemon->reload(config));
  testing::internal::CaptureStderr();
  EXPECT_EQ(await(submit("other", "again")).status(), v1::AwaitProofResponse::COMPLETED);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("CUZK_TIMING: split_vectors_ms=0"));
}

TEST_F(DaemonTest, WithoutBeingAskedForThereAreNoTimingRecords) {
  const Heard heard;
  const auto daemon = start();
  EXPECT_EQ(await(submit("mine")).status(), v1::AwaitProofResponse::COMPLETED);
  EXPECT_THAT(heard.messages(), Not(Contains(HasSubstr("CUZK_TIMING"))));
}

TEST_F(DaemonTest, HttpTellsTheAddressAndTheEnd) {
  config.daemon.status_listen = "127.0.0.1:0";
  const auto daemon = start();
  ASSERT_EQ(daemon->addresses().size(), 2U);
  EXPECT_THAT(daemon->addresses()[1], ::testing::MatchesRegex("http://127\\.0\\.0\\.1:[1-9][0-9]*"));
  config.daemon.listen = {"unix://" + folder.file("t")};
  config.daemon.status_listen = daemon->addresses()[1].substr(7);
  config.journal.folder.clear();
  EXPECT_EQ(Daemon::start(config, {}).error().code(), Code::conflict);
}

TEST_F(DaemonTest, AReloadSaysWhatNeedsARestart) {
  const auto daemon = start();
  Config wanted = config;
  wanted.daemon.orphan_grace = std::chrono::seconds(3);
  wanted.daemon.max_calls = 7;
  const ReloadPlan plan = must(daemon->reload(wanted));
  EXPECT_THAT(plan.applied, ElementsAre("daemon.orphan_grace"));
  EXPECT_THAT(plan.ignored, ElementsAre("daemon.max_calls"));
  EXPECT_THAT(must(daemon->reload(config)).applied, ElementsAre("daemon.orphan_grace"));
}

TEST_F(DaemonTest, KeysComeAndGo) {
  const auto daemon = start();
  std::filesystem::copy(folder.file("cubic.zkey"), folder.file("other.zkey"));
  Config wanted = config;
  wanted.circom.keys["other"] = folder.file("other.zkey");
  EXPECT_THAT(must(daemon->reload(wanted)).applied, ElementsAre("circom.keys.*"));
  EXPECT_EQ(await(submit("with-other", "other")).status(), v1::AwaitProofResponse::COMPLETED);

  wanted.circom.keys.erase("cubic");
  EXPECT_THAT(must(daemon->reload(wanted)).applied, ElementsAre("circom.keys.*"));
  EXPECT_NE(await(submit("with-cubic")).status(), v1::AwaitProofResponse::COMPLETED);

  EXPECT_THAT(must(daemon->reload(config)).applied, ElementsAre("circom.keys.*"));
  EXPECT_EQ(await(submit("again")).status(), v1::AwaitProofResponse::COMPLETED);
}

TEST_F(DaemonTest, AnIdNeverStandsForAnotherFile) {
  const auto daemon = start();
  std::filesystem::copy(folder.file("cubic.zkey"), folder.file("other.zkey"));
  Config wanted = config;
  wanted.circom.keys["cubic"] = folder.file("other.zkey");
  const ReloadPlan plan = must(daemon->reload(wanted));
  EXPECT_THAT(plan.applied, IsEmpty());
  EXPECT_THAT(plan.ignored, ElementsAre("circom.keys.cubic"));
  EXPECT_EQ(plan.config.circom.keys, config.circom.keys);

  Config none = config;
  none.circom.keys.clear();
  must(daemon->reload(none));
  EXPECT_THAT(must(daemon->reload(wanted)).ignored, ElementsAre("circom.keys.cubic"));
}

TEST_F(DaemonTest, AnIdNeverStandsForAnotherKeyInTheSameFile) {
  const auto daemon = start();
  Config none = config;
  none.circom.keys.clear();
  must(daemon->reload(none));
  write_key(2);
  EXPECT_THAT(must(daemon->reload(config)).ignored, ElementsAre("circom.keys.cubic"));
  write_key(1);
  EXPECT_THAT(must(daemon->reload(config)).applied, ElementsAre("circom.keys.*"));
}

TEST_F(DaemonTest, AResultOfAnotherKeyIsNotDelivered) {
  const auto proof = [&] { return await(submit("mine")).proof(); };
  std::string of_first, again;
  {
    const auto daemon = start();
    of_first = proof();
    again = proof();
  }
  EXPECT_EQ(of_first, again);
  write_key(2);
  const auto daemon = start();
  EXPECT_EQ(submit("mine"), "mine#2");
  const v1::AwaitProofResponse result = await("mine#2");
  ASSERT_EQ(result.status(), v1::AwaitProofResponse::COMPLETED) << result.error_message();
  EXPECT_NE(result.proof(), of_first);
}

TEST_F(DaemonTest, AKeyThatCannotBeOpenedLeavesAllAsItWas) {
  const auto daemon = start();
  std::ofstream(folder.file("bad.zkey")) << "no key";
  Config wanted = config;
  wanted.circom.keys = {{"bad", folder.file("bad.zkey")}};
  wanted.daemon.orphan_grace = std::chrono::seconds(3);
  const auto reloaded = daemon->reload(wanted);
  ASSERT_FALSE(reloaded);
  EXPECT_THAT(reloaded.error().to_string(), HasSubstr("bad.zkey"));
  EXPECT_THAT(must(daemon->reload(config)).applied, IsEmpty());
  EXPECT_EQ(await(submit("mine")).status(), v1::AwaitProofResponse::COMPLETED);
}

TEST_F(DaemonTest, AnAddressThatIsTakenIsAnError) {
  const auto first = start();
  config.journal.folder = folder.file("other-journal");
  const auto second = Daemon::start(config, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), Code::conflict);
  EXPECT_THAT(second.error().to_string(), HasSubstr(folder.file("s")));
  EXPECT_EQ(submit("mine"), "mine");
}

TEST_F(DaemonTest, ASocketThatWasRemovedIsThereAgain) {
  const auto daemon = start();
  std::filesystem::remove(folder.file("s"));
  EXPECT_TRUE(test::eventually([&] { return !submit("mine").empty(); }));
  EXPECT_THAT(daemon->warnings(), Not(Contains(HasSubstr("socket"))));
  daemon->stop();
  EXPECT_EQ(submit("late"), "");
}

TEST_F(DaemonTest, WhatIsInTheWayOfASocketIsTold) {
  config.daemon.status_listen = "127.0.0.1:0";
  const auto daemon = start();
  const ListenAddress at = must(parse_listen_address(daemon->addresses()[1].substr(7)));
  const auto is_told = [&] {
    return http(at, "GET", "/status", "Host: localhost\r\n").body.find("is no socket") != std::string::npos;
  };
  std::filesystem::remove(folder.file("s"));
  std::filesystem::create_directory(folder.file("s"));
  EXPECT_TRUE(test::eventually(is_told));
  std::filesystem::remove(folder.file("s"));
  EXPECT_TRUE(test::eventually([&] { return !submit("mine").empty() && !is_told(); }));
}

TEST_F(DaemonTest, WarningsOfTheConfigurationStay) {
  const auto daemon = must(Daemon::start(config, {}, {"f:2: warning: x is deprecated"}));
  EXPECT_THAT(daemon->warnings(), Contains("f:2: warning: x is deprecated"));
}

TEST_F(DaemonTest, CheckFindsWhatStartWouldFind) {
  config.srs.preload = {"winning-2k"};
  config.daemon.listen.emplace_back("0.0.0.0:9820");
  const EnginePlan plan = must(Daemon::check(config, {}));
  std::vector<std::string> warnings;
  for (const auto& finding : plan.findings) warnings.push_back(finding.sentence);
  EXPECT_THAT(warnings, Contains(StartsWith("srs.preload: no key for winning-2k")));
  EXPECT_THAT(warnings, Contains(HasSubstr("anyone who reaches 0.0.0.0:9820")));
  EXPECT_EQ(plan.journal_folder, folder.file("journal"));
  EXPECT_FALSE(std::filesystem::exists(plan.journal_folder));

  config.daemon.token_file = folder.file("none");
  EXPECT_EQ(Daemon::check(config, {}).error().code(), Code::not_found);
}

TEST_F(DaemonTest, WhatDoesNotFitTogetherIsWarnedOf) {
  Arena arena;
  const auto catalogue = must(engine::circom_catalogue(arena, config.circom.keys));
  EnginePlan plan = must(plan_engine(config, {}));
  config.srs.preload = {"cubic"};
  EXPECT_THAT(budget_warnings(config, plan, *catalogue), IsEmpty());
  EXPECT_THAT(expected_circuits(config, plan, *catalogue), ElementsAre("cubic"));

  config.memory.critical_reserve = plan.budget_bytes;
  EXPECT_THAT(budget_warnings(config, plan, *catalogue), ElementsAre(StartsWith("srs.preload takes ")));
  EXPECT_THAT(expected_circuits(config, plan, *catalogue), IsEmpty());
}

/// Every circuit is there, and is cubic.
class LargeCatalogue final : public engine::Catalogue {
 public:
  explicit LargeCatalogue(const engine::Catalogue& cubic) : cubic_(cubic) {}
  Result<std::shared_ptr<const engine::ProvingCircuit>> find(std::string_view) const override {
    return cubic_.find("cubic");
  }

 private:
  const engine::Catalogue& cubic_;
};

TEST_F(DaemonTest, AShareOfPayloadsBelowOnePayloadIsWarnedOf) {
  Arena arena;
  const auto cubic = must(engine::circom_catalogue(arena, config.circom.keys));
  const LargeCatalogue catalogue(*cubic);
  EnginePlan plan = must(plan_engine(config, {}));
  EXPECT_THAT(budget_warnings(config, plan, catalogue),
              ElementsAre(HasSubstr("porep-32g may have 160"), HasSubstr("porep-64g may have 160")));
  plan.budget_bytes *= 2;
  EXPECT_THAT(budget_warnings(config, plan, catalogue), IsEmpty());
  config.memory.max_payloads = memory::kMiB;
  EXPECT_THAT(budget_warnings(config, plan, catalogue), ElementsAre(StartsWith("payloads have 1"), testing::_));
}

TEST_F(DaemonTest, CompiledCircuitsHaveAFolderOrNone) {
  EXPECT_EQ(must(plan_engine(config, {})).circuits, folder.file("params"));
  Environment environment;
  environment.cache_directory = folder.file("cache");
  EXPECT_EQ(must(plan_engine(config, environment)).circuits, folder.file("cache"));
  config.srs.circuit_cache = folder.file("set/deep");
  EXPECT_EQ(must(plan_engine(config, environment)).circuits, folder.file("set/deep"));
  static_cast<void>(start());
  EXPECT_TRUE(std::filesystem::is_directory(folder.file("set/deep")));

  config.srs.circuit_cache = folder.file("right.wtns/none");  // below a file
  const EnginePlan plan = must(plan_engine(config, environment));
  EXPECT_EQ(plan.circuits, "");
  EXPECT_THAT(plan.findings.back().sentence, HasSubstr("right.wtns/none; circuits are recorded anew"));
}

/// A service manager with a watchdog.
class Manager : public NotifySocket {
 public:
  explicit Manager(const std::string& path) : NotifySocket(path) {
    ::setenv("WATCHDOG_USEC", "3000000", 1);  // a ping a second: when its queue is full, whoever tells something waits
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;
  ~Manager() {
    for (const char* name : {"WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  }
};

/// A device that computes as the CPU does, until it breaks for good.
class FragileDevice final : public backend::Backend<Bn254> {
 public:
  using Key = backend::Key<Bn254>;
  using Circuit = backend::Circuit<Bn254>;
  using Ticket = backend::Ticket<Bn254>;

  static engine::Device device(std::shared_ptr<FragileDevice> backend) {
    engine::Device device;
    device.name = "card";
    device.is_cpu = false;
    device.bn254 = std::move(backend);
    return device;
  }

  Result<std::shared_ptr<const Key>> load_key(const groth16::ProvingKeyView<Bn254>& view,
                                              const std::stop_token& stop) override {
    return cpu_.load_key(view, stop);
  }
  Result<std::shared_ptr<const Circuit>> load_circuit(std::shared_ptr<const r1cs::CompiledCircuit<bn254::Fr>> circuit,
                                                      const std::stop_token& stop) override {
    return cpu_.load_circuit(std::move(circuit), stop);
  }
  Result<std::unique_ptr<Ticket>> prove_start(std::shared_ptr<const Key> key, std::shared_ptr<const Circuit> circuit,
                                              backend::ProvingInput<Bn254> input) override {
    CUZK_CHECK_OK(health());
    ++started;
    return cpu_.prove_start(std::move(key), std::move(circuit), std::move(input));
  }
  Result<groth16::Proof<Bn254>> prove_finish(std::unique_ptr<Ticket> ticket) override {
    return cpu_.prove_finish(std::move(ticket));
  }
  Status health() const override { return broken ? fail(Code::device, "an illegal address") : Status(); }

  std::atomic<bool> broken = false;
  std::atomic<int> started = 0;

 private:
  Arena arena_{1};
  backend::CpuBackend<Bn254> cpu_{arena_};
};

TEST_F(DaemonTest, ADeviceThatBreaksHasItStartedAgainWithItsJobs) {
  using Fr = Sample::Fr;
  const auto start_with = [&](const std::shared_ptr<FragileDevice>& card) {
    Environment environment;
    environment.restart.soonest = Milliseconds(0);
    environment.devices = {FragileDevice::device(card)};
    return must(Daemon::start(config, environment));
  };
  config.gpus.on_failure = OnDeviceFailure::restart;
  config.gpus.cpu_fallback = engine::CpuFallback::never;
  std::string job;
  {
    const auto card = std::make_shared<FragileDevice>();
    const auto daemon = start_with(card);
    EXPECT_EQ(await(submit("before")).status(), v1::AwaitProofResponse::COMPLETED);
    EXPECT_EQ(card->started, 1);
    EXPECT_EQ(daemon->restart_reason(), "");
    card->broken = true;
    const std::vector<Fr> values = {Fr::one(), Fr::from_u64(15), Fr::from_u64(2), Fr::from_u64(4), Fr::from_u64(8)};
    std::vector<U256> canonical;
    for (const Fr& value : values) canonical.push_back(value.canonical());
    must(formats::write_wtns<Bn254>(folder.file("right.wtns"), r1cs::Witness(std::move(canonical))));
    job = submit("caught");
    ASSERT_TRUE(test::eventually([&] { return !daemon->restart_reason().empty(); }));
    EXPECT_THAT(daemon->restart_reason(), HasSubstr("card is ill: "));
    const Daemon::Drained drained = daemon->drain();
    EXPECT_EQ(drained.open_jobs, 1U);
    EXPECT_TRUE(drained.kept);
    EXPECT_EQ(daemon->restart_reason(), "") << "it has begun";
    daemon->stop();
  }
  const auto card = std::make_shared<FragileDevice>();
  const auto daemon = start_with(card);
  EXPECT_EQ(await(job).status(), v1::AwaitProofResponse::COMPLETED);
  EXPECT_EQ(card->started, 1);
}

TEST_F(DaemonTest, CardsAreCountedFromZero) {
  Environment environment;
  for (int card = 0; card < 2; ++card) {
    environment.devices.push_back(FragileDevice::device(std::make_shared<FragileDevice>()));
  }
  const auto daemon = must(Daemon::start(config, environment));
  grpc::ClientContext context;
  v1::GetStatusResponse status;
  ASSERT_TRUE(client()->GetStatus(&context, {}, &status).ok());
  ASSERT_EQ(status.devices_size(), 3);
  for (int i = 0; i < 3; ++i) {
    const v1::DeviceStatus& device = status.devices(i);
    EXPECT_EQ(device.ordinal(), static_cast<unsigned>(i));
    EXPECT_EQ(device.is_cpu(), i == 2) << device.name();
  }
}

TEST_F(DaemonTest, WhoMayBeStartedAgain) {
  const auto restarts = [&](OnDeviceFailure what, bool supervised) {
    config.gpus.on_failure = what;
    Environment environment;
    environment.supervised = supervised;
    return must(plan_engine(config, environment)).restart.restarts;
  };
  EXPECT_FALSE(restarts(OnDeviceFailure::automatic, false));
  EXPECT_TRUE(restarts(OnDeviceFailure::automatic, true));
  EXPECT_TRUE(restarts(OnDeviceFailure::restart, false));
  EXPECT_FALSE(restarts(OnDeviceFailure::go_on, true));
}

TEST_F(DaemonTest, TellsTheServiceManager) {
  const Manager manager(folder.file("notify"));
  config.srs.preload = {"cubic"};
  const auto daemon = start();
  EXPECT_THAT(manager.until("STATUS=ready"),
              testing::AllOf(StartsWith("READY=1"), HasSubstr("STATUS=preloading cubic (1 of 1)")));
  manager.until("WATCHDOG=1");
  static_cast<void>(daemon->drain());
  manager.until("STOPPING=1\nSTATUS=draining");
  manager.until("EXTEND_TIMEOUT_USEC=30000000");
}

}  // namespace
}  // namespace cuzk::server
