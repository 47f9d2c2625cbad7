#include "client/address.h"

#include <gtest/gtest.h>

namespace cuzk::client {
namespace {

TEST(Address, IsReadInEveryForm) {
  const struct {
    const char* text;
    const char* target;
    bool tls;
  } cases[] = {
      {"unix:///run/curio/cuzk.sock", "unix:/run/curio/cuzk.sock", false},
      {"unix:/run/x", "unix:/run/x", false},
      {"127.0.0.1:9820", "dns:///127.0.0.1:9820", false},
      {"prover-1.lan:9820", "dns:///prover-1.lan:9820", false},
      {"[::1]:9820", "dns:///[::1]:9820", false},
      {"http://127.0.0.1:9820", "dns:///127.0.0.1:9820", false},
      {"http://127.0.0.1:9820/", "dns:///127.0.0.1:9820", false},
      {"https://prover:443", "dns:///prover:443", true},
  };
  for (const auto& c : cases) {
    const auto address = parse_address(c.text);
    ASSERT_TRUE(address) << c.text;
    EXPECT_EQ(address->target, c.target);
    EXPECT_EQ(address->tls, c.tls) << c.text;
  }
  EXPECT_TRUE(parse_address(kDefaultAddress)->is_unix());
}

TEST(Address, RefusesWhatIsNone) {
  for (const char* text : {"", "localhost", "unix://relative", "unix:", ":9820", "host:", "host:0", "host:65536",
                           "host:98x", "ho st:1", "::1:9820", "[]:1", "[::g]:1", "http://", "ftp://host:1"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code(), Code::invalid_argument);
    EXPECT_NE(address.error().message().find(std::string("\"") + text + "\""), std::string::npos);
  }
}

}  // namespace
}  // namespace cuzk::client
