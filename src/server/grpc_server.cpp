#include "server/grpc_server.h"

#include <algorithm>
#include <climits>
#include <optional>

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "server/acceptor.h"
#include "server/listen_sockets.h"
#include "server/open_services.h"
#include "server/tls_credentials.h"
#include "server/unix_socket.h"
#include "support/certificates.h"
#include "support/log.h"
#include "support/mapped_file.h"
#include "support/mutex.h"

namespace cuzk::server {
namespace {

Result<std::string> read_whole(const std::string& path) {
  CUZK_TRY(const MappedFile file, MappedFile::open(path));
  if (file.bytes().empty()) return fail(Code::malformed, path + " is empty");
  return std::string(bytes_text(file.bytes()));
}

Status read_if_named(const std::string& path, std::string& out) {
  if (path.empty()) return {};
  CUZK_TRY(out, read_whole(path));
  return {};
}

/// What gRPC cannot use it tells nobody but those who connect.
Status read_tls(const Config::Daemon& daemon, GrpcOptions& out) {
  CUZK_CHECK_OK(read_if_named(daemon.tls_certificate, out.tls_certificate));
  CUZK_CHECK_OK(read_if_named(daemon.tls_key, out.tls_key));
  CUZK_CHECK_OK(read_if_named(daemon.tls_client_ca, out.tls_client_ca));
  const auto named = [](Status checked, const std::string& what) -> Status {
    if (checked) return {};
    return fail(std::move(checked).error().context(what));
  };
  if (!out.tls_certificate.empty()) {
    CUZK_CHECK_OK(named(check_identity(out.tls_certificate, out.tls_key),
                        "daemon.tls_certificate " + daemon.tls_certificate + ", daemon.tls_key " + daemon.tls_key));
  }
  if (out.tls_client_ca.empty()) return {};
  return named(check_certificates(out.tls_client_ca), "daemon.tls_client_ca " + daemon.tls_client_ca);
}

Result<std::string> read_token(const std::string& path) {
  CUZK_TRY(const std::string text, read_whole(path));
  std::string token = text.substr(0, text.find_first_of("\r\n"));
  if (token.empty()) return fail(Code::malformed, path + " has an empty first line");
  return token;
}

constexpr const char* kService = "cuzk.v1.ProvingEngine";

constexpr int kMoreStreams = 1024;  // of a connection, beside calls and watchers that wait

/// What gRPC has to say: of one connection or call, and whoever can connect can make any number of them.
void log_of_grpc(gpr_log_func_args* event) {
  if (event->severity == GPR_LOG_SEVERITY_ERROR) log_debug("grpc: " + std::string(event->message));
}

/// Of clients too: a text that is no UTF-8.
void log_of_protobuf(google::protobuf::LogLevel level, const char* /*file*/, int /*line*/, const std::string& message) {
  if (level >= google::protobuf::LOGLEVEL_ERROR) log_debug("protobuf: " + message);
}

/// gRPC takes a message in whole before it looks at its size. Where all connections together bring more than this, it
/// closes idle ones and ends calls, whosever, until they do not: the last resort, before memory ends for everybody.
std::uint64_t held_bytes(const GrpcOptions& options) {
  if (options.max_held_bytes > 0) return options.max_held_bytes;
  return options.service.receiving * options.max_message_bytes + 256 * memory::kMiB;
}

void set_connection_rules(grpc::ServerBuilder& builder, const GrpcOptions& options) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(std::min<std::uint64_t>(options.max_message_bytes, INT_MAX)));
  builder.SetMaxSendMessageSize(-1);
  builder.SetResourceQuota(grpc::ResourceQuota("cuzk").Resize(held_bytes(options)));
  // What nobody has asked for yet stays with the client: without them gRPC takes in tens of megabytes of each call.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1 << 20);
  // A few bytes may be gigabytes when they are unpacked: nothing compressed is taken.
  for (const auto algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder.SetCompressionAlgorithmSupportStatus(algorithm, false);
  }
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             static_cast<int>(2 * options.service.max_calls) + kMoreStreams);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

TlsTexts tls_texts(const GrpcOptions& options) {
  return {options.tls_certificate, options.tls_key, options.tls_client_ca};
}

