#include "server/grpc_service.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>

#include <cuzk/v1/proving.grpc.pb.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpc/grpc.h>
#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "server/bearer_token.h"
#include "server/call_threads.h"
#include "server/duration.h"
#include "server/messages.h"
#include "server/metrics_text.h"
#include "server/receiving.h"
#include "server/rounds.h"
#include "support/clock.h"
#include "support/log.h"
#include "support/mutex.h"
#include "support/utf8.h"

namespace cuzk::server {
namespace {

using grpc::StatusCode;

StatusCode status_code(Code code) noexcept {
  switch (code) {
    case Code::invalid_argument:
    case Code::malformed:
    case Code::unsupported:
      return StatusCode::INVALID_ARGUMENT;
    case Code::not_found:
      return StatusCode::NOT_FOUND;
    case Code::exhausted:
      return StatusCode::RESOURCE_EXHAUSTED;
    case Code::cancelled:
      return StatusCode::CANCELLED;
    case Code::deadline:
      return StatusCode::DEADLINE_EXCEEDED;
    case Code::unavailable:
    case Code::device:
      return StatusCode::UNAVAILABLE;
    case Code::conflict:
      return StatusCode::ABORTED;
    case Code::unsatisfied:
      return StatusCode::FAILED_PRECONDITION;
    case Code::internal:
      break;
  }
  return StatusCode::INTERNAL;
}

/// In the trailing metadata of every call that the service itself refused: what has none failed on the way.
constexpr const char* kCodeTrailer = "cuzk-code";

std::string_view name_of(StatusCode status) noexcept {
  switch (status) {
    case StatusCode::INVALID_ARGUMENT:
      return to_string(Code::invalid_argument);
    case StatusCode::NOT_FOUND:
      return to_string(Code::not_found);
    case StatusCode::RESOURCE_EXHAUSTED:
      return to_string(Code::exhausted);
    case StatusCode::UNAVAILABLE:
      return to_string(Code::unavailable);
    case StatusCode::ABORTED:
      return to_string(Code::conflict);
    case StatusCode::FAILED_PRECONDITION:
      return to_string(Code::unsatisfied);
    case StatusCode::CANCELLED:
      return to_string(Code::cancelled);
    case StatusCode::DEADLINE_EXCEEDED:
      return to_string(Code::deadline);
    case StatusCode::UNAUTHENTICATED:
      return "unauthenticated";
    default:
      return to_string(Code::internal);
  }
}

void add_trailers(grpc::CallbackServerContext& context, const grpc::Status& status) {
  if (!status.ok()) context.AddTrailingMetadata(kCodeTrailer, std::string(name_of(status.error_code())));
}

/// Cancels a call; later than its end it does nothing.
class Canceller {
 public:
  explicit Canceller(grpc::CallbackServerContext& context) : call_(context.c_call(), grpc_call_unref) {
    grpc_call_ref(call_.get());
  }
  void operator()() const { grpc_call_cancel(call_.get(), nullptr); }

 private:
  std::shared_ptr<grpc_call> call_;
};

/// How long a client may take to take an answer: gRPC holds it for him, and the call with it.
class AnswerPatience {
 public:
  /// Before the answer is given.
  void begin(grpc::CallbackServerContext& context, std::chrono::milliseconds patience) {
    alarm_.Set(std::chrono::system_clock::now() + patience, [cancel = Canceller(context)](bool passed) {
      if (passed) cancel();
    });
  }

