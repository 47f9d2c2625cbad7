#include "groth16/generator_multiples.h"

#include <algorithm>
#include <optional>

#include "curve/fixed_base.h"

namespace cuzk::groth16 {

namespace {

constexpr std::size_t kScalarsPerThread = 16384;  // some 50 ms of work
constexpr std::size_t kLeastScalars = 1u << 16;   // 12 MB in G2

template <class C> class CpuMultiples final : public GeneratorMultiples<C> {
 public:
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;

  CpuMultiples(Arena& arena, std::size_t in_g1, std::size_t in_g2)
      : arena_(arena), expected_g1_(in_g1), expected_g2_(in_g2) {}

  Status in_g1(std::span<const U256> scalars, std::span<G1> out) override {
    if (!g1_) g1_.emplace(arena_, g1_generator<C>(), expected_g1_);
    g1_->multiply(arena_, scalars, out);
    return {};
  }
  Status in_g2(std::span<const U256> scalars, std::span<G2> out) override {
    if (!g2_) g2_.emplace(arena_, g2_generator<C>(), expected_g2_);
    g2_->multiply(arena_, scalars, out);
    return {};
  }
  std::size_t scalars_per_call() const noexcept override {
    return std::max(kLeastScalars, arena_.concurrency() * kScalarsPerThread);
  }

 private:
  Arena& arena_;
  std::size_t expected_g1_, expected_g2_;
  std::optional<FixedBase<G1>> g1_;
  std::optional<FixedBase<G2>> g2_;
};

}  // namespace

template <class C>
std::unique_ptr<GeneratorMultiples<C>> cpu_multiples(Arena& arena, std::size_t in_g1, std::size_t in_g2) {
  return std::make_unique<CpuMultiples<C>>(arena, in_g1, in_g2);
}

template std::unique_ptr<GeneratorMultiples<Bn254>> cpu_multiples<Bn254>(Arena&, std::size_t, std::size_t);
template std::unique_ptr<GeneratorMultiples<Bls12_381>> cpu_multiples<Bls12_381>(Arena&, std::size_t, std::size_t);

}  // namespace cuzk::groth16
