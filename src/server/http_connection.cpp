#include "server/http_connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

#include <sys/socket.h>

#include "support/os_error.h"

namespace cuzk::server {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";

/// For poll(2): -1 never.
int milliseconds_left(Deadline deadline) {
  if (deadline.is_never()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.when() - Deadline::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

/// "Name: value"; another server might take "Name : value", or what is a folded line, for something else.
bool is_header(std::string_view line) noexcept {
  const std::string_view name = line.substr(0, line.find(':'));
  return name.size() < line.size() && !name.empty() && name.find_first_of(" \t") == std::string_view::npos;
}

/// `head` ends with an empty line.
Status check_lines(std::string_view head) {
  if (head.find('\0') != std::string_view::npos) return fail(Code::malformed, "the head holds a NUL character");
  for (bool is_first = true; !head.empty(); is_first = false) {
    const std::size_t end = head.find('\n');
    if (end == 0 || head[end - 1] != '\r') return fail(Code::malformed, "a line of the head does not end with CRLF");
    const std::string_view line = head.substr(0, end - 1);
    if (!is_first && !line.empty() && !is_header(line)) return fail(Code::malformed, "a line of the head is no header");
    head.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace

HttpConnection::HttpConnection(FileDescriptor socket) : socket_(std::move(socket)) {
  fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

Status HttpConnection::wait(short events, Deadline deadline) const {
  pollfd waited{socket_.get(), events, 0};
  const int ready = poll(&waited, 1, milliseconds_left(deadline));
  if (ready > 0 || (ready < 0 && errno == EINTR)) return {};
  if (ready < 0) return fail(os_error(errno, "cannot wait for a client"));
  return fail(Code::deadline, "the client took too long");
}

Result<std::size_t> HttpConnection::receive(MutableBytes out, Deadline deadline) {
  while (true) {
    CUZK_CHECK_OK(deadline.check("receiving a request"));
    const ssize_t received = recv(socket_.get(), out.data(), out.size(), 0);
    if (received >= 0) return static_cast<std::size_t>(received);
    if (errno != EAGAIN && errno != EINTR) return fail(Code::unavailable, "the client has gone");
    CUZK_CHECK_OK(wait(POLLIN, deadline));
  }
}

Result<std::string> HttpConnection::read_head(Deadline deadline) {
  std::string head;
  std::array<std::byte, 4096> block;
  while (true) {
    CUZK_TRY(const std::size_t received, receive(block, deadline));
    if (received == 0) return fail(Code::unavailable, "the client has gone");
    const std::size_t searched = head.size() - std::min(head.size(), kEndOfHead.size());
    head += bytes_text(Bytes(block).first(received));
    const std::size_t end = head.find(kEndOfHead, searched);
    if (std::min(end, head.size()) > kMaxHeadBytes) {
      return fail(Code::exhausted,
                  "request line and headers have more than " + std::to_string(kMaxHeadBytes) + " bytes");
    }
    if (end == std::string::npos) continue;
    ahead_ = head.substr(end + kEndOfHead.size());
    head.resize(end + kEndOfHead.size());
    CUZK_CHECK_OK(check_lines(head));
    return head;
  }
}

Status HttpConnection::read(MutableBytes out, Deadline deadline) {
  const std::size_t known = std::min(out.size(), ahead_.size());
  std::memcpy(out.data(), ahead_.data(), known);
  ahead_.erase(0, known);
  out = out.subspan(known);
  while (!out.empty()) {
    CUZK_TRY(const std::size_t received, receive(out, deadline));
    if (received == 0) return fail(Code::unavailable, "the client has gone");
    out = out.subspan(received);
  }
  return {};
}

Status HttpConnection::write(Bytes bytes, Deadline deadline) {
  while (!bytes.empty()) {
    CUZK_CHECK_OK(deadline.check("sending a reply"));
    const ssize_t sent = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      CUZK_CHECK_OK(wait(POLLOUT, deadline));
    } else {
      return fail(Code::unavailable, "the client has gone");
    }
  }
  return {};
}

bool HttpConnection::is_open() const {
  pollfd asked{socket_.get(), POLLRDHUP, 0};
  return poll(&asked, 1, 0) == 0;
}

void HttpConnection::discard_received() {
  std::array<std::byte, kMaxHeadBytes> block;
  static_cast<void>(recv(socket_.get(), block.data(), block.size(), 0));
}

void HttpConnection::close_gently(Deadline deadline) {
  shutdown(socket_.get(), SHUT_WR);
  std::array<std::byte, 4096> block;
  while (true) {
    const auto received = receive(block, deadline);
    if (!received || *received == 0) return;
  }
}

void HttpConnection::interrupt() noexcept { shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace cuzk::server
