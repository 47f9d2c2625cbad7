#if defined(__x86_64__)

#include "poly/ntt_lanes_impl.h"

namespace cuzk::transform {

#define CUZK_INSTANTIATE(D, ...)                                                                            \
  template void split_stages_by_lanes<D>(__VA_ARGS__*, unsigned, std::size_t, const __VA_ARGS__*) noexcept; \
  template void join_stages_by_lanes<D>(__VA_ARGS__*, unsigned, std::size_t, const __VA_ARGS__*) noexcept;

CUZK_INSTANTIATE(Direction::forward, Fp<Bn254FrParams, Adx>)
CUZK_INSTANTIATE(Direction::inverse, Fp<Bn254FrParams, Adx>)
CUZK_INSTANTIATE(Direction::forward, Fp<Bls12_381FrParams, Adx>)
CUZK_INSTANTIATE(Direction::inverse, Fp<Bls12_381FrParams, Adx>)

}  // namespace cuzk::transform

#endif
