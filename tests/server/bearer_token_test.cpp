#include "server/bearer_token.h"

#include <gtest/gtest.h>

namespace cuzk::server {
namespace {

TEST(BearerToken, IsShownWhole) {
  EXPECT_TRUE(shows_token("Bearer secret", "secret"));
  EXPECT_TRUE(shows_token("bEARER secret", "secret"));
  for (const char* header : {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secret ", "Bearer  secret",
                             "Bearer Secret", "Basic secret", "secret", "Bearersecret"}) {
    EXPECT_FALSE(shows_token(header, "secret")) << header;
  }
}

}  // namespace
}  // namespace cuzk::server
