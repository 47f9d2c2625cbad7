#include "client/address.h"

#include <algorithm>
#include <charconv>

namespace cuzk::client {
namespace {

Error no_address(std::string_view text, std::string_view why) {
  return {Code::invalid_argument, "\"" + std::string(text) + "\" is no address: " + std::string(why) +
                                      "; expected unix:///path, host:port or http://host:port"};
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool is_port(std::string_view digits) {
  unsigned port = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return fault == std::errc{} && end == digits.data() + digits.size() && port >= 1 && port <= 65535;
}

bool is_host(std::string_view host) {
  if (host.size() > 2 && host.starts_with('[') && host.ends_with(']')) {
    return std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
    });
  }
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  });
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  std::string_view rest = text;
  if (take_prefix(rest, "unix://") || take_prefix(rest, "unix:")) {
    if (!rest.starts_with('/')) return fail(no_address(text, "the path of the socket is not absolute"));
    return Address{"unix:" + std::string(rest), false};
  }
  const bool tls = take_prefix(rest, "https://");
  if (!tls) take_prefix(rest, "http://");
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return fail(no_address(text, "it has no port"));
  if (!is_port(rest.substr(colon + 1))) return fail(no_address(text, "its port is not a number from 1 to 65535"));
  if (!is_host(rest.substr(0, colon))) return fail(no_address(text, "its host is no name"));
  return Address{"dns:///" + std::string(rest), tls};
}

}  // namespace cuzk::client
