// eventually(): waits for what other threads or processes bring about.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace cuzk::test {

/// How long a test waits for what must come, at most: more than any machine takes under a sanitizer and a load of
/// others. A wait ends as soon as that is there. The environment variable CUZK_TEST_PATIENCE names other seconds: where
/// a fault was put in on purpose, that it does not come is what is expected.
inline const std::chrono::seconds kPatience = [] {
  const char* const seconds = std::getenv("CUZK_TEST_PATIENCE");
  return std::chrono::seconds(seconds == nullptr ? 60 : std::stol(seconds));
}();

/// Whether it came. The condition is asked again and again: what has held once must hold until it is seen.
template <class Condition> bool eventually(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

}  // namespace cuzk::test
