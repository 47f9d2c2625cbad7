// 2^i as elements of a field: the weights of bits. A table, computed by the compiler.
#pragma once

#include <array>

#include "field/fp.h"

namespace cuzk::gadgets {

template <class Fr>
inline constexpr auto kPowersOfTwo = [] {
  std::array<Fr, 256> powers{};
  powers[0] = Fr::one();
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1].doubled();
  return powers;
}();

}  // namespace cuzk::gadgets
