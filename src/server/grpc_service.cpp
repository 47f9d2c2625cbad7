#include "server/grpc_service.h"

#include <functional>
#include <optional>

#include <cuzk/v1/proving.grpc.pb.h>

#include "server/bearer_token.h"
#include "server/call_threads.h"
#include "server/duration.h"
#include "server/grpc_call_impl.h"
#include "server/messages.h"
#include "server/metrics_text.h"
#include "support/clock.h"
#include "support/mutex.h"
#include "support/utf8.h"

namespace cuzk::server {
namespace {

using grpc::StatusCode;

/// What is wrong with the proof that was asked for, and not with the call.
bool is_about_the_proof(Code code) noexcept {
  return code == Code::invalid_argument || code == Code::malformed || code == Code::unsupported ||
         code == Code::not_found || code == Code::unsatisfied || code == Code::device;
}

/// What may take a reserved thread.
bool is_critical(const v1::SubmitProofRequest& request) noexcept {
  if (request.priority() != v1::PRIORITY_UNSPECIFIED) return request.priority() == v1::CRITICAL;
  return request.proof_kind() == v1::WINNING_POST;
}
bool is_critical(const v1::ProveRequest& request) noexcept { return is_critical(request.submit()); }
bool is_critical(const v1::SubmitCircomProofRequest& request) noexcept { return request.priority() == v1::CRITICAL; }

/// A stream of a job's states.
class WatchCall final : public StatesCall<v1::JobProgress> {
 public:
  using StatesCall::StatesCall;

  /// Once; from then on it goes by itself, to the end of the job or until the client has gone.
  void tell(std::shared_ptr<const ServedJob> job) {
    job_ = std::move(job);
    go_on();
  }

 private:
  /// The job learns that somebody waits for it.
  grpc::Status next(v1::JobProgress& message, Change& change) override {
    const auto version =
        told_ ? job_->wait_for_change(*told_, Deadline::after(std::chrono::nanoseconds(0)), {}) : job_->version();
    if (!version) return grpc::Status::OK;
    told_ = *version;
    const engine::JobStatus status = job_->status();
    change = status.is_open() ? Change::more : Change::last;
    message.Clear();
    fill_progress(status, monotonic_ns(), true, message);
    return grpc::Status::OK;
  }

  std::shared_ptr<const ServedJob> job_;
  std::optional<std::uint64_t> told_;  // version
};

}  // namespace

class GrpcService::Calls final : public v1::ProvingEngine::CallbackService {
 public:
  Calls(ProvingService& proving, GrpcServiceOptions options)
      : proving_(proving),
        token_(std::move(options.token)),
        limits_(options.limits),
        grace_(options.orphan_grace),
        large_{.slots = ReceivingSlots(options.receiving, options.max_calls), .patience = options.receiving_patience},
        small_{.slots = ReceivingSlots(options.receiving_small), .patience = std::nullopt},
        writing_patience_(options.writing_patience),
        watches_("cuzk-watch", kWatchRest, options.max_calls),
        reserve_("cuzk-urgent", options.reserved_calls),
        threads_("cuzk-call", options.max_calls) {
    serve_submissions();
    serve_jobs();
    serve_keys();
    serve_state();
  }

  void set_orphan_grace(std::chrono::milliseconds grace) noexcept { grace_ = grace; }
  void set_token(std::string token) { token_.replace(std::move(token)); }

 private:
  static constexpr auto kWatchRest = std::chrono::milliseconds(100);

  void serve_submissions() {
    read_large<v1::SubmitProofRequest, v1::SubmitProofResponse>(
        "SubmitProof", [this](auto message, auto room, auto& response, const StopToken&) {
          return accept(submission_of(std::move(*message), limits_), std::move(room), response);
        });
    read_large<v1::SubmitCircomProofRequest, v1::SubmitProofResponse>(
        "SubmitCircomProof", [this](auto message, auto room, auto& response, const StopToken&) {
          return accept(submission_of(std::move(*message)), std::move(room), response);
        });
    read_large<v1::ProveRequest, v1::ProveResponse>(
        "Prove", [this](auto message, auto room, auto& response, const StopToken& stop) {
          return prove(std::move(message), std::move(room), response, stop);
        });
  }

