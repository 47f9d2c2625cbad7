// Calls of gRPC as our services take them: whose messages are read when they have a slot, and whose answers are not
// held for ever. What grpc_service.cpp and open_services.cpp share; the only header that includes gRPC's.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <google/protobuf/message.h>
#include <grpc/grpc.h>
#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include "server/messages.h"
#include "server/receiving.h"
#include "server/rounds.h"
#include "support/clock.h"
#include "support/stop.h"

namespace cuzk::server {

grpc::StatusCode status_code(Code code) noexcept;

/// Says in the trailing metadata which code of ours a refusal has.
void add_trailers(grpc::CallbackServerContext& context, const grpc::Status& status);

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
inline std::chrono::milliseconds patience_for(std::chrono::milliseconds patience, std::size_t bytes) {
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
inline constexpr std::size_t kStatusTextBytes = 1536;
std::string status_text(const Error& error);
grpc::Status status_of(const Error& error);

/// Says in its details, as google.rpc.RetryInfo, when to come again.
grpc::Status status_for_now(grpc::StatusCode code, const std::string& message, std::chrono::milliseconds delay);

/// Where only calls are too many, which come and go.
grpc::Status too_many(const std::string& what);

/// Runs a call's body; what it throws ends the call, not the program.
grpc::Status guarded(const std::function<grpc::Status()>& body) noexcept;

/// With not too many fields, and as they should be.
Status decode(grpc::ByteBuffer& buffer, google::protobuf::Message& message);

/// Where messages of one sort are received.
struct Reception {
  ReceivingSlots slots;
  /// Who has not sent his message for so long ends when others wait, and has his slot until then. None: whoever comes
  /// gets the slot at once of who has been sending for longest; for what is small.
  std::optional<std::chrono::milliseconds> patience;
};

/// A call whose message we read ourselves, when it has a slot. To gRPC it is a stream, so that the message stays with
/// the client until we ask for it: gRPC reads and decodes those of unary calls before anybody has looked at the call.
/// Alive until gRPC and whoever works for it have both done with it.
template <class Reactor> class ReceivingCall : public Reactor {
 public:
  using Received = std::function<void(std::shared_ptr<grpc::ByteBuffer>)>;
  using Refuse = std::function<void(grpc::Status)>;

  explicit ReceivingCall(Reception& reception) : slots_(reception.slots), slow_after_(reception.patience) {}

  /// Once, before all else.
  void live_with(std::shared_ptr<ReceivingCall> self) noexcept { self_ = std::move(self); }
  StopToken stop() const noexcept { return stop_.get_token(); }
  AnswerPatience& patience() noexcept { return patience_; }

  /// `received` gets the message; `refuse` a status, where none came. Again for a further message, when the one before
  /// has left its slot.
  void receive(Received received, Refuse refuse) {
    received_ = std::move(received);
    refuse_ = std::move(refuse);
    const unsigned turn = ++turns_;
    open_turn_ = turn;
    const bool entered = slots_.enter([this, turn, keep = self_] { begin(keep, turn); });
    if (!entered && settle(turn)) refuse_(too_many("too many messages wait to be read"));
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
  /// How the call ends when the client has no further message.
  virtual grpc::Status without_a_message() const {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "no message came, or one larger than daemon.max_message_bytes"};
  }

 private:
  void begin(const std::shared_ptr<ReceivingCall>& self, unsigned turn) {
    has_slot_ = true;
    if (stop_.stop_requested()) {
      leave_slot();
      if (settle(turn)) refuse_({grpc::StatusCode::CANCELLED, "the client has gone"});
      return;
    }
    if (slow_after_) {
      // Not itself: an alarm holds what it calls for as long as it lives, and it lives in the call.
      slow_.Set(std::chrono::system_clock::now() + *slow_after_,
                [weak = std::weak_ptr<ReceivingCall>(self), turn](bool passed) {
                  if (const auto call = passed ? weak.lock() : nullptr) be_late(call, turn);
                });
    }
    this->StartRead(&buffer_);
    if (!slow_after_) be_late(self, turn);
  }

  /// Others get the slot of a call whose bytes count when it has ended: until then what has come is still held.
  static void be_late(const std::shared_ptr<ReceivingCall>& late, unsigned turn) {
    late->slots_.late(late.get(), [weak = std::weak_ptr<ReceivingCall>(late), turn] {
      const auto call = weak.lock();
      if (!call || !call->settle(turn)) return;
      if (!call->slow_after_) call->leave_slot();
      call->refuse_(too_many("the message came too slowly, and others wait"));
    });
    if (late->open_turn_ != turn) late->slots_.forget(late.get());
  }

  /// True for one caller, who goes on with the call.
  bool settle(unsigned turn) noexcept { return open_turn_.compare_exchange_strong(turn, 0); }

  void OnReadDone(bool good) override {
    slow_.Cancel();
    const bool settled = settle(turns_);
    slots_.forget(this);
    if (!settled) {
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
    refuse_(without_a_message());
  }

  ReceivingSlots& slots_;
  const std::optional<std::chrono::milliseconds> slow_after_;
  AnswerPatience patience_;
  std::atomic<bool> has_slot_ = false;
  unsigned turns_ = 0;                   // messages asked for
  std::atomic<unsigned> open_turn_ = 0;  // of the one that is awaited; 0: of none
  grpc::Alarm slow_;
  grpc::ByteBuffer buffer_;
  Received received_;
  Refuse refuse_;
  std::stop_source stop_;
  std::shared_ptr<ReceivingCall> self_;
};

/// For the client a call with one message and one answer.
using UnaryCall = ReceivingCall<grpc::ServerReadReactor<grpc::ByteBuffer>>;

/// Decodes a message that brings no payload, and gives its slot back.
template <class Call, class Message> grpc::Status take_small(grpc::ByteBuffer& buffer, Call& call, Message& message) {
  const std::size_t bytes = buffer.Length();
  Status decoded;
  if (bytes <= RequestLimits::kSmallMessageBytes) decoded = decode(buffer, message);
  buffer.Clear();
  give_back_freed_memory(bytes);
  call.leave_slot();
  if (bytes > RequestLimits::kSmallMessageBytes) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "the message has " + std::to_string(bytes) + " bytes, and may have " +
                                                      std::to_string(RequestLimits::kSmallMessageBytes)};
  }
  return decoded ? grpc::Status::OK : status_of(decoded.error());
}

/// A call with several answers. Rounds look after it: one whose client does not take an answer is cancelled.
template <class Message>
class StreamCall : public ReceivingCall<grpc::ServerBidiReactor<grpc::ByteBuffer, Message>>, public Rounds::Member {
  using Receiving = ReceivingCall<grpc::ServerBidiReactor<grpc::ByteBuffer, Message>>;

