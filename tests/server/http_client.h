// A client of HTTP that says exactly what a test wants, and what it got back.
#pragma once

#include <netdb.h>
#include <poll.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "server/listen_address.h"
#include "support/file_descriptor.h"

namespace cuzk::server {

struct HttpAnswer {
  int status = 0;  // 0: none came
  std::map<std::string, std::string> headers;
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

class RawHttpClient {
 public:
  explicit RawHttpClient(const ListenAddress& address) {
    if (address.is_unix()) {
      socket_ = FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_un to{};
      to.sun_family = AF_UNIX;
      address.socket.copy(to.sun_path, sizeof(to.sun_path) - 1);
      connected_ = connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0;
    } else {
      socket_ = FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(address.port);
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      connected_ = connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0;
    }
  }

  bool connected() const noexcept { return connected_; }
  /// False when the server has closed.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// Until so much text is there, or the end.
  std::string receive_until(std::string_view text) {
    while (received_.find(text) == std::string::npos && receive_some()) {
    }
    return received_;
  }
  HttpAnswer answer() {
    while (receive_some()) {
    }
    return parse(received_);
  }
  void close() { socket_.close(); }

 private:
  bool receive_some() {
    char block[65536];
    const ssize_t count = recv(socket_.get(), block, sizeof(block), 0);
    if (count <= 0) return false;
    received_.append(block, static_cast<std::size_t>(count));
    return true;
  }

  static HttpAnswer parse(std::string_view text) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    if (text.starts_with(kContinue)) text.remove_prefix(kContinue.size());
    HttpAnswer answer;
    const std::size_t end = text.find("\r\n\r\n");
    if (!text.starts_with("HTTP/1.1 ") || end == std::string_view::npos) return answer;
    answer.status = std::stoi(std::string(text.substr(9, 3)));
    answer.body = text.substr(end + 4);
    for (std::size_t at = text.find("\r\n"); at < end;) {
      const std::size_t next = text.find("\r\n", at + 2);
      const std::string_view line = text.substr(at + 2, next - at - 2);
      const std::size_t colon = line.find(": ");
      answer.headers[std::string(line.substr(0, colon))] = line.substr(colon + 2);
      at = next;
    }
    return answer;
  }

  FileDescriptor socket_;
  bool connected_ = false;
  std::string received_;
};

inline HttpAnswer http(const ListenAddress& address, std::string_view method, std::string_view target,
                       std::string_view headers = "Host: localhost\r\n", std::string_view body = "") {
  RawHttpClient client(address);
  client.send(std::string(method) + " " + std::string(target) + " HTTP/1.1\r\n" + std::string(headers) + "\r\n" +
              std::string(body));
  return client.answer();
}

}  // namespace cuzk::server