  void serve_jobs() {
    read_small<v1::AwaitProofRequest, v1::AwaitProofResponse>(
        "AwaitProof", Place::thread,
        [this](const auto& request, auto& response, const StopToken& stop) -> grpc::Status {
          const auto job = proving_.find(request.job_id());
          if (!job) return refusal_of(job.error());
          const auto timeout = bounded_ms(request.timeout_ms());
          const Deadline deadline = timeout.count() == 0 ? Deadline::never() : Deadline::after(timeout);
          return await(**job, deadline, stop, response);
        });
    read_small<v1::CancelProofRequest, v1::CancelProofResponse>(
        "CancelProof", Place::urgent_thread,
        [this](const auto& request, auto& response, const StopToken&) -> grpc::Status {
          const auto was_open = proving_.cancel(request.job_id());
          if (!was_open && was_open.error().code() != Code::not_found) return status_of(was_open.error());
          response.set_was_running(was_open.value_or(false));
          return grpc::Status::OK;
        });
    read_by_us("WatchJob", [this] {
      return new grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, v1::JobProgress>(
          [this](grpc::CallbackServerContext* context) { return begin_watch(*context); });
    });
  }

  void serve_keys() {
    read_small<v1::PreloadSrsRequest, v1::PreloadSrsResponse>(
        "PreloadSRS", Place::urgent_thread,
        [this](const auto& request, auto& response, const StopToken& stop) -> grpc::Status {
          const auto loaded = proving_.preload(request.circuit_id(), stop);
          if (!loaded) return status_of(loaded.error());
          response.set_already_loaded(loaded->already_loaded);
          response.set_load_time_ms(loaded->load_ns / 1'000'000);
          return grpc::Status::OK;
        });
    read_small<v1::EvictSrsRequest, v1::EvictSrsResponse>(
        "EvictSRS", Place::urgent_thread,
        [this](const auto& request, auto& response, const StopToken&) -> grpc::Status {
          const auto evicted = proving_.evict(request.circuit_id());
          if (!evicted) return status_of(evicted.error());
          response.set_was_loaded(evicted->was_loaded);
          response.set_freed_bytes(evicted->freed_bytes);
          return grpc::Status::OK;
        });
  }

  void serve_state() {
    read_small<v1::GetStatusRequest, v1::GetStatusResponse>("GetStatus", Place::here,
                                                            [this](const auto&, auto& response, const StopToken&) {
                                                              fill_status(proving_.snapshot(), response);
                                                              return grpc::Status::OK;
                                                            });
    read_small<v1::GetMetricsRequest, v1::GetMetricsResponse>(
        "GetMetrics", Place::here, [this](const auto&, auto& response, const StopToken&) {
          response.set_prometheus_text(metrics_text(proving_.snapshot()));
          return grpc::Status::OK;
        });
    read_small<v1::ListJobsRequest, v1::ListJobsResponse>(
        "ListJobs", Place::here, [this](const auto& request, auto& response, const StopToken&) {
          fill_jobs(request, proving_.list(), monotonic_ns(), response);
          return grpc::Status::OK;
        });
  }

  /// The place of a method in the service of the .proto file, by which gRPC knows it.
  static int place_of(const char* name) {
    const auto* const method = v1::SubmitProofRequest::descriptor()->file()->service(0)->FindMethodByName(name);
    CUZK_REQUIRE(method != nullptr);
    return method->index();
  }

  /// Makes a method one whose message is read as ReceivingCall says. gRPC has no name for a call that is unary to the
  /// client and read by us; the type of the method decides whether gRPC reads the message by itself.
  template <class MakeHandler> void read_by_us(const char* name, MakeHandler make) {
    const int method = place_of(name);
    MarkMethodStreamed(method, make());  // sets the type
    MarkMethodCallback(method, make());
  }

  /// What begins with the message of a call, on a thread of gRPC.
  template <class Response>
  using Begin = std::function<void(grpc::CallbackServerContext&, Response&, const std::shared_ptr<UnaryCall>&,
                                   std::shared_ptr<grpc::ByteBuffer>)>;

  template <class Response> void read_unary(const char* name, Reception& reception, Begin<Response> begin) {
    read_by_us(name, [&] {
      return new grpc::internal::CallbackClientStreamingHandler<grpc::ByteBuffer, Response>(
          [this, &reception, begin](grpc::CallbackServerContext* context, Response* response) {
            return receive<Response>(*context, *response, reception, begin);
          });
    });
  }

  template <class Response>
  UnaryCall* receive(grpc::CallbackServerContext& context, Response& response, Reception& reception,
                     const Begin<Response>& begin) {
    const auto call = std::make_shared<UnaryCall>(reception);
    call->live_with(call);
    UnaryCall* const reactor = call.get();
    if (const grpc::Status admitted = admit(context); !admitted.ok()) {
      refuse(context, *reactor, admitted);
      return reactor;
    }
    call->receive([&context, &response, weak = std::weak_ptr<UnaryCall>(call),
                   begin](auto buffer) { begin(context, response, weak.lock(), std::move(buffer)); },
                  [this, &context, reactor](const grpc::Status& status) { refuse(context, *reactor, status); });
    return reactor;
  }