 public:
  /// `patience` with who takes the answers.
  StreamCall(grpc::CallbackServerContext& context, Reception& reception, std::chrono::milliseconds patience)
      : Receiving(reception), context_(context), patience_(patience) {}

  void end(const grpc::Status& status) {
    enter(State::ending);
    add_trailers(context_, status);
    this->Finish(status);
  }

 protected:
  enum class State : std::uint8_t { begun, writing, written, ending, ended };
  State state() const noexcept { return state_; }
  bool has_gone() const noexcept { return has_gone_; }
  void cancel() noexcept { cancel_(); }

  void write(const Message& message) {
    enter(State::writing);
    this->StartWrite(&message);
  }
  void write_last(const Message& message) {
    enter(State::ending);
    this->StartWriteAndFinish(&message, {}, grpc::Status::OK);
  }

  /// Between two messages that are written, and before the first.
  virtual void on_round() noexcept = 0;
  virtual void on_written() {}

  void OnCancel() override {
    has_gone_ = true;
    Receiving::OnCancel();
  }
  void OnDone() override {
    state_ = State::ended;
    Receiving::OnDone();
  }

 private:
  bool look() noexcept final {
    const State state = state_;
    const bool gives = state == State::writing || state == State::ending;
    if (!gives && state != State::ended) on_round();
    if (gives && now() >= late_at_.load() && !std::exchange(given_up_, true)) cancel();
    return state != State::ended;
  }

  void OnWriteDone(bool good) final {
    if (!good) has_gone_ = true;
    state_ = State::written;
    on_written();
  }

  static Deadline::Clock::duration now() { return Deadline::Clock::now().time_since_epoch(); }

  /// Before gRPC has something to do, which may be done at once.
  void enter(State state) {
    late_at_ = now() + patience_;
    state_ = state;
  }

  grpc::CallbackServerContext& context_;
  const Canceller cancel_{context_};
  const std::chrono::milliseconds patience_;
  std::atomic<State> state_ = State::begun;
  std::atomic<bool> has_gone_ = false;
  std::atomic<Deadline::Clock::duration> late_at_{};  // of the clock
  bool given_up_ = false;
};

/// Tells states as they change.
template <class Message> class StatesCall : public StreamCall<Message> {
  using Stream = StreamCall<Message>;

 public:
  using Stream::Stream;

 protected:
  enum class Change : std::uint8_t { none, more, last };
  /// What has changed since it was told; an error ends the call.
  virtual grpc::Status next(Message& message, Change& change) = 0;

  void go_on() noexcept {
    if (this->has_gone()) return this->end({grpc::StatusCode::CANCELLED, "the client has gone"});
    Change change = Change::none;
    const grpc::Status made = guarded([&] { return next(message_, change); });
    if (!made.ok()) return this->end(made);
    if (change == Change::more) this->write(message_);
    if (change == Change::last) this->write_last(message_);
  }

 private:
  void on_round() noexcept final {
    if (this->state() == Stream::State::written) go_on();
  }

  Message message_;  // gRPC's while it is written
};

}  // namespace cuzk::server
