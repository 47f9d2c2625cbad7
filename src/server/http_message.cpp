#include "server/http_message.h"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include "support/hex.h"
#include "support/json_writer.h"
#include "support/log.h"

namespace cuzk::server {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

int http_status(Code code) noexcept {
  switch (code) {
    case Code::invalid_argument:
    case Code::malformed:
    case Code::unsupported:
      return 400;
    case Code::not_found:
      return 404;
    case Code::cancelled:
    case Code::conflict:
      return 409;
    case Code::unsatisfied:
      return 422;
    case Code::exhausted:
    case Code::unavailable:
    case Code::device:
      return 503;
    case Code::deadline:
      return 504;
    case Code::internal:
      break;
  }
  return 500;
}

std::string_view value_or_empty(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::string> decode_segment(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    std::array<std::byte, 1> byte{};
    if (i + 2 >= text.size() || !decode_hex(text.substr(i + 1, 2), byte) || byte[0] == std::byte{0}) {
      return std::nullopt;
    }
    out += static_cast<char>(byte[0]);
    i += 2;
  }
  return out;
}

/// Where httplib finds a head, and leaves its reply.
class HeadStream final : public httplib::Stream {
 public:
  explicit HeadStream(std::string_view head) : head_(head) {}

  std::string take_reply() { return std::move(reply_); }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t size) override {
    const std::size_t count = std::min(size, head_.size());
    std::memcpy(to, head_.data(), count);
    head_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) override {
    reply_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return -1; }

 private:
  std::string_view head_;
  std::string reply_;
};

/// httplib 0.11 takes "%41" in a header's value for an escape, which it is not: it finds there what decodes to the
/// value.
std::string guard_escapes(std::string_view head) {
  const std::size_t line = head.find("\r\n");
  std::string out(head.substr(0, line));
  if (line == std::string_view::npos) return out;
  for (const char c : head.substr(line)) c == '%' ? out += "%25" : out += c;
  return out;
}

bool is_single(std::string_view header) {
  constexpr std::array<std::string_view, 7> kSingle = {"host",   "content-length", "transfer-encoding", "authorization",
                                                       "origin", "sec-fetch-site", "content-type"};
  return std::ranges::find(kSingle, header) != kSingle.end();
}

std::optional<HttpRequest> request_of(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method == "HEAD" ? "GET" : from.method;
  auto path = parse_path(from.target);
  if (!path) return std::nullopt;
  request.path = *std::move(path);
  for (const auto& [name, value] : from.params) request.query.emplace(name, value);
  for (const auto& [name, value] : from.headers) {
    std::string key = name;
    std::ranges::transform(key, key.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (!request.header.emplace(key, value).second && is_single(key)) return std::nullopt;
  }
  return request;
}

void fill_response(HttpReply reply, httplib::Response& response) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  response.set_header("X-Content-Type-Options", "nosniff");
  response.body = std::move(reply.body);
  if (!response.body.empty()) response.set_header("Content-Type", reply.type);
}

void explain_exception(const std::exception_ptr& thrown, httplib::Response& response) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    fill_response(http_error(Error(Code::exhausted, "out of memory")), response);
  } catch (const std::exception& exception) {
    log_error("a request ended with an exception: " + std::string(exception.what()));
    fill_response(http_error(Error(Code::internal, "internal error")), response);
  }
}

class Exchange final : private httplib::Server {
 public:
  explicit Exchange(const std::function<HttpReply(const HttpRequest&)>& answer) {
    set_pre_routing_handler([this, &answer](const httplib::Request&, httplib::Response& response) {
      fill_response(request_ ? answer(*request_)
                             : http_error(Error(Code::malformed, "no path, or a header that may be there once only")),
                    response);
      return HandlerResponse::Handled;
    });
    set_error_handler(HandlerWithResponse([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) {  // httplib's own refusal
        fill_response(http_error(response.status, Error(Code::malformed, "this is no request of HTTP/1.1")), response);
      }
      return HandlerResponse::Handled;
    }));
    set_exception_handler([](const httplib::Request&, httplib::Response& response, const std::exception_ptr& thrown) {
      explain_exception(thrown, response);
    });
  }

  std::string run(std::string_view head) {
    const std::string guarded = guard_escapes(head);
    HeadStream stream(guarded);
    bool closed = false;
    process_request(stream, true, closed, [this](httplib::Request& request) {
      request_ = request_of(request);
      // httplib is to send no parts, to compress nothing (replies are small or fetched once), and to leave it to the
      // pages when a body is wanted.
      request.ranges.clear();
      for (const char* name : {"Range", "Accept-Encoding", "Expect"}) request.headers.erase(name);
    });
    return stream.take_reply();
  }

 private:
  std::optional<HttpRequest> request_;
};

}  // namespace

std::string_view HttpRequest::header_or_empty(std::string_view name) const { return value_or_empty(header, name); }
std::string_view HttpRequest::query_or_empty(std::string_view name) const { return value_or_empty(query, name); }

std::optional<std::vector<std::string>> parse_path(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (!target.starts_with('/')) return std::nullopt;
  std::vector<std::string> path;
  for (std::size_t begin = 1; begin <= target.size();) {
    const std::size_t end = std::min(target.find('/', begin), target.size());
    auto segment = decode_segment(target.substr(begin, end - begin));
    if (!segment) return std::nullopt;
    path.push_back(*std::move(segment));
    begin = end + 1;
  }
  return path;
}

HttpReply http_error(int status, const Error& error) {
  JsonWriter json;
  json.begin_object().key("code").string(to_string(error.code())).key("kind").string(to_string(error.kind()));
  json.key("message").string(error.to_string()).end_object();
  return {status, "application/json", json.take(), {{"Cache-Control", "no-store"}}};
}

HttpReply http_error(const Error& error) { return http_error(http_status(error.code()), error); }

std::string http_exchange(std::string_view head, const std::function<HttpReply(const HttpRequest&)>& answer) {
  return Exchange(answer).run(head);
}

std::string http_text(const HttpReply& reply) {
  return http_exchange("GET / HTTP/1.1\r\n\r\n", [&](const HttpRequest&) { return reply; });
}

}  // namespace cuzk::server