 private:
  grpc::Alarm alarm_;
};

/// More time for more bytes.
std::chrono::milliseconds patience_for(std::chrono::milliseconds patience, std::size_t bytes) {
  constexpr std::size_t kBytesPerPatience = std::size_t{256} << 10;
  return patience * (1 + bytes / kBytesPerPatience);
}

/// Ends a call with one answer.
template <class Call>
void finish(grpc::CallbackServerContext& context, Call& call, const grpc::Status& status,
            std::chrono::milliseconds patience) {
  add_trailers(context, status);
  call.patience().begin(context, patience);
  call.Finish(status);
}

/// A status travels in the headers of an answer, of which clients take 8 KiB: there a byte may become three, and the
/// details say it once more.
constexpr std::size_t kStatusTextBytes = 1536;
std::string status_text(const Error& error) { return shortened(error.to_string(), kStatusTextBytes); }

grpc::Status status_of(const Error& error) { return {status_code(error.code()), status_text(error)}; }

/// Says in its details, as google.rpc.RetryInfo, when to come again.
grpc::Status status_for_now(StatusCode code, const std::string& message, std::chrono::milliseconds delay) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(delay.count() / 1000);
  retry.mutable_retry_delay()->set_nanos(static_cast<int>(delay.count() % 1000) * 1'000'000);
  google::rpc::Status details;
  details.set_code(code);
  details.set_message(message);
  details.add_details()->PackFrom(retry);
  return {code, message, details.SerializeAsString()};
}

/// Where only calls are too many, which come and go.
constexpr auto kNextCall = std::chrono::seconds(1);
grpc::Status too_many(const std::string& what) {
  return status_for_now(StatusCode::RESOURCE_EXHAUSTED, what + "; try again later", kNextCall);
}

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

/// Runs a call's body; what it throws ends the call, not the program.
grpc::Status guarded(const std::function<grpc::Status()>& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return {StatusCode::RESOURCE_EXHAUSTED, "out of memory"};
  } catch (const std::exception& thrown) {
    log_error("a call ended with an exception: " + std::string(thrown.what()));
    return {StatusCode::INTERNAL, "internal error"};
  }
}

/// A call whose message we read ourselves, when it has a slot. To gRPC it is a stream, so that the message stays with
/// the client until we ask for it: gRPC reads and decodes those of unary calls before anybody has looked at the call.
/// Alive until gRPC and whoever works for it have both done with it.
template <class Reactor> class ReceivingCall : public Reactor {
 public:
  using Received = std::function<void(std::shared_ptr<grpc::ByteBuffer>)>;

  ReceivingCall(ReceivingSlots& slots, std::chrono::milliseconds patience) : slots_(slots), slow_after_(patience) {}

  /// Once, before all else.
  void live_with(std::shared_ptr<ReceivingCall> self) noexcept { self_ = std::move(self); }
  StopToken stop() const noexcept { return stop_.get_token(); }
  AnswerPatience& patience() noexcept { return patience_; }

  /// `received` gets the message; `refuse` a status, where none came.
  void receive(Received received, std::function<void(grpc::Status)> refuse) {
    received_ = std::move(received);
    refuse_ = std::move(refuse);
    const bool entered = slots_.enter([this, keep = self_] { begin(); });
    if (!entered && settle()) refuse_(too_many("too many messages wait to be read"));
  }
  /// The message is no longer held as bytes.
  void leave_slot() {
    if (has_slot_.exchange(false)) slots_.leave();
  }

 protected:
  void OnCancel() override { stop_.request_stop(); }
  void OnDone() override {
    slots_.forget(this);
    leave_slot();
    self_.reset();
  }

 private:
  void begin() {
    has_slot_ = true;
    if (stop_.stop_requested()) {
      leave_slot();
      if (settle()) refuse_({StatusCode::CANCELLED, "the client has gone"});
      return;
    }
    // Not itself: an alarm holds what it calls for as long as it lives, and it lives in the call.
    slow_.Set(std::chrono::system_clock::now() + slow_after_,
              [weak = std::weak_ptr<ReceivingCall>(self_)](bool passed) {
                const auto call = passed ? weak.lock() : nullptr;
                if (call && !call->settled_) be_late(call);
              });
    this->StartRead(&buffer_);
  }

  /// Others get its slot when it has ended: until then what has come is still held.
  static void be_late(const std::shared_ptr<ReceivingCall>& late) {
    late->slots_.late(late.get(), [weak = std::weak_ptr<ReceivingCall>(late)] {
      const auto call = weak.lock();
      if (!call || !call->settle()) return;
      call->refuse_(too_many("the message came too slowly, and others wait"));
    });
  }

  /// True for one caller, who ends the call.
  bool settle() noexcept { return !settled_.exchange(true); }

  void OnReadDone(bool good) override {
    slow_.Cancel();
    slots_.forget(this);
    if (!settle()) {
      leave_slot();
      return;
    }
    if (good) {
      auto message = std::make_shared<grpc::ByteBuffer>();
      message->Swap(&buffer_);  // a move is a copy, and all of them would have to end
      received_(std::move(message));
      return;
    }
    leave_slot();
    refuse_({StatusCode::RESOURCE_EXHAUSTED, "no message came, or one larger than daemon.max_message_bytes"});
  }

  ReceivingSlots& slots_;
  const std::chrono::milliseconds slow_after_;
  AnswerPatience patience_;
  std::atomic<bool> has_slot_ = false;
  std::atomic<bool> settled_ = false;
  grpc::Alarm slow_;
  grpc::ByteBuffer buffer_;
  Received received_;
  std::function<void(grpc::Status)> refuse_;
  std::stop_source stop_;
  std::shared_ptr<ReceivingCall> self_;
};

