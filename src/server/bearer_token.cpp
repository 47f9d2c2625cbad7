#include "server/bearer_token.h"

#include <algorithm>

namespace cuzk::server {
namespace {

constexpr std::string_view kScheme = "bearer ";

bool equal_tokens(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

bool has_scheme(std::string_view header) noexcept {
  return header.size() >= kScheme.size() &&
         std::equal(kScheme.begin(), kScheme.end(), header.begin(), [](char want, char c) {
           return want == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
         });
}

}  // namespace

bool shows_token(std::string_view header, std::string_view token) noexcept {
  return has_scheme(header) && equal_tokens(header.substr(kScheme.size()), token);
}

}  // namespace cuzk::server
