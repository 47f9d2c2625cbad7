// Products and conversions over spans of field elements: the processor's features are looked at once a call.
//
// By lanes where has_lanes(); callers see no difference but speed. All spans of a
// call have the same length (asserted). `out` may be one of the inputs, or overlap none of them. F is one of the four
// fields with Isa = Portable. Thread-safety: concurrently on distinct outputs. No allocation.
#pragma once

#include <span>
#include <type_traits>

#include "field/fp.h"

namespace cuzk {

/// out_i = a_i b_i.
template <class F>
void mul_n(std::span<F> out, std::span<const std::type_identity_t<F>> a,
           std::span<const std::type_identity_t<F>> b) noexcept;

/// out_i = the canonical value of in_i.
template <class F> void to_canonical_n(std::span<typename F::Repr> out, std::span<const F> in) noexcept;

/// out_i = the element of value in_i; precondition: all below p (not checked).
template <class F> void from_canonical_n(std::span<F> out, std::span<const typename F::Repr> in) noexcept;

}  // namespace cuzk
