#include "server/listen_address.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

namespace cuzk::server {
namespace {

constexpr std::string_view kUnixPrefix = "unix://";

Error no_address(std::string_view text, std::string_view why) {
  return {Code::invalid_argument, "\"" + std::string(text) + "\" is no address: " + std::string(why) +
                                      "; expected unix:///path, host:port or [IPv6]:port"};
}

bool is_ipv6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_host_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  });
}

Result<ListenAddress> parse_socket_path(std::string_view text) {
  const std::string_view path = text.substr(kUnixPrefix.size());
  if (!path.starts_with('/')) return fail(no_address(text, "the path of the socket is not absolute"));
  if (path.ends_with('/') || path.find('\0') != std::string_view::npos) {
    return fail(no_address(text, "the path names no file"));
  }
  ListenAddress address;
  address.socket = path;
  return address;
}

}  // namespace

bool ListenAddress::is_local() const noexcept {
  in_addr v4{};
  return is_unix() || host == "localhost" || host == "::1" ||
         (inet_pton(AF_INET, host.c_str(), &v4) == 1 && (ntohl(v4.s_addr) >> 24U) == 127);
}

std::string ListenAddress::to_string() const {
  if (is_unix()) return std::string(kUnixPrefix) + socket;
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  if (text.starts_with(kUnixPrefix)) return parse_socket_path(text);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail(no_address(text, "it has no port"));
  const std::string_view digits = text.substr(colon + 1);
  std::string_view host = text.substr(0, colon);

  ListenAddress address;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (digits.empty() || fault != std::errc{} || end != digits.data() + digits.size()) {
    return fail(no_address(text, "its port is not a number up to 65535"));
  }
  const bool brackets = host.size() > 2 && host.starts_with('[') && host.ends_with(']');
  address.host = brackets ? host.substr(1, host.size() - 2) : host;
  if (brackets ? !is_ipv6(address.host) : !is_host_name(host)) {
    return fail(no_address(text, brackets ? "no IPv6 address is between the brackets" : "its host is no name"));
  }
  return address;
}

}  // namespace cuzk::server
