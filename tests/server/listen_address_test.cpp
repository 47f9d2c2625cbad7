#include "server/listen_address.h"

#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace cuzk::server {
namespace {

using test::must;

TEST(ListenAddress, SocketsNamesAndNumbers) {
  EXPECT_EQ(must(parse_listen_address("unix:///run/curio/cuzk.sock")).socket, "/run/curio/cuzk.sock");
  for (const char* text : {"unix:///run/curio/cuzk.sock", "0.0.0.0:9820", "127.0.0.1:0", "localhost:9820",
                           "prover-1.example.net:65535", "[::1]:9820", "[::]:9820"}) {
    EXPECT_EQ(must(parse_listen_address(text)).to_string(), text);
  }
  EXPECT_EQ(must(parse_listen_address("[::1]:9820")).host, "::1");
}

TEST(ListenAddress, KnowsWhatOnlyThisMachineReaches) {
  for (const char* text : {"unix:///a", "localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"}) {
    EXPECT_TRUE(must(parse_listen_address(text)).is_local()) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.net:1"}) {
    EXPECT_FALSE(must(parse_listen_address(text)).is_local()) << text;
  }
}

TEST(ListenAddress, RefusesTheRest) {
  for (const char* text : {"", ":", "9820", "localhost", "localhost:", "localhost:x", "localhost:65536", "localhost:-1",
                           ":9820", "::1:9820", "[::1]", "[::1:9820", "[localhost]:1", "a b:1", "unix://run/x",
                           "unix:///run/", "unix://", "http://x:1"}) {
    const auto parsed = parse_listen_address(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code(), Code::invalid_argument);
  }
}

}  // namespace
}  // namespace cuzk::server
