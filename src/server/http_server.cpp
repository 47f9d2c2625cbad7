#include "server/http_server.h"

#include <algorithm>
#include <condition_variable>
#include <list>

#include "server/acceptor.h"
#include "server/call_threads.h"
#include "server/http_connection.h"
#include "server/listen_sockets.h"
#include "server/unix_socket.h"
#include "support/mutex.h"

namespace cuzk::server {
namespace {

/// Each of them has the whole patience: who sends or takes nothing is not waited for because much is to come.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

/// Hands `bytes` on by pieces.
template <class Span, class Move> Status in_pieces(Span bytes, Move move) {
  while (!bytes.empty()) {
    const Span piece = bytes.first(std::min(bytes.size(), kPieceBytes));
    CUZK_CHECK_OK(move(piece));
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

class ConnectedClient final : public HttpClient {
 public:
  ConnectedClient(HttpConnection& connection, std::chrono::milliseconds patience, StopToken stop)
      : connection_(connection), patience_(patience), stop_(std::move(stop)) {}

  void expect(const HttpRequest& request) {
    waits_for_continue_ = request.header_or_empty("expect") == "100-continue";
    const std::string_view length = request.header_or_empty("content-length");
    sends_ = (!length.empty() && length != "0") || !request.header_or_empty("transfer-encoding").empty();
  }
  /// A body that nobody has read.
  bool sends() const noexcept { return sends_; }

  Result<engine::Payload> read_body(std::uint64_t bytes) override {
    const auto patience = [&] { return Deadline::after(patience_); };
    if (waits_for_continue_) {
      CUZK_CHECK_OK(connection_.write(text_bytes("HTTP/1.1 100 Continue\r\n\r\n"), patience()));
    }
    // Not filled before the bytes come: what is promised and not sent costs nothing.
    const std::shared_ptr<std::byte[]> body(new std::byte[bytes]);
    const MutableBytes all(body.get(), bytes);
    CUZK_CHECK_OK(in_pieces(all, [&](MutableBytes piece) { return connection_.read(piece, patience()); }));
    sends_ = false;
    return engine::Payload{all, body};
  }
  bool is_there() const override { return connection_.is_open(); }
  StopToken stop() const override { return stop_; }

 private:
  HttpConnection& connection_;
  const std::chrono::milliseconds patience_;
  const StopToken stop_;
  bool waits_for_continue_ = false;
  bool sends_ = true;
};

/// How a head that could not be read is told; nothing: there is nobody to tell.
std::optional<HttpReply> refusal_of(const Error& error) {
  switch (error.code()) {
    case Code::exhausted:
      return http_error(431, error);
    case Code::malformed:
      return http_error(400, error);
    case Code::deadline:
      return http_error(408, error);
    default:
      return std::nullopt;
  }
}

}  // namespace

struct HttpServer::Parts {
  Parts(ProvingService& proving, const HttpOptions& http)
      : options(http), pages(proving, http.pages), threads("cuzk-http-call", http.max_connections) {}

  void take(FileDescriptor client);
  static void refuse(HttpConnection& connection);
  void serve(HttpConnection& connection);
  void send(HttpConnection& connection, const std::string& reply, bool client_sends) const;
  bool wait_idle(Deadline deadline);

  const HttpOptions options;
  HttpPages pages;
  std::optional<SocketPlace> place;
  ListenAddress address;
  std::stop_source stop;

  Mutex mutex;
  std::condition_variable_any idle;
  std::list<HttpConnection*> connections CUZK_GUARDED_BY(mutex);

  CallThreads threads;                 // ends before what its bodies use
  std::unique_ptr<Acceptor> acceptor;  // ends first
};

void HttpServer::Parts::take(FileDescriptor client) {
  const auto connection = std::make_shared<HttpConnection>(std::move(client));
  std::list<HttpConnection*>::iterator entry;
  {
    const MutexLock lock(mutex);
    entry = connections.insert(connections.end(), connection.get());
  }
  const auto leave = [this, entry] {
    const MutexLock lock(mutex);
    connections.erase(entry);
    if (connections.empty()) idle.notify_all();
  };
  const bool started = threads.start([this, connection, leave] {
    serve(*connection);
    leave();
  });
  if (started) return;
  refuse(*connection);
  leave();
}

/// On the acceptor's thread: waits for nothing.
void HttpServer::Parts::refuse(HttpConnection& connection) {
  static const std::string kFull = [] {
    HttpReply reply = http_error(Error(Code::exhausted, "too many requests are being served; try again later"));
    reply.headers.emplace_back("Retry-After", "1");
    return http_text(reply);
  }();
  connection.discard_received();
  static_cast<void>(connection.write(text_bytes(kFull), Deadline::after(std::chrono::milliseconds(1))));
}

/// A client that still sends would lose the reply with the connection.
void HttpServer::Parts::send(HttpConnection& connection, const std::string& reply, bool client_sends) const {
  const Status sent = in_pieces(
      text_bytes(reply), [&](Bytes piece) { return connection.write(piece, Deadline::after(options.patience)); });
  if (sent && client_sends) connection.close_gently(Deadline::after(options.patience / 5));
}

void HttpServer::Parts::serve(HttpConnection& connection) {
  const auto head = connection.read_head(Deadline::after(options.patience));
  if (!head) {
    if (const auto refusal = refusal_of(head.error())) send(connection, http_text(*refusal), true);
    return;
  }
  ConnectedClient client(connection, options.patience, stop.get_token());
  const std::string reply = http_exchange(*head, [&](HttpRequest request) {
    request.trusted = address.is_unix();
    client.expect(request);
    return pages.answer(request, client);
  });
  send(connection, reply, client.sends());
}

bool HttpServer::Parts::wait_idle(Deadline deadline) {
  MutexLock lock(mutex);
  const auto done = [this]() CUZK_REQUIRES(mutex) { return connections.empty(); };
  if (deadline.is_never()) {
    idle.wait(lock, done);
    return true;
  }
  return idle.wait_until(lock, deadline.when(), done);
}

namespace {

/// Whether all who reach `http` may use gRPC: there is an address of it that they reach, and that wants nothing.
bool grpc_is_as_open(const ListenAddress& http, const GrpcOptions& grpc) {
  constexpr unsigned kAll = 0006;  // of a socket's mode: every user of the machine
  return std::ranges::any_of(grpc.listen, [&](const ListenAddress& address) {
    if (address.is_unix()) return http.is_unix() || (http.is_local() && (grpc.socket_mode & kAll) == kAll);
    return grpc.service.token.empty() && grpc.tls_client_ca.empty() && (http.is_local() || !address.is_local());
  });
}

}  // namespace

Result<std::optional<HttpOptions>> http_options(const Config& config, const GrpcOptions& grpc) {
  if (config.daemon.status_listen.empty()) return std::optional<HttpOptions>();
  HttpOptions options;
  CUZK_TRY(options.listen, parse_listen_address(config.daemon.status_listen));
  options.socket_mode = grpc.socket_mode;
  options.socket_group = grpc.socket_group;
  options.pages.token = grpc.service.token;
  options.pages.host = options.listen.host;
  options.pages.max_body_bytes = grpc.max_message_bytes;
  options.pages.orphan_grace = grpc.service.orphan_grace;
  const bool wants_less = options.pages.token.empty() && !grpc_is_as_open(options.listen, grpc);
  options.pages.serves_api = config.daemon.http_proving == HttpProving::always ||
                             (config.daemon.http_proving == HttpProving::as_grpc && !wants_less);
  options.opens_more = options.pages.serves_api && wants_less;
  return std::optional(std::move(options));
}

std::vector<std::string> exposure_warnings(const HttpOptions& options) {
  const std::string anyone = "anyone who reaches " + options.listen.to_string();
  if (options.opens_more) {
    return {anyone + " may have proofs made and end jobs, though not all of them may use gRPC (daemon.http_proving)"};
  }
  if (options.listen.is_local()) return {};
  if (!options.pages.serves_api) return {anyone + " may see all jobs"};
  if (options.pages.token.empty()) return {anyone + " may have proofs made and see all jobs"};
  return {anyone + " may see all jobs, and traffic and token are not encrypted"};
}

HttpServer::HttpServer(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}

HttpServer::~HttpServer() { stop(Deadline::after(std::chrono::nanoseconds(0))); }

Result<std::unique_ptr<HttpServer>> HttpServer::start(ProvingService& proving, const HttpOptions& options) {
  auto parts = std::make_unique<Parts>(proving, options);
  parts->address = options.listen;
  std::vector<FileDescriptor> listeners;
  if (options.listen.is_unix()) {
    CUZK_TRY(SocketPlace claimed, SocketPlace::claim(options.listen.socket, options.socket_mode, options.socket_group));
    SocketPlace& place = parts->place.emplace(std::move(claimed));
    CUZK_TRY(FileDescriptor listener, listen_at_path(place.bind_path()));
    listeners.push_back(std::move(listener));
    CUZK_CHECK_OK(place.publish());
  } else {
    CUZK_TRY(ListenSockets listening, listen_at_port(options.listen));
    listeners = std::move(listening.sockets);
    parts->address.port = listening.port;
  }
  CUZK_TRY(parts->acceptor, Acceptor::start("cuzk-http", Acceptor::Use::pages, std::move(listeners),
                                            [&parts = *parts](int client) { parts.take(FileDescriptor(client)); }));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

const ListenAddress& HttpServer::address() const noexcept { return parts_->address; }
void HttpServer::set_ready(bool ready) { parts_->pages.set_ready(ready); }
void HttpServer::set_not_ready(std::string why) { parts_->pages.set_not_ready(std::move(why)); }
void HttpServer::set_warnings(std::vector<std::string> warnings) { parts_->pages.set_warnings(std::move(warnings)); }
void HttpServer::set_token(std::string token) { parts_->pages.set_token(std::move(token)); }
void HttpServer::set_orphan_grace(std::chrono::milliseconds grace) { parts_->pages.set_orphan_grace(grace); }

void HttpServer::stop(Deadline deadline) {
  parts_->acceptor.reset();
  if (parts_->wait_idle(deadline)) return;
  parts_->stop.request_stop();
  {
    const MutexLock lock(parts_->mutex);
    for (HttpConnection* connection : parts_->connections) connection->interrupt();
  }
  parts_->wait_idle(Deadline::never());
}

}  // namespace cuzk::server
