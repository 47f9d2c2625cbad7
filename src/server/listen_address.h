// Where a server listens: a unix socket or a TCP port.
//
// Thread-safety: values; pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace cuzk::server {

struct ListenAddress {
  std::string socket;  // absolute path of a unix socket; empty: TCP
  std::string host;    // a name, an IPv4 or (without brackets) an IPv6 address
  std::uint16_t port = 0;

  bool is_unix() const noexcept { return !socket.empty(); }
  /// Only this machine can reach it: a unix socket, localhost, 127.0.0.0/8, ::1.
  bool is_local() const noexcept;
  /// "unix:///run/x.sock", "127.0.0.1:9820", "[::1]:9820"
  std::string to_string() const;
};

/// "unix:///path", "host:port", "[v6]:port"; port 0 is any free one. invalid_argument, quoting the text.
Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace cuzk::server
