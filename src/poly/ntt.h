// The transforms behind Domain (poly/domain.h) for one Isa: F is the scalar field of BN254 or BLS12-381 with Portable
// or Adx products; the four are instantiated in ntt_inst.cpp. Callers above this layer use Domain.
//
// Shapes: a.size() = N = 2^n; twiddles.size() = N/2 (nothing for N = 1), twiddle k being omega^br(k) with br reversing
// n - 1 bits. That one table serves every stage and both directions in the order in which it lies in memory
// (ntt_impl.h). Montgomery form, canonical. In place, no allocation; about 120 KiB of stack a thread. Any number of
// threads gives the same bytes. All look at the stop every 100 us; when it was pulled, what they wrote is anything.
// Thread-safety: concurrently on different `a`.
#pragma once

#include <span>

#include "field/fp.h"
#include "support/parallel.h"
#include "support/stop.h"

namespace cuzk::transform {

/// Writes omega^br(k); out.size() = N/2 for omega of order N.
template <class F>
void build_twiddles(Arena& arena, const F& omega, std::span<F> out, const StopToken& stop = {}) noexcept;

/// Coefficients -> values at omega^j; natural order.
template <class F>
void ntt(Arena& arena, std::span<const F> twiddles, std::span<F> a, const StopToken& stop = {}) noexcept;

/// Values at omega^j -> coefficients; natural order.
template <class F>
void inverse_ntt(Arena& arena, std::span<const F> twiddles, std::span<F> a, const StopToken& stop = {}) noexcept;

/// Values at omega^j -> values at shift omega^j; natural order.
template <class F>
void to_coset(Arena& arena, std::span<const F> twiddles, const F& shift, std::span<F> a,
              const StopToken& stop = {}) noexcept;

/// Values at shift omega^j -> coefficients; natural order, shift not zero.
template <class F>
void coset_to_coefficients(Arena& arena, std::span<const F> twiddles, const F& shift, std::span<F> a,
                           const StopToken& stop = {}) noexcept;

/// L_j(x) for all j < out.size() = N; x is no power of omega.
template <class F> void lagrange_at(Arena& arena, const F& omega, const F& x, std::span<F> out) noexcept;

}  // namespace cuzk::transform
