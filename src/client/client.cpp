#include "client/client.h"

#include <algorithm>
#include <array>
#include <optional>

#include <cuzk/v1/proving.grpc.pb.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include "client/patience.h"
#include "support/clock.h"
#include "support/random.h"
#include "support/sleep.h"

namespace cuzk::client {
namespace {

using grpc::StatusCode;

/// With it the service marks what it refused itself.
constexpr const char* kCodeTrailer = "cuzk-code";

Code code_of(StatusCode status) noexcept {
  switch (status) {
    case StatusCode::INVALID_ARGUMENT:
    case StatusCode::UNAUTHENTICATED:
    case StatusCode::PERMISSION_DENIED:
    case StatusCode::OUT_OF_RANGE:
      return Code::invalid_argument;
    case StatusCode::NOT_FOUND:
      return Code::not_found;
    case StatusCode::RESOURCE_EXHAUSTED:
      return Code::exhausted;
    case StatusCode::CANCELLED:
      return Code::cancelled;
    case StatusCode::DEADLINE_EXCEEDED:
      return Code::deadline;
    case StatusCode::UNAVAILABLE:
      return Code::unavailable;
    case StatusCode::ABORTED:
      return Code::conflict;
    case StatusCode::FAILED_PRECONDITION:
      return Code::unsatisfied;
    case StatusCode::UNIMPLEMENTED:
      return Code::unsupported;
    default:
      return Code::internal;
  }
}

std::string text_of(StatusCode status, const std::string& message) {
  if (!message.empty()) return message;
  return "the call ended with status " + std::to_string(static_cast<int>(status));
}

constexpr std::chrono::milliseconds kShortestRest{100};

/// When the service wants to be asked again; nothing: it does not say.
std::optional<std::chrono::milliseconds> retry_delay_of(const grpc::Status& status) {
  google::rpc::Status details;
  if (status.ok() || !details.ParseFromString(status.error_details())) return std::nullopt;
  for (const auto& detail : details.details()) {
    google::rpc::RetryInfo retry;
    if (!detail.UnpackTo(&retry)) continue;
    const auto seconds = std::clamp<std::int64_t>(retry.retry_delay().seconds(), 0, 1'000'000);
    const std::chrono::milliseconds delay(seconds * 1000 + retry.retry_delay().nanos() / 1'000'000);
    return std::max(delay, kShortestRest);
  }
  return std::nullopt;
}

/// From [0, 1).
double random_fraction() {
  std::array<std::byte, 4> bytes{};
  static_cast<void>(fill_random(bytes).has_value());  // without: 0
  std::uint32_t number = 0;
  for (const std::byte byte : bytes) number = number << 8U | std::to_integer<std::uint32_t>(byte);
  return static_cast<double>(number) / 4294967296.0;
}

/// At least one: none would be no timeout.
std::uint64_t milliseconds_to(Deadline end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end.when() - Deadline::Clock::now());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
}

/// What the proofs' messages have in common.
template <class Message, class Proof> void set_common(const Proof& proof, Message& message) {
  message.set_request_id(proof.label);
  message.set_priority(static_cast<v1::Priority>(proof.priority));
  message.set_deadline_ms(proof.deadline_ms);
  message.set_repetition(proof.repetition);
}

void fill(const FilecoinProof& proof, v1::SubmitProofRequest& message) {
  set_common(proof, message);
  message.set_proof_kind(static_cast<v1::ProofKind>(proof.kind));
  message.set_registered_proof(proof.registered_proof);
  message.set_sector_size(proof.sector_size);
  message.set_sector_number(proof.sector_number);
  message.set_miner_id(proof.miner_id);
  message.set_partition_index(proof.partition_index);
  message.set_randomness(proof.randomness);
  message.set_comm_r_old(proof.comm_r_old);
  message.set_comm_r_new(proof.comm_r_new);
  message.set_comm_d_new(proof.comm_d_new);
  for (const Bytes payload : proof.payloads) {
    std::string* const to = proof.kind == Kind::porep ? message.mutable_vanilla_proof() : message.add_vanilla_proofs();
    to->assign(bytes_text(payload));
  }
}

void fill(const CircomProof& proof, v1::SubmitCircomProofRequest& message) {
  set_common(proof, message);
  message.set_key_id(proof.key);
  message.mutable_wtns()->assign(bytes_text(proof.wtns));
}

Accepted accepted_from(const v1::SubmitProofResponse& message) {
  return {message.job_id(), message.queue_position(), message.assigned_gpu()};
}

End end_from(int status) noexcept {
  switch (status) {
    case v1::AwaitProofResponse::COMPLETED:
      return End::completed;
    case v1::AwaitProofResponse::FAILED:
      return End::failed;
    case v1::AwaitProofResponse::CANCELLED:
      return End::cancelled;
    case v1::AwaitProofResponse::TIMEOUT:
      return End::timeout;
    default:
      return End::unknown;
  }
}

Outcome outcome_from(v1::AwaitProofResponse& message) {
  return {.job_id = message.job_id(),
          .end = end_from(message.status()),
          .proof = std::move(*message.mutable_proof()),
          .error = message.error_message(),
          .failure = message.failure(),
          .error_code = message.error_code(),
          .times = {.queue = message.queue_wait_ms(),
                    .key = message.srs_load_ms(),
                    .witness = message.synthesis_ms(),
                    .compute = message.gpu_compute_ms(),
                    .total = message.total_ms()},
          .notes = {message.notes().begin(), message.notes().end()}};
}

/// The names of an enumeration whose numbers begin with 0; of numbers that came later their digits.
template <std::size_t N> std::string name_from(const std::array<std::string_view, N>& names, int number) {
  if (number < 0 || static_cast<std::size_t>(number) >= N) return std::to_string(number);
  return std::string(names[static_cast<std::size_t>(number)]);
}

constexpr std::array<std::string_view, 6> kStates = {"unknown",   "accepted", "running",
                                                     "completed", "failed",   "cancelled"};
constexpr std::array<std::string_view, 7> kStages = {"waiting",   "witness", "queued", "proving",
                                                     "finishing", "done",    "failed"};
constexpr std::array<std::string_view, 5> kPriorities = {"", "low", "normal", "high", "critical"};
constexpr std::array<std::string_view, 3> kTiers = {"hot", "warm", "cold"};

PartitionState partition_from(const v1::PartitionProgress& message) {
  return {.index = message.index(),
          .stage = name_from(kStages, message.stage()),
          .attempts = message.attempts(),
          .device = message.device(),
          .error = message.error_message(),
          .witness_ms = message.witness_ms(),
          .evaluate_ms = message.evaluate_ms(),
          .device_queue_ms = message.device_queue_ms(),
          .prove_ms = message.prove_ms(),
          .verify_ms = message.verify_ms(),
          .queue_ms = message.queue_ms(),
          .key_ms = message.key_ms(),
          .memory_ms = message.memory_ms(),
          .note = message.note(),
          .memory_path = message.memory_path(),
          .pinned_bytes = message.pinned_bytes(),
          .pageable_bytes = message.pageable_bytes()};
}

JobState job_from(const v1::JobProgress& message) {
  JobState job{.job_id = message.job_id(),
               .label = message.request_id(),
               .kind = message.kind(),
               .circuit = message.circuit(),
               .priority = name_from(kPriorities, message.priority()),
               .state = name_from(kStates, message.state()),
               .partitions = message.partitions(),
               .finished_partitions = message.finished_partitions(),
               .decoding = message.decoding(),
               .payload_bytes = message.payload_bytes(),
               .age_ms = message.age_ms(),
               .error = message.error_message(),
               .failure = message.failure()};
  for (const v1::PartitionProgress& partition : message.progress()) job.progress.push_back(partition_from(partition));
  return job;
}

Result<v1::JobState::Code> state_number(const std::string& name) {
  for (std::size_t i = 1; i < kStates.size(); ++i) {
    if (kStates[i] == name) return static_cast<v1::JobState::Code>(i);
  }
  return fail(Code::invalid_argument, "\"" + name + "\" is no state of a job");
}

ServiceState::Memory memory_from(const v1::MemoryStatus& message) {
  ServiceState::Memory memory{.total_bytes = message.total_bytes(),
                              .used_bytes = message.used_bytes(),
                              .peak_bytes = message.peak_bytes(),
                              .available_bytes = message.available_bytes(),
                              .critical_reserve_bytes = message.critical_reserve_bytes(),
                              .uses = {},
                              .waiting = message.waiting(),
                              .pool_pinned_bytes = message.pool_pinned_bytes(),
                              .pool_pageable_bytes = message.pool_pageable_bytes(),
                              .pool_idle_bytes = message.pool_idle_bytes()};
  for (const auto& use : message.uses()) memory.uses.push_back({use.tag(), use.bytes()});
  return memory;
}

ServiceState::Device device_from(const v1::DeviceStatus& message) {
  ServiceState::Device device{.ordinal = message.ordinal(),
                              .name = message.name(),
                              .is_cpu = message.is_cpu(),
                              .in_service = message.in_service(),
                              .proofs = message.proofs(),
                              .errors = message.errors(),
                              .busy_ms = message.busy_ms(),
                              .max_in_flight = message.max_in_flight(),
                              .in_flight = {},
                              .trouble = message.trouble(),
                              .budget_bytes = message.budget_bytes(),
                              .used_bytes = message.used_bytes()};
  for (const auto& work : message.in_flight()) {
    device.in_flight.push_back({work.job_id(), work.kind(), work.partition(), work.age_ms()});
  }
  return device;
}

ServiceState service_from(const v1::GetStatusResponse& message) {
  ServiceState state;
  for (const auto& gpu : message.gpus()) {
    state.slots.push_back({gpu.ordinal(), gpu.name(), gpu.vram_total_bytes(), gpu.vram_free_bytes(),
                           gpu.current_job_id(), gpu.current_proof_kind()});
  }
  for (const auto& srs : message.loaded_srs()) {
    state.keys.push_back({srs.circuit_id(), name_from(kTiers, srs.tier()), srs.size_bytes(), srs.ref_count()});
  }
  for (const auto& queue : message.queues()) {
    state.queues.push_back({queue.proof_kind(), queue.pending(), queue.in_progress()});
  }
  state.completed = message.total_proofs_completed();
  state.failed = message.total_proofs_failed();
  state.uptime_seconds = message.uptime_seconds();
  state.pinned_bytes = message.pinned_memory_bytes();
  state.pinned_limit_bytes = message.pinned_memory_limit_bytes();
  state.version = message.version();
  state.accepting = message.accepting() || message.version().empty();
  state.memory = memory_from(message.memory());
  for (const auto& device : message.devices()) state.devices.push_back(device_from(device));
  for (const auto& stage : message.stages()) {
    state.stages.push_back({stage.name(), stage.length(), stage.capacity(), stage.oldest_ms()});
  }
  return state;
}

/// gRPC's own lines have no place among those of a program: what failed is in the status of the call.
void silence_grpc() {
  gpr_set_log_function([](gpr_log_func_args*) {});
}

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const Connection& connection, bool tls) {
  if (!tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = connection.tls_roots;
  options.pem_cert_chain = connection.tls_certificate;
  options.pem_private_key = connection.tls_key;
  return grpc::SslCredentials(options);
}

int milliseconds_of(std::chrono::nanoseconds span) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(span).count());
}

