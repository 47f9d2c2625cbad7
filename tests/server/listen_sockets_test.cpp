#include "server/listen_sockets.h"

#include <gtest/gtest.h>

#include "http_client.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::server {
namespace {

TEST(ListenSockets, APortIsChosenOnceForAllAddressesOfAName) {
  const auto listening = listen_at_port({"", "localhost", 0});
  ASSERT_TRUE(listening) << listening.error().to_string();
  EXPECT_NE(listening->port, 0);
  EXPECT_GE(listening->sockets.size(), 1U);
  EXPECT_TRUE(RawHttpClient({"", "127.0.0.1", listening->port}).connected());
}

TEST(ListenSockets, WhatIsTakenIsAConflict) {
  const auto first = listen_at_port({"", "127.0.0.1", 0});
  ASSERT_TRUE(first);
  for (const auto& [host, port] : {std::pair{"127.0.0.1", first->port}, std::pair{"192.0.2.1", std::uint16_t{0}}}) {
    const auto second = listen_at_port({"", host, port});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), Code::conflict);
  }
}

TEST(ListenSockets, PathsAreOfUnixSockets) {
  const test::TemporaryFolder folder;
  const auto listening = listen_at_path(folder.file("s"));
  ASSERT_TRUE(listening) << listening.error().to_string();
  EXPECT_TRUE(RawHttpClient({folder.file("s"), "", 0}).connected());
  EXPECT_EQ(listen_at_path(folder.file("s")).error().code(), Code::conflict);
  EXPECT_EQ(listen_at_path(folder.file(std::string(200, 'x'))).error().code(), Code::invalid_argument);
}

}  // namespace
}  // namespace cuzk::server