/// For the client a call with one message and one answer.
using UnaryCall = ReceivingCall<grpc::ServerReadReactor<grpc::ByteBuffer>>;

using WatchReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, v1::JobProgress>;

/// A stream of a job's states. Rounds look after it, so that no thread waits for job and client.
class WatchCall final : public ReceivingCall<WatchReactor>, public Rounds::Member {
 public:
  struct Patience {
    std::chrono::milliseconds receiving, writing;
  };
  WatchCall(grpc::CallbackServerContext& context, ReceivingSlots& slots, Patience patience)
      : ReceivingCall(slots, patience.receiving), context_(context), patience_(patience.writing) {}

  /// Once; from then on it goes by itself, to the end of the job or until the client has gone.
  void tell(std::shared_ptr<const ServedJob> job) {
    job_ = std::move(job);
    go_on();
  }
  /// In the place of tell().
  void refuse(const grpc::Status& status) { end(status); }

 private:
  enum class State : std::uint8_t { begun, writing, written, ending, ended };

  bool look() noexcept override {
    const State state = state_;
    if (state == State::written) go_on();
    const bool gives = state == State::writing || state == State::ending;
    if (gives && Deadline::Clock::now() >= late_at_ && !std::exchange(given_up_, true)) cancel_();
    return state != State::ended;
  }

  void go_on() noexcept {
    if (has_gone_) return end({StatusCode::CANCELLED, "the client has gone"});
    bool changed = false;
    bool is_open = true;
    const grpc::Status made = guarded([&] {
      changed = has_changed();
      if (!changed) return grpc::Status::OK;
      const engine::JobStatus status = job_->status();
      is_open = status.is_open();
      message_.Clear();
      fill_progress(status, monotonic_ns(), true, message_);
      return grpc::Status::OK;
    });
    if (!made.ok()) return end(made);
    if (!changed) return;
    enter(is_open ? State::writing : State::ending);
    is_open ? StartWrite(&message_) : StartWriteAndFinish(&message_, {}, grpc::Status::OK);
  }

  /// Since it was told. The job learns that somebody waits for it.
  bool has_changed() {
    const auto version =
        told_ ? job_->wait_for_change(*told_, Deadline::after(std::chrono::nanoseconds(0)), {}) : job_->version();
    if (version) told_ = *version;
    return version.has_value();
  }

  void end(const grpc::Status& status) {
    enter(State::ending);
    add_trailers(context_, status);
    Finish(status);
  }

  /// Before gRPC has something to do, which may be done at once.
  void enter(State state) {
    late_at_ = Deadline::Clock::now() + patience_;
    state_ = state;
  }

  void OnWriteDone(bool good) override {
    if (!good) has_gone_ = true;
    state_ = State::written;
  }
  void OnCancel() override {
    has_gone_ = true;
    ReceivingCall::OnCancel();
  }
  void OnDone() override {
    state_ = State::ended;
    ReceivingCall::OnDone();
  }