  using Room = std::shared_ptr<engine::PayloadRoom>;
  template <class Message, class Response>
  using LargeBody = std::function<grpc::Status(std::unique_ptr<Message>, Room, Response&, const StopToken&)>;

  /// For messages that bring a payload: their bytes are counted.
  template <class Message, class Response> void read_large(const char* name, LargeBody<Message, Response> body) {
    read_unary<Response>(name, large_,
                         [this, body = std::move(body)](auto& context, auto& response, const auto& call, auto buffer) {
                           const auto work = [this, &response, reactor = call.get(), body, buffer](bool of_reserve) {
                             return take<Message, Response>(*buffer, *reactor, response, body, of_reserve);
                           };
                           start_admitted(context, *call, response, work, call, true);
                         });
  }

  /// Where a body runs: what may wait has a thread; what must get through may have one of the reserve.
  enum class Place : std::uint8_t { here, thread, urgent_thread };
  template <class Message, class Response>
  using SmallBody = std::function<grpc::Status(const Message&, Response&, const StopToken&)>;

  template <class Message, class Response>
  void read_small(const char* name, Place place, SmallBody<Message, Response> body) {
    read_unary<Response>(
        name, small_,
        [this, place, body = std::move(body)](auto& context, auto& response, const auto& call, auto buffer) {
          const auto message = std::make_shared<Message>();
          if (const auto taken = take_small(*buffer, *call, *message); !taken.ok()) {
            return refuse(context, *call, taken);
          }
          const auto work = [&response, reactor = call.get(), body, message](bool) {
            return body(*message, response, reactor->stop());
          };
          if (place != Place::here) {
            return start_admitted(context, *call, response, work, call, place == Place::urgent_thread);
          }
          answer(context, *call, response, guarded([&work] { return work(false); }));
        });
  }

  /// What has come is counted before it is held a second time, as a message.
  template <class Message, class Response>
  grpc::Status take(grpc::ByteBuffer& buffer, UnaryCall& call, Response& response,
                    const LargeBody<Message, Response>& body, bool of_reserve) {
    const std::size_t bytes = buffer.Length();
    auto room = proving_.receive(bytes);
    auto message = std::make_unique<Message>();
    Status decoded;
    if (room) decoded = decode(buffer, *message);
    buffer.Clear();
    give_back_freed_memory(bytes);
    call.leave_slot();
    if (!room) return refusal_of(room.error());
    if (!decoded) return status_of(decoded.error());
    if (of_reserve && !is_critical(*message)) return too_many_calls();
    return body(std::move(message), *std::move(room), response, call.stop());
  }

  grpc::Status accept(Result<Submission> submission, Room room, v1::SubmitProofResponse& response) {
    if (!submission) return status_of(submission.error());
    submission->room = std::move(room);
    const auto job = proving_.submit(*std::move(submission));
    if (!job) return refusal_of(job.error());
    fill_accepted((*job)->status(), response);
    return grpc::Status::OK;
  }

  /// The message ends before the proof is waited for.
  grpc::Status prove(std::unique_ptr<v1::ProveRequest> message, Room room, v1::ProveResponse& response,
                     const StopToken& stop) {
    if (!message->has_submit()) return {StatusCode::INVALID_ARGUMENT, "submit is missing"};
    const std::string label = message->submit().request_id();
    auto submission = submission_of(std::move(*message->mutable_submit()), limits_);
    message.reset();
    if (!submission) return status_of(submission.error());
    submission->orphan_grace = grace_.load();
    submission->room = std::move(room);
    const auto job = proving_.submit(*std::move(submission));
    if (!job && !is_about_the_proof(job.error().code())) return refusal_of(job.error());
    if (!job) {
      fill_failed(label, job.error(), *response.mutable_result());
      return grpc::Status::OK;
    }
    return await(**job, Deadline::never(), stop, *response.mutable_result());
  }

  grpc::Status await(const ServedJob& job, Deadline deadline, const StopToken& stop, v1::AwaitProofResponse& response) {
    const auto result = job.await(deadline, stop);
    if (!result && result.error().code() == Code::deadline) {
      fill_timeout(job.job_id(), response);
      return grpc::Status::OK;
    }
    if (!result) return status_of(result.error());
    const engine::JobResult& ended = **result;
    if (ended.state == engine::JobState::failed && ended.code == Code::unavailable) {
      return status_for_now(StatusCode::UNAVAILABLE, shortened(ended.error, kStatusTextBytes),
                            proving_.retry_delay());  // the process ends
    }
    fill_result(job.job_id(), ended, response);
    if (ended.state == engine::JobState::completed) proving_.mark_delivered(job);
    return grpc::Status::OK;
  }

