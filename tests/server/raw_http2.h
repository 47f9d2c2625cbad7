// RawHttp2: a client of HTTP/2 over a unix socket that calls, and takes no answer: its windows have no room and get
// none.
//
// Of what the server sends it tells the kinds of the frames. What it sends keeps to the server's windows, and to most
// of the streams that it allows: those that it is ending count as well, and where they are too many it ends the
// connection. Thread-safety: one thread.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sys/socket.h>
#include <sys/un.h>

#include "tests/support/eventually.h"

namespace cuzk::test {

class RawHttp2 {
 public:
  explicit RawHttp2(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("cannot connect to " + path);
    }
    const std::string no_window = std::string("\x00\x04", 2) + std::string(4, '\0');  // SETTINGS_INITIAL_WINDOW_SIZE
    send_all("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(kSettings, 0, 0, no_window));
  }
  RawHttp2(const RawHttp2&) = delete;
  RawHttp2& operator=(const RawHttp2&) = delete;
  ~RawHttp2() { close(socket_); }

  /// Begins a call with one message; the number of its stream.
  std::uint32_t call(std::string_view method, std::string_view message) {
    const std::uint32_t stream = open(method);
    send_all(frame(kData, kEndOfStream, stream, head_of(message.size()) + std::string(message)));
    return stream;
  }

  /// Begins a call and sends no message; the number of its stream.
  std::uint32_t open(std::string_view method) {
    receive(0);
    if (!wait([&] { return open_streams() < most_streams_; })) throw std::runtime_error("the server ends no call");
    const std::uint32_t stream = next_stream_;
    next_stream_ += 2;
    std::string head("\x83\x86\x04", 3);  // POST, http, path
    head += text(method) + "\x01" + text("localhost");
    head += std::string("\x0f\x10", 2) + text("application/grpc");
    head += std::string(1, '\0') + text("te") + text("trailers");
    send_all(frame(kHeaders, kEndOfHeaders, stream, head));
    return stream;
  }

  /// Sends a message of so many zeros in a call that was opened, until the server gives the call up or lets nothing
  /// more come for a second; how many it has let come.
  std::uint64_t push(std::uint32_t stream, std::uint32_t bytes) {
    send_all(frame(kData, 0, stream, head_of(bytes)));
    std::int64_t used = 5;
    std::uint64_t sent = 0;
    const auto room = [&] { return std::min(stream_window_ + granted_[stream], kFirstWindow + granted_[0]) - used; };
    while (sent < bytes && is_open(stream)) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      while (room() <= 0 && is_open(stream) && std::chrono::steady_clock::now() < until && receive()) {
      }
      const auto part = static_cast<std::size_t>(
          std::clamp<std::int64_t>(std::min(room(), static_cast<std::int64_t>(bytes - sent)), 0, 16384));
      if (part == 0) break;
      send_all(frame(kData, 0, stream, std::string(part, '\0')));
      used += static_cast<std::int64_t>(part);
      sent += part;
      receive(0);
    }
    return sent;
  }

  /// Whether the server has begun to answer in time.
  bool is_answered(std::uint32_t stream) {
    return wait([&] { return answered_.contains(stream); });
  }
  /// Whether it has given the stream up in time.
  bool is_reset(std::uint32_t stream) {
    return wait([&] { return reset_.contains(stream); });
  }

 private:
  enum Kind : std::uint8_t { kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kPing = 6, kWindow = 8 };
  enum Setting : std::uint8_t { kMaxConcurrentStreams = 3, kInitialWindowSize = 4 };
  static constexpr std::int64_t kFirstWindow = 65535;
  static constexpr std::uint8_t kAcknowledged = 1;
  static constexpr std::uint8_t kEndOfStream = 1;
  static constexpr std::uint8_t kEndOfHeaders = 4;

  static std::string big_endian(std::size_t number, unsigned bytes) {
    std::string out;
    while (bytes-- > 0) out += static_cast<char>(number >> (8 * bytes));
    return out;
  }
  static std::string head_of(std::size_t message_bytes) { return std::string(1, '\0') + big_endian(message_bytes, 4); }
  static std::string text(std::string_view value) { return big_endian(value.size(), 1) + std::string(value); }
  static std::string frame(Kind kind, std::uint8_t flags, std::uint32_t stream, const std::string& payload) {
    return big_endian(payload.size(), 3) + static_cast<char>(kind) + static_cast<char>(flags) + big_endian(stream, 4) +
           payload;
  }