  grpc::CallbackServerContext& context_;
  const Canceller cancel_{context_};
  const std::chrono::milliseconds patience_;
  std::atomic<State> state_ = State::begun;
  std::atomic<bool> has_gone_ = false;
  // Of whoever has begun it, then of the rounds.
  std::shared_ptr<const ServedJob> job_;
  std::optional<std::uint64_t> told_;  // version
  Deadline::Clock::time_point late_at_;
  bool given_up_ = false;
  v1::JobProgress message_;  // gRPC's between StartWrite and OnWriteDone
};

}  // namespace

class GrpcService::Calls final : public v1::ProvingEngine::CallbackService {
 public:
  Calls(ProvingService& proving, GrpcServiceOptions options)
      : proving_(proving),
        token_(std::move(options.token)),
        limits_(options.limits),
        grace_(options.orphan_grace),
        slots_(options.receiving, options.max_calls),
        small_slots_(options.receiving_small, options.max_calls),
        patience_(options.receiving_patience),
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

  template <class Response> void read_unary(const char* name, ReceivingSlots& slots, Begin<Response> begin) {
    read_by_us(name, [&] {
      return new grpc::internal::CallbackClientStreamingHandler<grpc::ByteBuffer, Response>(
          [this, &slots, begin](grpc::CallbackServerContext* context, Response* response) {
            return receive<Response>(*context, *response, slots, begin);
          });
    });
  }

  template <class Response>
  UnaryCall* receive(grpc::CallbackServerContext& context, Response& response, ReceivingSlots& slots,
                     const Begin<Response>& begin) {
    const auto call = std::make_shared<UnaryCall>(slots, patience_);
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
    read_unary<Response>(name, slots_,
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
        name, small_slots_,
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

  template <class Call, class Message>
  static grpc::Status take_small(grpc::ByteBuffer& buffer, Call& call, Message& message) {
    const std::size_t bytes = buffer.Length();
    Status decoded;
    if (bytes <= RequestLimits::kSmallMessageBytes) decoded = decode(buffer, message);
    buffer.Clear();
    give_back_freed_memory(bytes);
    call.leave_slot();
    if (bytes > RequestLimits::kSmallMessageBytes) {
      return {StatusCode::RESOURCE_EXHAUSTED, "the message has " + std::to_string(bytes) + " bytes, and may have " +
                                                  std::to_string(RequestLimits::kSmallMessageBytes)};
    }
    return decoded ? grpc::Status::OK : status_of(decoded.error());
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

  template <class Message> static Status decode(grpc::ByteBuffer& buffer, Message& message) {
    grpc::ProtoBufferReader reader(&buffer);
    if (reader.status().ok()) CUZK_CHECK_OK(check_fields(*Message::descriptor(), reader));
    if (grpc::SerializationTraits<Message>::Deserialize(&buffer, &message).ok()) return {};
    return fail(Code::invalid_argument, "the message cannot be decoded");
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
    const auto call = std::make_shared<WatchCall>(
        context, small_slots_, WatchCall::Patience{.receiving = patience_, .writing = writing_patience_});
    call->live_with(call);
    WatchCall* const reactor = call.get();
    if (const grpc::Status admitted = admit(context); !admitted.ok()) {
      reactor->refuse(admitted);
      return reactor;
    }
    call->receive(
        [this, weak = std::weak_ptr<WatchCall>(call)](const auto& buffer) {
          const auto received = weak.lock();
          v1::WatchJobRequest request;
          grpc::Status begun = take_small(*buffer, *received, request);
          const auto work = [this, received, job_id = request.job_id()] { watch(received, job_id); };
          if (begun.ok() && !threads_.start(work)) begun = too_many_calls();
          if (!begun.ok()) received->refuse(begun);
        },
        [reactor](const grpc::Status& status) { reactor->refuse(status); });
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
    status.ok() ? call->tell(std::move(job)) : call->refuse(status);
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
  ReceivingSlots slots_, small_slots_;
  const std::chrono::milliseconds patience_;  // with who sends
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