grpc::ChannelArguments channel_arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // the service is of this machine or its neighbour
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, milliseconds_of(Patience::kConnecting));
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  return arguments;
}

Status check(const Connection& connection, bool tls) {
  if (tls && connection.address.is_unix()) {
    return fail(Code::invalid_argument, "a unix socket has no TLS: its mode says who may use it");
  }
  if (connection.tls_certificate.empty() == connection.tls_key.empty()) return {};
  return fail(Code::invalid_argument, "a client's certificate and its key belong together");
}

}  // namespace

struct Client::Parts {
  template <class Request, class Response>
  using Method = grpc::Status (v1::ProvingEngine::Stub::*)(grpc::ClientContext*, const Request&, Response*);

  /// One call: its context, and the stop that ends it.
  class Call {
   public:
    Call(const Parts& parts, const StopToken& stop) : parts_(parts), cancel_(stop, Cancel{context_}) {
      if (!parts.connection.token.empty()) {
        context_.AddMetadata("authorization", "Bearer " + parts.connection.token);
      }
    }

    grpc::ClientContext& context() noexcept { return context_; }
    void set_patience(std::chrono::milliseconds patience) {
      patience_ = patience;
      context_.set_deadline(std::chrono::system_clock::now() + patience);
    }

    /// Whether the service itself has refused it.
    bool is_answered() const {
      const auto& trailers = context_.GetServerTrailingMetadata();
      return trailers.find(kCodeTrailer) != trailers.end();
    }

