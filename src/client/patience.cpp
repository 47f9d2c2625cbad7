#include "client/patience.h"

#include <algorithm>
#include <utility>

namespace cuzk::client {
namespace {

Patience::Span part_of(Patience::Span span, double fraction) noexcept {
  return std::chrono::duration_cast<Patience::Span>(span * fraction);
}

}  // namespace

std::optional<Patience::Span> Patience::rest_after(Span call, std::optional<Span> told, double fraction) noexcept {
  if (std::exchange(runs_, true)) left_ -= std::min(call, kConnecting);
  if (left_ <= Span::zero() || (told && *told > left_)) return std::nullopt;
  const Span grown = std::exchange(next_, std::min(2 * next_, kLongestRest));
  const Span rest = told ? *told + part_of(*told / 4, fraction) : grown / 2 + part_of(grown / 2, fraction);
  const Span taken = std::min(rest, left_);
  left_ -= taken;
  return taken;
}

}  // namespace cuzk::client
