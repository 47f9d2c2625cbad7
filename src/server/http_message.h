// Requests and replies of HTTP/1.1 as plain values.
//
// cpp-httplib reads the heads and writes the replies, and stays in http_message.cpp. Thread-safety: values; pure
// functions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"

namespace cuzk::server {

/// A request without its body.
struct HttpRequest {
  std::string method;                                      // "GET", also where only the head of a reply is wanted
  std::vector<std::string> path;                           // decoded: "/v1/jobs/a%2Fb" is {"v1", "jobs", "a/b"}
  std::map<std::string, std::string, std::less<>> query;   // decoded; the first of a name counts
  std::map<std::string, std::string, std::less<>> header;  // by names in lower case
  bool trusted = false;                                    // came over a unix socket: needs no token

  std::string_view header_or_empty(std::string_view name) const;
  std::string_view query_or_empty(std::string_view name) const;
};

struct HttpReply {
  int status = 200;
  std::string type = "application/json";  // of a body that is not empty
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
};

/// {"code", "kind", "message"}
HttpReply http_error(int status, const Error& error);
/// With the status that the error's code means.
HttpReply http_error(const Error& error);

/// The segments of a target's path. Nothing: an escape is none, or stands for a NUL; or the target is no path.
std::optional<std::vector<std::string>> parse_path(std::string_view target);

/// The bytes of the reply to a head (request line and headers, each with its CRLF, and the empty line), after which the
/// connection is closed. What `answer` throws is an error of ours; a head that is none is not shown to it.
std::string http_exchange(std::string_view head, const std::function<HttpReply(const HttpRequest&)>& answer);
/// The bytes of a reply to whatever was asked.
std::string http_text(const HttpReply& reply);

}  // namespace cuzk::server
