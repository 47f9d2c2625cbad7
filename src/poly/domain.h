// Evaluation domains H = <omega> of size N = 2^k in a scalar field, and the transforms between coefficients and
// evaluations.
//
//   ntt:                   a_i -> A(omega^j)        natural order in and out
//   inverse_ntt:           A(omega^j) -> a_i
//   to_coset:              A(omega^j) -> A(shift omega^j)
//   coset_to_coefficients: A(shift omega^j) -> a_i        shift not zero
//
// Cooley, Tukey (1965); Gentleman, Sande (1966): decimation in frequency leaves bit-reversed order, decimation in time
// takes it, so to_coset never permutes. Cache-blocked, parallel over the Arena; every thread count gives the same
// bytes.
//
// omega = generator(family)^((r-1)/N): the two families of key files differ on BLS12-381 (field/params.h), so a Domain
// is made for one of them. Elements in Montgomery form. Twiddles are built once (N/2 elements) and shared by all
// transforms.
//
// Errors: create fails with unsupported when N is not a power of two in [1, 2^two_adicity], with exhausted when there
// is no memory for the twiddles, and with cancelled. Transforms end within a millisecond of a stop, and the span holds
// anything then. Thread-safety: const methods concurrently; the spans are the caller's.
// Memory: in place; no allocation in transforms, about 100 KiB of stack a thread.
#pragma once

#include <memory>
#include <span>

#include "field/fp.h"
#include "support/parallel.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk {

template <class Fr> class Domain {
 public:
  static Result<Domain> create(Arena& arena, std::size_t size, RootFamily family, const StopToken& stop = {});

  std::size_t size() const noexcept { return size_; }
  unsigned log_size() const noexcept { return log_size_; }
  RootFamily family() const noexcept { return family_; }
  const Fr& omega() const noexcept { return omega_; }
  /// A square root of omega: the primitive root of order 2N of the same family; needs 2N <= 2^two_adicity.
  Fr odd_shift() const noexcept { return Fr::root_of_unity(family_, log_size_ + 1); }

  /// All spans have length size().
  void ntt(Arena& arena, std::span<Fr> a, const StopToken& stop = {}) const noexcept;
  void inverse_ntt(Arena& arena, std::span<Fr> a, const StopToken& stop = {}) const noexcept;
  void to_coset(Arena& arena, const Fr& shift, std::span<Fr> a, const StopToken& stop = {}) const noexcept;
  void coset_to_coefficients(Arena& arena, const Fr& shift, std::span<Fr> a, const StopToken& stop = {}) const noexcept;

  /// All N Lagrange basis values L_j(x) of H at a point outside H, by batched inversion.
  void lagrange_at(Arena& arena, const Fr& x, std::span<Fr> out) const noexcept;
  /// x^N - 1.
  Fr vanishing_at(const Fr& x) const noexcept;

 private:
  struct Tables;
  Domain() = default;

  std::size_t size_ = 0;
  unsigned log_size_ = 0;
  RootFamily family_ = RootFamily::iden3;
  Fr omega_{};
  std::shared_ptr<const Tables> tables_;
};

extern template class Domain<bn254::Fr>;
extern template class Domain<bls12_381::Fr>;

}  // namespace cuzk
