// Where a service is, as people write it.
//
// Thread-safety: values; pure functions.
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"

namespace cuzk::client {

/// Where the service listens unless its configuration says otherwise.
inline constexpr std::string_view kDefaultAddress = "unix:///run/curio/cuzk.sock";

struct Address {
  std::string target;  // as gRPC takes it: "unix:/run/x.sock", "dns:///host:9820"
  bool tls = false;    // the text asks for it

  bool is_unix() const noexcept { return target.starts_with("unix:"); }
};

/// "unix:///path", "unix:/path", "host:port", "[v6]:port", "http://host:port", "https://host:port". A port is needed.
/// invalid_argument, quoting the text.
Result<Address> parse_address(std::string_view text);

}  // namespace cuzk::client