/// An address, and what gRPC gets from us of it. It accepts by itself too, but never again once the process had no
/// descriptor left.
class Door {
 public:
  using Inside = grpc::experimental::ExternalConnectionAcceptor;

  /// `place` is that of a unix socket.
  Door(std::unique_ptr<Inside> inside, std::vector<FileDescriptor> listeners, std::optional<SocketPlace> place)
      : inside_(std::move(inside)), listeners_(std::move(listeners)), place_(std::move(place)) {}

  /// When the server has started. Nobody finds a unix socket before there is who accepts.
  Status open() {
    CUZK_TRY(acceptor_, Acceptor::start("cuzk-grpc", Acceptor::Use::calls, std::move(listeners_),
                                        [inside = inside_](int client) { enter(*inside, client); }));
    return place_ ? place_->publish() : Status();
  }
  void close() { acceptor_.reset(); }

  bool is_unreachable() const { return place_ && !place_->is_there(); }
  /// At the same place; connections stay.
  Status open_again() {
    CUZK_CHECK_OK(place_->renew());
    CUZK_TRY(FileDescriptor listener, listen_at_path(place_->bind_path()));
    listeners_.clear();
    listeners_.push_back(std::move(listener));
    return open();
  }

 private:
  static void enter(Inside& inside, int client) {
    const int on = 1;
    static_cast<void>(setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)));  // not of a unix socket
    Inside::NewConnectionParameters connection;
    connection.fd = client;
    inside.HandleNewConnection(&connection);
  }

  std::shared_ptr<Inside> inside_;
  std::vector<FileDescriptor> listeners_;  // until open()
  std::optional<SocketPlace> place_;
  std::unique_ptr<Acceptor> acceptor_;  // ends first
};

std::string joined(const std::vector<ListenAddress>& addresses) {
  std::string out;
  for (const ListenAddress& address : addresses) out += (out.empty() ? "" : ", ") + address.to_string();
  return out;
}

}  // namespace

Result<GrpcOptions> grpc_options(const Config& config) {
  const Config::Daemon& daemon = config.daemon;
  GrpcOptions options;
  for (const std::string& text : daemon.listen) {
    CUZK_TRY(ListenAddress address, parse_listen_address(text));
    options.listen.push_back(std::move(address));
  }
  options.socket_mode = daemon.socket_mode;
  options.socket_group = daemon.socket_group;
  CUZK_CHECK_OK(read_tls(daemon, options));
  if (!daemon.token_file.empty()) {
    CUZK_TRY(options.service.token, read_token(daemon.token_file));
  }
  options.max_message_bytes = daemon.max_message_bytes;
  options.service.max_calls = daemon.max_calls;
  options.service.orphan_grace = daemon.orphan_grace;
  options.service.limits = {.c1_bytes = daemon.max_c1_bytes,
                            .vanilla_bytes = daemon.max_vanilla_bytes,
                            .window_bytes = daemon.max_window_vanilla_bytes};
  return options;
}

std::vector<std::string> exposure_warnings(const GrpcOptions& options) {
  const bool checks_callers = !options.service.token.empty() || !options.tls_client_ca.empty();
  std::vector<std::string> warnings;
  for (const ListenAddress& address : options.listen) {
    if (address.is_local()) continue;
    if (!checks_callers) warnings.push_back("anyone who reaches " + address.to_string() + " may use this service");
    if (options.tls_certificate.empty()) warnings.push_back("traffic of " + address.to_string() + " is not encrypted");
  }
  return warnings;
}

struct GrpcServer::Parts {
  Parts(ProvingService& proving, const GrpcOptions& options) : service(proving, options.service) {
    if (!options.tls_certificate.empty()) tls.emplace(tls_texts(options));
  }

  std::shared_ptr<grpc::ServerCredentials> tcp_credentials() {
    return tls ? tls->for_address() : grpc::InsecureServerCredentials();
  }

  /// Sets the port, where the system is to choose it.
  Result<Door> door_at(ListenAddress& address, grpc::ServerBuilder& builder, const GrpcOptions& options);

  std::vector<ListenAddress> addresses;
  std::optional<TlsCredentials> tls;
  GrpcService service;
  OpenServices open_services{kService};
  std::unique_ptr<grpc::Server> server;
  Mutex mutex;
  bool closed CUZK_GUARDED_BY(mutex) = false;
  std::vector<Door> doors CUZK_GUARDED_BY(mutex);  // by address; end first
};