  /// Takes in what comes meanwhile: a server whose answers nobody reads stops to read. What is sent to a server that
  /// has gone is lost.
  void send_all(std::string bytes) {
    while (connected_ && !bytes.empty()) {
      pollfd waited{socket_, POLLIN | POLLOUT, 0};
      poll(&waited, 1, -1);
      if ((waited.revents & ~POLLOUT) != 0) take_in();
      if ((waited.revents & POLLOUT) == 0) continue;
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) bytes.erase(0, static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EAGAIN) connected_ = false;
    }
  }

  template <class Done> bool wait(Done done) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!done()) {
      if (std::chrono::steady_clock::now() > until || !receive()) return false;
    }
    return true;
  }

  std::size_t open_streams() const { return next_stream_ / 2 - ended_.size(); }
  bool is_open(std::uint32_t stream) const {
    return connected_ && !reset_.contains(stream) && !answered_.contains(stream);
  }

  /// Takes what comes within a moment; false: the connection has ended.
  bool receive(int patience_ms = 100) {
    pollfd waited{socket_, POLLIN, 0};
    if (!has_frame() && poll(&waited, 1, patience_ms) != 0) take_in();
    while (has_frame()) {
      const std::size_t bytes = kFrameHead + number_at(0, 3);
      take(static_cast<Kind>(received_[3]), static_cast<std::uint8_t>(received_[4]),
           static_cast<std::uint32_t>(number_at(5, 4)), received_.substr(kFrameHead, bytes - kFrameHead));
      received_.erase(0, bytes);
    }
    return connected_;
  }
  bool has_frame() const { return received_.size() >= kFrameHead && received_.size() >= kFrameHead + number_at(0, 3); }
  void take_in() {
    char block[4096];
    const ssize_t received = recv(socket_, block, sizeof block, MSG_DONTWAIT);
    if (received > 0) received_.append(block, static_cast<std::size_t>(received));
    if (received == 0 || (received < 0 && errno != EAGAIN)) connected_ = false;
  }

  void take(Kind kind, std::uint8_t flags, std::uint32_t stream, const std::string& payload) {
    if (kind == kHeaders) answered_.insert(stream);
    if (kind == kReset) reset_.insert(stream);
    if (kind == kReset || (kind == kHeaders && (flags & kEndOfStream) != 0)) ended_.insert(stream);
    if (kind == kWindow) granted_[stream] += static_cast<std::int64_t>(number_of(payload, 0, 4));
    if ((flags & kAcknowledged) != 0) return;
    if (kind == kSettings) {
      for (std::size_t at = 0; at + 6 <= payload.size(); at += 6) {
        const std::size_t value = number_of(payload, at + 2, 4);
        if (number_of(payload, at, 2) == kMaxConcurrentStreams) most_streams_ = value - value / 8;
        if (number_of(payload, at, 2) == kInitialWindowSize) stream_window_ = static_cast<std::int64_t>(value);
      }
    }
    if (kind == kSettings) send_all(frame(kSettings, kAcknowledged, 0, ""));
    if (kind == kPing) send_all(frame(kPing, kAcknowledged, 0, payload));
  }

  static std::size_t number_of(const std::string& text, std::size_t place, unsigned bytes) {
    std::size_t number = 0;
    for (unsigned i = 0; i < bytes; ++i) number = number << 8 | static_cast<unsigned char>(text[place + i]);
    return number;
  }
  std::size_t number_at(std::size_t place, unsigned bytes) const { return number_of(received_, place, bytes); }

  static constexpr std::size_t kFrameHead = 9;

  const int socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::uint32_t next_stream_ = 1;
  std::string received_;
  std::set<std::uint32_t> answered_;
  std::set<std::uint32_t> reset_;
  std::set<std::uint32_t> ended_;
  std::size_t most_streams_ = 100;  // until the server says how many
  bool connected_ = true;
  std::int64_t stream_window_ = kFirstWindow;      // of a new stream
  std::map<std::uint32_t, std::int64_t> granted_;  // beside, by stream; 0: the connection
};

}  // namespace cuzk::test
