#include <exception>

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "server/grpc_call_impl.h"
#include "server/messages.h"
#include "support/log.h"
#include "support/utf8.h"

namespace cuzk::server {

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

namespace {

/// In the trailing metadata of every call that the service itself refused: what has none failed on the way.
constexpr const char* kCodeTrailer = "cuzk-code";

constexpr auto kNextCall = std::chrono::seconds(1);

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

}  // namespace

void add_trailers(grpc::CallbackServerContext& context, const grpc::Status& status) {
  if (!status.ok()) context.AddTrailingMetadata(kCodeTrailer, std::string(name_of(status.error_code())));
}

std::string status_text(const Error& error) { return shortened(error.to_string(), kStatusTextBytes); }

grpc::Status status_of(const Error& error) { return {status_code(error.code()), status_text(error)}; }

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

grpc::Status too_many(const std::string& what) {
  return status_for_now(StatusCode::RESOURCE_EXHAUSTED, what + "; try again later", kNextCall);
}

Status decode(grpc::ByteBuffer& buffer, google::protobuf::Message& message) {
  grpc::ProtoBufferReader reader(&buffer);
  if (reader.status().ok()) CUZK_CHECK_OK(check_fields(*message.GetDescriptor(), reader));
  grpc::ProtoBufferReader again(&buffer);
  if (again.status().ok() && message.ParseFromZeroCopyStream(&again)) return {};
  return fail(Code::invalid_argument, "the message cannot be decoded");
}

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

}  // namespace cuzk::server
