#include "poly/ntt_impl.h"

namespace cuzk::transform {

#define CUZK_INSTANTIATE(...)                                                                                         \
  template void build_twiddles(Arena&, const __VA_ARGS__&, std::span<__VA_ARGS__>, const StopToken&) noexcept;        \
  template void ntt(Arena&, std::span<const __VA_ARGS__>, std::span<__VA_ARGS__>, const StopToken&) noexcept;         \
  template void inverse_ntt(Arena&, std::span<const __VA_ARGS__>, std::span<__VA_ARGS__>, const StopToken&) noexcept; \
  template void to_coset(Arena&, std::span<const __VA_ARGS__>, const __VA_ARGS__&, std::span<__VA_ARGS__>,            \
                         const StopToken&) noexcept;                                                                  \
  template void coset_to_coefficients(Arena&, std::span<const __VA_ARGS__>, const __VA_ARGS__&,                       \
                                      std::span<__VA_ARGS__>, const StopToken&) noexcept;                             \
  template void lagrange_at(Arena&, const __VA_ARGS__&, const __VA_ARGS__&, std::span<__VA_ARGS__>) noexcept;

CUZK_INSTANTIATE(Fp<Bn254FrParams, Portable>)
CUZK_INSTANTIATE(Fp<Bn254FrParams, Adx>)
CUZK_INSTANTIATE(Fp<Bls12_381FrParams, Portable>)
CUZK_INSTANTIATE(Fp<Bls12_381FrParams, Adx>)

}  // namespace cuzk::transform