  WatchCall* begin_watch(grpc::CallbackServerContext& context) {
    const auto call = std::make_shared<WatchCall>(context, small_, writing_patience_);
    call->live_with(call);
    WatchCall* const reactor = call.get();
    if (const grpc::Status admitted = admit(context); !admitted.ok()) {
      reactor->end(admitted);
      return reactor;
    }
    call->receive(
        [this, weak = std::weak_ptr<WatchCall>(call)](const auto& buffer) {
          const auto received = weak.lock();
          v1::WatchJobRequest request;
          grpc::Status begun = take_small(*buffer, *received, request);
          const auto work = [this, received, job_id = request.job_id()] { watch(received, job_id); };
          if (begun.ok() && !threads_.start(work)) begun = too_many_calls();
          if (!begun.ok()) received->end(begun);
        },
        [reactor](const grpc::Status& status) { reactor->end(status); });
    return reactor;
  }

  /// Finding the job may take a look into the journal; what follows takes no thread.
  void watch(const std::shared_ptr<WatchCall>& call, const std::string& job_id) {
    std::shared_ptr<const ServedJob> job;
    const grpc::Status status = guarded([&]() -> grpc::Status {
      auto found = proving_.find(job_id);
      if (!found) return refusal_of(found.error());
      if (!watches_.add(call)) return too_many(std::to_string(watches_.max_members()) + " jobs are watched already");
      job = *std::move(found);
      return grpc::Status::OK;
    });
    status.ok() ? call->tell(std::move(job)) : call->end(status);
  }

  /// Unix sockets have their mode; only callers of TCP show a token.
  grpc::Status admit(const grpc::CallbackServerContext& context) const {
    if (!token_.is_wanted() || context.peer().starts_with("unix:")) return grpc::Status::OK;
    const auto [begin, end] = context.client_metadata().equal_range("authorization");
    for (auto entry = begin; entry != end; ++entry) {
      if (token_.is_shown_by({entry->second.data(), entry->second.size()})) return grpc::Status::OK;
    }
    return {StatusCode::UNAUTHENTICATED, "this address wants \"authorization: Bearer <token>\""};
  }

  /// Ends `call` with what body returns, on another thread.
  template <class Call>
  void start_admitted(grpc::CallbackServerContext& context, Call& call, const google::protobuf::Message& response,
                      std::function<grpc::Status(bool)> body, std::shared_ptr<void> keep, bool urgent) {
    const auto run = [&](CallThreads& threads, bool of_reserve) {
      return threads.start([this, &context, &call, &response, body, keep, of_reserve] {
        answer(context, call, response, guarded([&] { return body(of_reserve); }));
      });
    };
    if (run(threads_, false) || (urgent && run(reserve_, true))) return;
    refuse(context, call, too_many_calls());
  }

  template <class Call>
  void answer(grpc::CallbackServerContext& context, Call& call, const google::protobuf::Message& response,
              const grpc::Status& status) {
    finish(context, call, status, patience_for(writing_patience_, response.ByteSizeLong()));
  }
  template <class Call> void refuse(grpc::CallbackServerContext& context, Call& call, const grpc::Status& status) {
    finish(context, call, status, writing_patience_);
  }

  grpc::Status too_many_calls() const { return too_many(std::to_string(threads_.limit()) + " calls wait already"); }

  /// What the engine refused: where time helps, with when to come again.
  grpc::Status refusal_of(const Error& error) const {
    const StatusCode code = status_code(error.code());
    if (code != StatusCode::RESOURCE_EXHAUSTED && code != StatusCode::UNAVAILABLE) return status_of(error);
    return status_for_now(code, status_text(error), proving_.retry_delay());
  }

  ProvingService& proving_;
  WantedToken token_;
  const engine::PayloadLimits limits_;
  std::atomic<std::chrono::milliseconds> grace_;
  Reception large_, small_;
  const std::chrono::milliseconds writing_patience_;
  Rounds watches_;
  // End first: their bodies use the others.
  CallThreads reserve_;
  CallThreads threads_;
};

GrpcService::GrpcService(ProvingService& proving, GrpcServiceOptions options)
    : calls_(std::make_unique<Calls>(proving, std::move(options))) {}
GrpcService::~GrpcService() = default;

grpc::Service& GrpcService::service() noexcept { return *calls_; }
void GrpcService::set_orphan_grace(std::chrono::milliseconds grace) noexcept { calls_->set_orphan_grace(grace); }
void GrpcService::set_token(std::string token) { calls_->set_token(std::move(token)); }

}  // namespace cuzk::server
