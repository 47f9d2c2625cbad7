#include "field/dot_product.h"
#include "field/fp_batch.h"
#include "field/fp_batch_lanes_impl.h"
#include "support/result.h"

namespace cuzk {

template <class F>
void mul_n(std::span<F> out, std::span<const std::type_identity_t<F>> a,
           std::span<const std::type_identity_t<F>> b) noexcept {
  CUZK_ASSERT(out.size() == a.size() && out.size() == b.size());
  std::size_t done = 0;
#if defined(__x86_64__)
  if (has_lanes()) done = ifma::mul_n(out.data(), a.data(), b.data(), out.size());
#endif
  with_isa([&]<class Isa>() {
    const auto to = view_as<Isa>(out);
    const auto left = view_as<Isa>(a), right = view_as<Isa>(b);
    for (std::size_t i = done; i < to.size(); ++i) to[i] = left[i] * right[i];
  });
}

template <class F> void to_canonical_n(std::span<typename F::Repr> out, std::span<const F> in) noexcept {
  CUZK_ASSERT(out.size() == in.size());
  std::size_t done = 0;
#if defined(__x86_64__)
  if (has_lanes()) done = ifma::to_canonical_n(out.data(), in.data(), in.size());
#endif
  with_isa([&]<class Isa>() {
    const auto from = view_as<Isa>(in);
    for (std::size_t i = done; i < from.size(); ++i) {
      if constexpr (F::limbs == 4)
        out[i] = reduced_value(from[i]);
      else
        out[i] = from[i].canonical();
    }
  });
}

template <class F> void from_canonical_n(std::span<F> out, std::span<const typename F::Repr> in) noexcept {
  CUZK_ASSERT(out.size() == in.size());
  std::size_t done = 0;
#if defined(__x86_64__)
  if (has_lanes()) done = ifma::from_canonical_n(out.data(), in.data(), in.size());
#endif
  with_isa([&]<class Isa>() {
    const auto to = view_as<Isa>(out);
    for (std::size_t i = done; i < to.size(); ++i) to[i] = rebind_isa<F, Isa>::from_canonical(in[i]);
  });
}

#define CUZK_INSTANTIATE(F)                                                                  \
  template void mul_n<F>(std::span<F>, std::span<const F>, std::span<const F>) noexcept;     \
  template void to_canonical_n<F>(std::span<typename F::Repr>, std::span<const F>) noexcept; \
  template void from_canonical_n<F>(std::span<F>, std::span<const typename F::Repr>) noexcept;

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bn254::Fq)
CUZK_INSTANTIATE(bls12_381::Fr)
CUZK_INSTANTIATE(bls12_381::Fq)

}  // namespace cuzk