    Status ended(const grpc::Status& status) const {
      if (status.ok()) return {};
      const bool answered = is_answered();
      const Code code = code_of(status.error_code());
      const std::string text = text_of(status.error_code(), status.error_message());
      if (code == Code::unavailable && !answered) {
        return fail(Code::unavailable, "no service answers at " + parts_.connection.address.target + ": " + text);
      }
      if (code == Code::deadline && !answered) {
        return fail(Code::deadline, "the service at " + parts_.connection.address.target + " gave no answer within " +
                                        std::to_string(patience_.count()) + " ms");
      }
      return fail(code, text);
    }

   private:
    struct Cancel {
      grpc::ClientContext& context;
      void operator()() const { context.TryCancel(); }
    };

    const Parts& parts_;
    grpc::ClientContext context_;
    std::stop_callback<Cancel> cancel_;
    std::chrono::milliseconds patience_{0};
  };

  explicit Parts(Connection given) : connection(std::move(given)) {}

  /// Without patience: until it is answered.
  template <class Request, class Response>
  Status call(Method<Request, Response> method, const Request& request, Response& response, const StopToken& stop,
              std::optional<std::chrono::milliseconds> patience = std::nullopt) const {
    CUZK_CHECK_OK(check_stop(stop, "the call"));
    Call running(*this, stop);
    if (patience) running.set_patience(*patience);
    return running.ended((stub.get()->*method)(&running.context(), request, &response));
  }
  /// Until it is answered; and again, as long as the connection has patience and nothing of `end` is passed, where the
  /// service says when to come again, or does not answer. `begin` is called before each.
  template <class Request, class Response>
  Status call_patiently(
      Method<Request, Response> method, const Request& request, Response& response, const StopToken& stop,
      Deadline end = Deadline::never(), FunctionRef<void()> begin = [] {}) const {
    Patience patience(connection.patience);
    while (true) {
      CUZK_CHECK_OK(check_stop(stop, "the call"));
      begin();
      Call running(*this, stop);
      const Stopwatch watch;
      const grpc::Status status = (stub.get()->*method)(&running.context(), request, &response);
      const auto told = retry_delay_of(status);
      const bool is_away = status.error_code() == StatusCode::UNAVAILABLE && !running.is_answered();
      if (!told && !is_away) return running.ended(status);
      const std::chrono::nanoseconds lasted(watch.elapsed_ns());
      const auto rest = patience.rest_after(lasted, told, random_fraction());
      if (!rest || Deadline::after(*rest).when() > end.when()) return running.ended(status);
      static_cast<void>(stopped_within(*rest, stop));
    }
  }
  template <class Request, class Response>
  Status quick(Method<Request, Response> method, const Request& request, Response& response) const {
    return call(method, request, response, {}, connection.call_timeout);
  }

