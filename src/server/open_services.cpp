#include "server/open_services.h"

#include <set>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <grpc/health/v1/health.pb.h>
#include <grpc/reflection/v1alpha/reflection.pb.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/codegen/service_type.h>

#include "server/grpc_call_impl.h"
#include "support/utf8.h"

namespace cuzk::server {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;
using grpc::StatusCode;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

constexpr auto kRest = std::chrono::milliseconds(100);

/// A service whose calls are registered by name, as streams to gRPC (ReceivingCall says why).
class StreamedService : public grpc::Service {
 protected:
  template <class Handler> void add(const char* name, grpc::internal::RpcMethod::RpcType type, Handler* handler) {
    AddMethod(new grpc::internal::RpcServiceMethod(name, type, nullptr));
    MarkMethodCallback(methods_++, handler);
  }

 private:
  int methods_ = 0;
};

void add_with_imports(const FileDescriptor& file, std::set<const FileDescriptor*>& added,
                      grpc::reflection::v1alpha::FileDescriptorResponse& out) {
  if (!added.insert(&file).second) return;
  google::protobuf::FileDescriptorProto proto;
  file.CopyTo(&proto);
  *out.add_file_descriptor_proto() = proto.SerializeAsString();
  for (int i = 0; i < file.dependency_count(); ++i) add_with_imports(*file.dependency(i), added, out);
}

void fill_error(StatusCode code, const std::string& what, ServerReflectionResponse& out) {
  out.mutable_error_response()->set_error_code(code);
  out.mutable_error_response()->set_error_message(shortened(what, kStatusTextBytes));
}

void fill_file(const FileDescriptor* file, const std::string& asked, ServerReflectionResponse& out) {
  if (file == nullptr) return fill_error(StatusCode::NOT_FOUND, "nothing is known of " + asked, out);
  std::set<const FileDescriptor*> added;
  add_with_imports(*file, added, *out.mutable_file_descriptor_response());
}

const FileDescriptor* file_of_extension(const grpc::reflection::v1alpha::ExtensionRequest& asked) {
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  const auto* const type = pool.FindMessageTypeByName(asked.containing_type());
  const auto* const extension = type == nullptr ? nullptr : pool.FindExtensionByNumber(type, asked.extension_number());
  return extension == nullptr ? nullptr : extension->file();
}

void fill_extensions(const std::string& type_name, ServerReflectionResponse& out) {
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  const auto* const type = pool.FindMessageTypeByName(type_name);
  if (type == nullptr) return fill_error(StatusCode::NOT_FOUND, "nothing is known of " + type_name, out);
  std::vector<const google::protobuf::FieldDescriptor*> extensions;
  pool.FindAllExtensions(type, &extensions);
  auto& numbers = *out.mutable_all_extension_numbers_response();
  numbers.set_base_type_name(type_name);
  for (const auto* const extension : extensions) numbers.add_extension_number(extension->number());
}

void fill_reflection(const ServerReflectionRequest& asked, const std::vector<std::string>& services,
                     ServerReflectionResponse& out) {
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  out.Clear();
  out.set_valid_host(asked.host());
  *out.mutable_original_request() = asked;
  switch (asked.message_request_case()) {
    case ServerReflectionRequest::kFileByFilename:
      return fill_file(pool.FindFileByName(asked.file_by_filename()), asked.file_by_filename(), out);
    case ServerReflectionRequest::kFileContainingSymbol:
      return fill_file(pool.FindFileContainingSymbol(asked.file_containing_symbol()), asked.file_containing_symbol(),
                       out);
    case ServerReflectionRequest::kFileContainingExtension:
      return fill_file(file_of_extension(asked.file_containing_extension()),
                       asked.file_containing_extension().containing_type(), out);
    case ServerReflectionRequest::kAllExtensionNumbersOfType:
      return fill_extensions(asked.all_extension_numbers_of_type(), out);
    case ServerReflectionRequest::kListServices:
      for (const std::string& name : services) out.mutable_list_services_response()->add_service()->set_name(name);
      return;
    case ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      return fill_error(StatusCode::INVALID_ARGUMENT, "the request asks for nothing", out);
  }
}

}  // namespace

struct OpenServices::Shared {
  Shared(std::string of, const OpenServicesOptions& options)
      : service(std::move(of)),
        writing_patience(options.writing_patience),
        reception{.slots = ReceivingSlots(options.receiving), .patience = std::nullopt} {}

  bool knows(const std::string& name) const { return name.empty() || name == service; }
  HealthCheckResponse::ServingStatus health() const noexcept {
    return serving ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
  }

  const std::string service;
  const std::chrono::milliseconds writing_patience;
  Reception reception;
  std::atomic<bool> serving = true;
  std::atomic<bool> ends = false;
};

class OpenServices::Health final : public StreamedService {
 public:
  Health(Shared& shared, std::size_t max_watchers) : shared_(shared), watchers_("cuzk-health", kRest, max_watchers) {
    using grpc::internal::RpcMethod;
    add("/grpc.health.v1.Health/Check", RpcMethod::CLIENT_STREAMING,
        new grpc::internal::CallbackClientStreamingHandler<grpc::ByteBuffer, HealthCheckResponse>(
            [this](grpc::CallbackServerContext* context, HealthCheckResponse* response) {
              return check(*context, *response);
            }));
    add("/grpc.health.v1.Health/Watch", RpcMethod::BIDI_STREAMING,
        new grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, HealthCheckResponse>(
            [this](grpc::CallbackServerContext* context) { return watch(*context); }));
  }

