// Patience: how long a call that is refused for a while is made again, and the rests in between.
//
// It is the sum of the rests, and of the calls between them, each of which counts for kConnecting at most: what takes
// longer has reached the service, and is work that it did. Thread-safety: external.
#pragma once

#include <chrono>
#include <optional>

namespace cuzk::client {

class Patience {
 public:
  using Span = std::chrono::nanoseconds;
  static constexpr Span kFirstRest = std::chrono::milliseconds(200);
  static constexpr Span kLongestRest = std::chrono::seconds(2);
  /// How long an attempt to connect may take.
  static constexpr Span kConnecting = std::chrono::seconds(5);

  explicit Patience(Span span) noexcept : left_(span) {}

  /// The rest before the next call, when one has taken `call` and was refused; nothing: it is over. `told`: how long
  /// the service wants to be left alone; without it rests grow. `fraction`, drawn from [0, 1), keeps clients apart who
  /// were refused together.
  std::optional<Span> rest_after(Span call, std::optional<Span> told, double fraction) noexcept;

 private:
  Span left_;
  Span next_ = kFirstRest;
  bool runs_ = false;  // from the first refusal on
};

}  // namespace cuzk::client