  const Connection connection;
  std::unique_ptr<v1::ProvingEngine::Stub> stub;
};

Client::Client(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::create(Connection connection) {
  const bool tls = connection.address.tls || !connection.tls_roots.empty() || !connection.tls_certificate.empty();
  CUZK_CHECK_OK(check(connection, tls));
  silence_grpc();
  auto parts = std::make_unique<Parts>(std::move(connection));
  parts->stub = v1::ProvingEngine::NewStub(grpc::CreateCustomChannel(
      parts->connection.address.target, credentials_of(parts->connection, tls), channel_arguments()));
  return std::unique_ptr<Client>(new Client(std::move(parts)));
}

Result<Accepted> Client::submit(const FilecoinProof& proof, const StopToken& stop) const {
  v1::SubmitProofRequest request;
  fill(proof, request);
  v1::SubmitProofResponse response;
  CUZK_CHECK_OK(parts_->call_patiently(&v1::ProvingEngine::Stub::SubmitProof, request, response, stop));
  return accepted_from(response);
}

Result<Accepted> Client::submit(const CircomProof& proof, const StopToken& stop) const {
  v1::SubmitCircomProofRequest request;
  fill(proof, request);
  v1::SubmitProofResponse response;
  CUZK_CHECK_OK(parts_->call_patiently(&v1::ProvingEngine::Stub::SubmitCircomProof, request, response, stop));
  return accepted_from(response);
}

Result<Outcome> Client::await(std::string_view job_id, std::chrono::milliseconds timeout, const StopToken& stop) const {
  v1::AwaitProofRequest request;
  request.set_job_id(std::string(job_id));
  const Deadline end = timeout.count() > 0 ? Deadline::after(timeout) : Deadline::never();
  const auto set_timeout = [&] {
    if (!end.is_never()) request.set_timeout_ms(milliseconds_to(end));
  };
  v1::AwaitProofResponse response;
  CUZK_CHECK_OK(
      parts_->call_patiently(&v1::ProvingEngine::Stub::AwaitProof, request, response, stop, end, set_timeout));
  return outcome_from(response);
}

Result<Outcome> Client::prove(const FilecoinProof& proof, const StopToken& stop) const {
  v1::ProveRequest request;
  fill(proof, *request.mutable_submit());
  v1::ProveResponse response;
  CUZK_CHECK_OK(parts_->call_patiently(&v1::ProvingEngine::Stub::Prove, request, response, stop));
  return outcome_from(*response.mutable_result());
}

Result<Outcome> Client::prove(const CircomProof& proof, const StopToken& stop) const {
  CUZK_TRY(const Accepted accepted, submit(proof, stop));
  return await(accepted.job_id, {}, stop);
}

Result<bool> Client::cancel(std::string_view job_id) const {
  v1::CancelProofRequest request;
  request.set_job_id(std::string(job_id));
  v1::CancelProofResponse response;
  CUZK_CHECK_OK(parts_->quick(&v1::ProvingEngine::Stub::CancelProof, request, response));
  if (response.was_running()) return true;
  // The answer is the same for a job that has ended and for one that never was.
  CUZK_CHECK_OK(await(job_id, std::chrono::milliseconds{1}));
  return false;
}

Result<std::vector<JobState>> Client::jobs(const JobFilter& filter) const {
  v1::ListJobsRequest request;
  request.set_kind(filter.kind);
  request.set_limit(filter.limit);
  request.set_with_partitions(filter.with_partitions);
  for (const std::string& name : filter.states) {
    CUZK_TRY(const auto number, state_number(name));
    request.add_states(number);
  }
  v1::ListJobsResponse response;
  CUZK_CHECK_OK(parts_->quick(&v1::ProvingEngine::Stub::ListJobs, request, response));
  std::vector<JobState> jobs;
  for (const v1::JobProgress& job : response.jobs()) jobs.push_back(job_from(job));
  return jobs;
}

Status Client::watch(std::string_view job_id, FunctionRef<bool(const JobState&)> told, const StopToken& stop) const {
  CUZK_CHECK_OK(check_stop(stop, "watching a job"));
  v1::WatchJobRequest request;
  request.set_job_id(std::string(job_id));
  Parts::Call running(*parts_, stop);
  const auto stream = parts_->stub->WatchJob(&running.context(), request);
  v1::JobProgress message;
  bool enough = false;
  while (!enough && stream->Read(&message)) enough = !told(job_from(message));
  if (enough) running.context().TryCancel();
  const grpc::Status status = stream->Finish();
  return enough ? Status() : running.ended(status);
}

Result<ServiceState> Client::status() const {
  v1::GetStatusResponse response;
  CUZK_CHECK_OK(parts_->quick(&v1::ProvingEngine::Stub::GetStatus, v1::GetStatusRequest(), response));
  return service_from(response);
}

Result<std::string> Client::metrics() const {
  v1::GetMetricsResponse response;
  CUZK_CHECK_OK(parts_->quick(&v1::ProvingEngine::Stub::GetMetrics, v1::GetMetricsRequest(), response));
  return response.prometheus_text();
}

Result<Preloaded> Client::preload(std::string_view circuit, const StopToken& stop) const {
  v1::PreloadSrsRequest request;
  request.set_circuit_id(std::string(circuit));
  v1::PreloadSrsResponse response;
  CUZK_CHECK_OK(parts_->call(&v1::ProvingEngine::Stub::PreloadSRS, request, response, stop));
  return Preloaded{response.already_loaded(), response.load_time_ms()};
}

Result<Evicted> Client::evict(std::string_view circuit) const {
  v1::EvictSrsRequest request;
  request.set_circuit_id(std::string(circuit));
  v1::EvictSrsResponse response;
  CUZK_CHECK_OK(parts_->quick(&v1::ProvingEngine::Stub::EvictSRS, request, response));
  return Evicted{response.was_loaded(), response.freed_bytes()};
}

}  // namespace cuzk::client