 private:
  /// Tells the state of a name, which may be none that there is, for as long as the client wants.
  class Watch final : public StatesCall<HealthCheckResponse> {
   public:
    Watch(grpc::CallbackServerContext& context, Shared& shared)
        : StatesCall(context, shared.reception, shared.writing_patience), shared_(shared) {}
    void tell(bool knows) {
      knows_ = knows;
      go_on();
    }

   private:
    grpc::Status next(HealthCheckResponse& message, Change& change) override {
      if (shared_.ends) return {StatusCode::UNAVAILABLE, "the service stops"};
      const auto health = knows_ ? shared_.health() : HealthCheckResponse::SERVICE_UNKNOWN;
      if (std::exchange(told_, health) == health) return grpc::Status::OK;
      message.set_status(health);
      change = Change::more;
      return grpc::Status::OK;
    }

    Shared& shared_;
    bool knows_ = false;
    std::optional<HealthCheckResponse::ServingStatus> told_;
  };

  UnaryCall* check(grpc::CallbackServerContext& context, HealthCheckResponse& response) {
    const auto call = std::make_shared<UnaryCall>(shared_.reception);
    call->live_with(call);
    const auto end = [this, &context, reactor = call.get()](const grpc::Status& status) {
      finish(context, *reactor, status, shared_.writing_patience);
    };
    call->receive(
        [this, &response, reactor = call.get(), end](const auto& buffer) {
          end(guarded([&]() -> grpc::Status {
            HealthCheckRequest request;
            if (const auto taken = take_small(*buffer, *reactor, request); !taken.ok()) return taken;
            if (!shared_.knows(request.service())) return {StatusCode::NOT_FOUND, "there is no such service"};
            response.set_status(shared_.health());
            return grpc::Status::OK;
          }));
        },
        end);
    return call.get();
  }

  Watch* watch(grpc::CallbackServerContext& context) {
    const auto call = std::make_shared<Watch>(context, shared_);
    call->live_with(call);
    call->receive(
        [this, weak = std::weak_ptr<Watch>(call)](const auto& buffer) {
          const auto received = weak.lock();
          HealthCheckRequest request;
          const grpc::Status begun = guarded([&]() -> grpc::Status {
            if (const auto taken = take_small(*buffer, *received, request); !taken.ok()) return taken;
            return watchers_.add(received) ? grpc::Status::OK : too_many("health has many watchers already");
          });
          begun.ok() ? received->tell(shared_.knows(request.service())) : received->end(begun);
        },
        [reactor = call.get()](const grpc::Status& status) { reactor->end(status); });
    return call.get();
  }

  Shared& shared_;
  Rounds watchers_;
};

class OpenServices::Reflection final : public StreamedService {
 public:
  Reflection(Shared& shared, std::size_t max_calls) : shared_(shared), calls_("cuzk-reflect", kRest, max_calls) {
    add("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", grpc::internal::RpcMethod::BIDI_STREAMING,
        new grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, ServerReflectionResponse>(
            [this](grpc::CallbackServerContext* context) { return answer(*context); }));
  }

 private:
  /// Answers one question after the other, until the client has no more.
  class Answers final : public StreamCall<ServerReflectionResponse> {
   public:
    Answers(grpc::CallbackServerContext& context, Reflection& reflection)
        : StreamCall(context, reflection.shared_.reception, reflection.shared_.writing_patience),
          reflection_(reflection) {}

    void begin(const std::shared_ptr<Answers>& self) {
      live_with(self);
      me_ = self;
      take_next();
    }

   private:
    void take_next() {
      receive([this](const auto& buffer) { take(*buffer); }, [this](const grpc::Status& status) { end(status); });
    }
    /// Who has asked nothing yet is looked after by nobody, and makes room for others.
    grpc::Status look_after() {
      const auto me = std::exchange(me_, {}).lock();
      if (!me || reflection_.calls_.add(me)) return grpc::Status::OK;
      return too_many("reflection has many callers already");
    }
    void take(grpc::ByteBuffer& buffer) {
      const grpc::Status made = guarded([&]() -> grpc::Status {
        ServerReflectionRequest request;
        if (const auto taken = take_small(buffer, *this, request); !taken.ok()) return taken;
        if (auto looked_after = look_after(); !looked_after.ok()) return looked_after;
        fill_reflection(request, reflection_.services_, response_);
        return grpc::Status::OK;
      });
      made.ok() ? write(response_) : end(made);
    }
    void on_written() override { has_gone() ? end({StatusCode::CANCELLED, "the client has gone"}) : take_next(); }
    void on_round() noexcept override {
      if (reflection_.shared_.ends) cancel();
    }
    grpc::Status without_a_message() const override { return grpc::Status::OK; }

    Reflection& reflection_;
    std::weak_ptr<Answers> me_;  // until it is looked after
    ServerReflectionResponse response_;
  };

  Answers* answer(grpc::CallbackServerContext& context) {
    const auto call = std::make_shared<Answers>(context, *this);
    call->begin(call);
    return call.get();
  }

  Shared& shared_;
  const std::vector<std::string> services_ = {shared_.service, "grpc.health.v1.Health",
                                              "grpc.reflection.v1alpha.ServerReflection"};
  Rounds calls_;
};

OpenServices::OpenServices(std::string service, OpenServicesOptions options)
    : shared_(std::make_unique<Shared>(std::move(service), options)),
      health_(std::make_unique<Health>(*shared_, options.max_streams)),
      reflection_(std::make_unique<Reflection>(*shared_, options.max_streams)) {}
OpenServices::~OpenServices() = default;

grpc::Service& OpenServices::health() noexcept { return *health_; }
grpc::Service& OpenServices::reflection() noexcept { return *reflection_; }
void OpenServices::set_serving(bool serving) noexcept { shared_->serving = serving; }
void OpenServices::end_streams() noexcept { shared_->ends = true; }

}  // namespace cuzk::server
