// The CPU backend's resident keys and circuits: what cpu_backend.cpp proves with.
//
// Thread-safety: immutable after load.
#pragma once

#include "backend/cpu/cpu_backend.h"
#include "backend/proving_checks.h"
#include "curve/point_span.h"
#include "poly/domain.h"
#include "r1cs/density.h"
#include "support/stop.h"

namespace cuzk::backend {

template <class C> class CpuKey final : public Key<C> {
 public:
  using G1Points = PointSpan<typename C::G1Affine>;
  using G2Points = PointSpan<typename C::G2Affine>;

  /// Queries in our memory layout, on the view's bytes or on `decoded`.
  struct Queries {
    G1Points a, b_g1, l, h;
    G2Points b_g2;
  };

  static Result<std::shared_ptr<const CpuKey>> load(Arena& arena, const groth16::ProvingKeyView<C>& view,
                                                    Validation validation, const StopToken& stop);

  const groth16::VerifyingKey<C>& vk() const noexcept override { return view_.vk; }
  std::size_t num_variables() const noexcept override { return view_.num_variables; }

  std::size_t num_inputs() const noexcept { return view_.num_public() + 1; }
  const groth16::ProvingKeyView<C>& view() const noexcept { return view_; }
  const Domain<typename C::Fr>& domain() const noexcept { return domain_; }
  const Queries& queries() const noexcept { return queries_; }

 private:
  using G1Vector = std::vector<typename C::G1Affine>;
  using G2Vector = std::vector<typename C::G2Affine>;

  CpuKey(const groth16::ProvingKeyView<C>& view, Domain<typename C::Fr> domain)
      : view_(view), domain_(std::move(domain)) {}
  void use_in_place() noexcept;
  Status decode(Arena& arena, Validation validation, const StopToken& stop);

  groth16::ProvingKeyView<C> view_;
  Domain<typename C::Fr> domain_;
  Queries queries_;
  struct {
    G1Vector a, b_g1, l, h;
    G2Vector b_g2;
  } decoded_;
};

template <class C> class CpuCircuit final : public Circuit<C> {
 public:
  using Compiled = r1cs::CompiledCircuit<typename C::Fr>;

  /// When the stop was pulled, not to be used.
  CpuCircuit(std::shared_ptr<const Compiled> compiled, const StopToken& stop)
      : compiled_(std::move(compiled)), densities_(r1cs::densities(*compiled_, stop)) {}

  const Compiled& compiled() const noexcept { return *compiled_; }
  const r1cs::Densities& densities() const noexcept { return densities_; }
  CircuitShape<typename C::Fr> shape() const noexcept {
    return {compiled_.get(), densities_.a.size(), densities_.b.size()};
  }

 private:
  std::shared_ptr<const Compiled> compiled_;
  r1cs::Densities densities_;
};

}  // namespace cuzk::backend
