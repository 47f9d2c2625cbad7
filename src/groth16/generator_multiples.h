// What setup() has its points made by: multiples of a curve's generators, by the CPU or by a device.
//
// Whoever makes them, the points are the same, so that keys are equal byte for byte. Errors: those of the device.
// Thread-safety: external, one call at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "curve/curves.h"
#include "support/parallel.h"
#include "support/result.h"

namespace cuzk::groth16 {

template <class C> class GeneratorMultiples {
 public:
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;

  virtual ~GeneratorMultiples() = default;

  /// out[i] = scalars[i] times the generator. precondition: equal lengths; scalars are canonical, below r.
  virtual Status in_g1(std::span<const U256> scalars, std::span<G1> out) = 0;
  virtual Status in_g2(std::span<const U256> scalars, std::span<G2> out) = 0;
  /// So many scalars a call keep it busy.
  virtual std::size_t scalars_per_call() const noexcept = 0;
};

/// On the threads of the arena, which must outlive it; tables of 150 MB, made when they are first needed.
/// `in_g1`, `in_g2`: about how many there will be in all.
template <class C>
std::unique_ptr<GeneratorMultiples<C>> cpu_multiples(Arena& arena, std::size_t in_g1, std::size_t in_g2);

}  // namespace cuzk::groth16