Result<Door> GrpcServer::Parts::door_at(ListenAddress& address, grpc::ServerBuilder& builder,
                                        const GrpcOptions& options) {
  using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  std::vector<FileDescriptor> listeners;
  std::optional<SocketPlace> place;
  if (address.is_unix()) {
    CUZK_TRY(SocketPlace claimed, SocketPlace::claim(address.socket, options.socket_mode, options.socket_group));
    CUZK_TRY(FileDescriptor listener, listen_at_path(claimed.bind_path()));
    place.emplace(std::move(claimed));
    listeners.push_back(std::move(listener));
  } else {
    CUZK_TRY(ListenSockets listening, listen_at_port(address));
    listeners = std::move(listening.sockets);
    address.port = listening.port;
  }
  const auto credentials = address.is_unix() ? grpc::InsecureServerCredentials() : tcp_credentials();
  return Door(builder.experimental().AddExternalConnectionAcceptor(Type::FROM_FD, credentials), std::move(listeners),
              std::move(place));
}

GrpcServer::GrpcServer(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}

GrpcServer::~GrpcServer() { stop(Deadline::after(std::chrono::nanoseconds(0))); }

Result<std::unique_ptr<GrpcServer>> GrpcServer::start(ProvingService& proving, const GrpcOptions& options) {
  auto parts = std::make_unique<Parts>(proving, options);
  parts->addresses = options.listen;

  google::protobuf::SetLogHandler(log_of_protobuf);
  gpr_set_log_function(log_of_grpc);
  grpc::ServerBuilder builder;
  set_connection_rules(builder, options);
  std::vector<Door> doors;
  for (ListenAddress& address : parts->addresses) {
    CUZK_TRY(Door door, parts->door_at(address, builder, options));
    doors.push_back(std::move(door));
  }
  builder.RegisterService(&parts->service.service());
  builder.RegisterService(&parts->open_services.health());
  builder.RegisterService(&parts->open_services.reflection());
  parts->server = builder.BuildAndStart();
  if (!parts->server) {
    return fail(Code::conflict, "cannot listen at " + joined(options.listen) +
                                    ": an address is taken or not of this machine, or certificate and key do not fit");
  }
  for (Door& door : doors) CUZK_CHECK_OK(door.open());
  {
    const MutexLock lock(parts->mutex);
    parts->doors = std::move(doors);
  }
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(parts)));
}

const std::vector<ListenAddress>& GrpcServer::addresses() const noexcept { return parts_->addresses; }

void GrpcServer::set_serving(bool serving) { parts_->open_services.set_serving(serving); }

void GrpcServer::set_orphan_grace(std::chrono::milliseconds grace) { parts_->service.set_orphan_grace(grace); }

void GrpcServer::set_access(const GrpcOptions& options) {
  if (parts_->tls) parts_->tls->replace(tls_texts(options));
  parts_->service.set_token(options.service.token);
}

std::vector<std::string> GrpcServer::open_again() {
  std::vector<std::string> in_the_way;
  const MutexLock lock(parts_->mutex);
  if (parts_->closed) return in_the_way;
  for (std::size_t i = 0; i < parts_->doors.size(); ++i) {
    Door& door = parts_->doors[i];
    if (!door.is_unreachable()) continue;
    const std::string address = parts_->addresses[i].to_string();
    if (Status opened = door.open_again(); opened) {
      log_warn("the socket of " + address + " was removed while it was in use: listening there again");
    } else {
      in_the_way.push_back(
          "nobody can connect to " + address +
          ", whose socket was removed or replaced while it was in use; put away what keeps the service "
          "from listening there again, which it tries each second: " +
          opened.error().to_string());
    }
  }
  return in_the_way;
}

void GrpcServer::stop(Deadline deadline) {
  {
    const MutexLock lock(parts_->mutex);
    parts_->closed = true;
    for (Door& door : parts_->doors) door.close();
  }
  parts_->open_services.end_streams();
  if (deadline.is_never()) {
    parts_->server->Shutdown();
    return;
  }
  const auto left = std::max(deadline.when() - Deadline::Clock::now(), Deadline::Clock::duration::zero());
  parts_->server->Shutdown(std::chrono::system_clock::now() + left);
}

}  // namespace cuzk::server
