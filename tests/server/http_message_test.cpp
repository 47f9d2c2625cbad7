#include "server/http_message.h"

#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/gen/seed.h"

namespace cuzk::server {
namespace {

using namespace std::string_view_literals;

/// What the pages would see of a head; nothing when they are not asked.
std::optional<HttpRequest> seen(const std::string& head) {
  std::optional<HttpRequest> request;
  const std::string reply = http_exchange(head, [&](const HttpRequest& read) {
    request = read;
    return HttpReply{};
  });
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 ")) << reply;
  return request;
}

int status_of(const std::string& head) {
  return std::stoi(http_exchange(head, [](const HttpRequest&) { return HttpReply{}; }).substr(9, 3));
}

TEST(HttpMessage, PathQueryAndHeadersAreDecoded) {
  const auto request =
      seen("POST /v1/jobs/a%2Fb%20c?key=x%26y&label=one+two&key=z HTTP/1.1\r\nHost: me:1\r\nX-Y:  v \r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->path, (std::vector<std::string>{"v1", "jobs", "a/b c"}));
  EXPECT_EQ(request->query_or_empty("key"), "x&y");
  EXPECT_EQ(request->query_or_empty("label"), "one two");
  EXPECT_EQ(request->query_or_empty("other"), "");
  EXPECT_EQ(request->header_or_empty("host"), "me:1");
  EXPECT_EQ(request->header_or_empty("x-y"), "v");
}

TEST(HttpMessage, ValuesOfHeadersAreNoUrls) {
  const auto request = seen("GET / HTTP/1.1\r\nAuthorization: Bearer a%41%\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->header_or_empty("authorization"), "Bearer a%41%");
}

TEST(HttpMessage, PathsAreReadStrictly) {
  EXPECT_EQ(parse_path("/"), std::vector<std::string>{""});
  EXPECT_EQ(parse_path("/a/../b?c/d#e"), (std::vector<std::string>{"a", "..", "b"}));
  EXPECT_EQ(parse_path("/a//"), (std::vector<std::string>{"a", "", ""}));
  EXPECT_EQ(parse_path("/%41%c3%a4"), (std::vector<std::string>{"A\xc3\xa4"}));
  for (const char* target : {"", "a", "*", "http://x/status", "/%", "/%4", "/%4g", "/a%00b"}) {
    EXPECT_FALSE(parse_path(target)) << target;
  }
}

TEST(HttpMessage, WhatCanBeReadInTwoWaysIsRefused) {
  for (const char* header : {"Host: b", "Content-Length: 2", "Authorization: Bearer b", "Origin: http://b"}) {
    const std::string twice = std::string(header) + "\r\n" + header + "\r\n";
    EXPECT_EQ(status_of("GET /status HTTP/1.1\r\n" + twice + "\r\n"), 400) << header;
  }
}

TEST(HttpMessage, WhatIsNoRequestIsRefused) {
  for (const char* head : {"\r\n\r\n", "GET\r\n\r\n", "GET /status\r\n\r\n", "GET /status HTTP/2.0\r\n\r\n",
                           "BREW /status HTTP/1.1\r\n\r\n", "get /status HTTP/1.1\r\n\r\n"}) {
    EXPECT_EQ(status_of(head), 400) << head;
  }
  EXPECT_EQ(status_of("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n"), 414);
}

TEST(HttpMessage, RepliesAreWhole) {
  const std::string reply = http_exchange(
      "GET / HTTP/1.1\r\nRange: bytes=0-0\r\nAccept-Encoding: gzip, br\r\n\r\n",
      [](const HttpRequest&) { return HttpReply{200, "text/plain", std::string(2000, 'x'), {{"ETag", "1"}}}; });
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 OK\r\n")) << reply;
  EXPECT_NE(reply.find("Content-Length: 2000\r\n"), std::string::npos) << reply;
  EXPECT_NE(reply.find("Connection: close\r\n"), std::string::npos) << reply;
  EXPECT_NE(reply.find("ETag: 1\r\n"), std::string::npos) << reply;
  EXPECT_EQ(reply.find("Content-Encoding"), std::string::npos) << reply;
  EXPECT_TRUE(reply.ends_with("\r\n\r\n" + std::string(2000, 'x')));
}

TEST(HttpMessage, AHeadAloneHasNoBody) {
  const std::string reply = http_exchange("HEAD / HTTP/1.1\r\n\r\n", [](const HttpRequest& request) {
    EXPECT_EQ(request.method, "GET");
    return HttpReply{200, "text/plain", "1234", {}};
  });
  EXPECT_NE(reply.find("Content-Length: 4\r\n"), std::string::npos) << reply;
  EXPECT_TRUE(reply.ends_with("\r\n\r\n")) << reply;
}

TEST(HttpMessage, AnExceptionIsAnErrorOfOurs) {
  const std::string reply = http_exchange(
      "GET / HTTP/1.1\r\n\r\n", [](const HttpRequest&) -> HttpReply { throw std::runtime_error("a secret"); });
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 500 ")) << reply;
  EXPECT_EQ(reply.find("a secret"), std::string::npos) << reply;
}

/// A head with some of its bytes changed, dropped, doubled or moved.
std::string damaged(std::string head, std::mt19937_64& random) {
  constexpr std::string_view kNoise = "\r\n:%/?&=# \t\0\x7f\xff;,0a"sv;
  for (std::uint64_t i = 0, changes = 1 + random() % 8; i < changes && !head.empty(); ++i) {
    const std::size_t at = random() % head.size();
    switch (random() % 4) {
      case 0:
        head[at] = kNoise[random() % kNoise.size()];
        break;
      case 1:
        head.erase(at, 1 + random() % 4);
        break;
      case 2:
        head.insert(at, head.substr(random() % head.size(), random() % 40));
        break;
      default:
        head.insert(at, 1, kNoise[random() % kNoise.size()]);
    }
  }
  return head;
}

TEST(HttpMessage, AnyBytesHaveAReplyOrNone) {
  std::mt19937_64 random(test::run_seed());
  const std::string head =
      "POST /v1/prove?key=a%20b&label=c HTTP/1.1\r\nHost: localhost:9821\r\nContent-Length: 12\r\n"
      "Range: bytes=0-1,2-\r\nExpect: 100-continue\r\nAuthorization: Bearer x%41\r\nConnection: keep-alive\r\n\r\n";
  int asked = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string reply = http_exchange(damaged(head, random), [&](const HttpRequest&) {
      ++asked;
      return HttpReply{200, "text/plain", "fine", {}};
    });
    if (reply.empty()) continue;  // no line at all
    ASSERT_TRUE(reply.starts_with("HTTP/1.1 ")) << reply;
    ASSERT_NE(reply.find("Connection: close\r\n"), std::string::npos) << reply;
    ASSERT_EQ(reply.find("HTTP/1.1 ", 1), std::string::npos) << reply;
  }
  EXPECT_GT(asked, 1000);
}

TEST(HttpMessage, ErrorsTellTheirCode) {
  const HttpReply reply = http_error(Error(Code::malformed, Kind::bad_magic, "no \"wtns\""));
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body, R"({"code":"malformed","kind":"bad_magic","message":"no \"wtns\""})");
}

}  // namespace
}  // namespace cuzk::server
