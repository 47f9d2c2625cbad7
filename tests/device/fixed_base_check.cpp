// Multiples of the generators, of parts of a chunk up to several, against the host's.
#include "backend/cuda/device_multiples.h"
#include "curve/fixed_base.h"
#include "tests/device/parts_check.h"

namespace cuzk::test {
namespace {

using groth16::GeneratorMultiples;

template <class Fr> std::vector<U256> scalars_of(std::size_t n) {
  std::vector<U256> scalars(n);
  U256 greatest = Fr::Params::modulus;
  greatest.sub(U256::from_u64(1));
  for (std::size_t i = 0; i < n; ++i) {
    switch (i % 16) {
      case 0:
        scalars[i] = U256{};
        break;
      case 1:
        scalars[i] = greatest;
        break;
      case 2:
        scalars[i] = U256::from_u64(i / 16);
        break;
      default:
        scalars[i] = random_value<Fr>();
    }
  }
  return scalars;
}

template <class Affine, class Make>
void check_group(Counts& counts, const std::string& name, Arena& arena, const Affine& base,
                 const std::vector<U256>& scalars, const Make& make) {
  std::vector<Affine> expected(scalars.size()), found(scalars.size(), base);
  FixedBase<Affine>(arena, base, scalars.size()).multiply(arena, scalars, expected);
  must(make(std::span<const U256>(scalars), std::span(found)), "multiples");
  counts.note("multiples " + name + " n " + std::to_string(scalars.size()), found == expected);
}

template <class C> void check_curve(Counts& counts, const std::string& curve) {
  Arena arena;
  const auto device = must(backend::cuda_devices(), "devices").front();
  constexpr std::uint64_t kTables = std::uint64_t{160} << 20;
  for (const std::uint64_t limit : {kTables, std::uint64_t{2} << 30}) {
    const auto on = must(backend::open_cuda_multiples<C>(arena, device, limit), "multiples");
    for (const std::size_t n : {0, 1, 2, 15, 17, 1'024, 4'097, 20'000, 65'536}) {
      if (small_sizes() && n > 20'000) continue;
      const auto scalars = scalars_of<typename C::Fr>(n);
      const std::string chunks = " chunks of " + std::to_string(on->scalars_per_call() / 4);
      check_group(counts, curve + " g1" + chunks, arena, g1_generator<C>(), scalars,
                  [&](auto k, auto to) { return on->in_g1(k, to); });
      check_group(counts, curve + " g2" + chunks, arena, g2_generator<C>(), scalars,
                  [&](auto k, auto to) { return on->in_g2(k, to); });
    }
  }
  const auto refused = backend::open_cuda_multiples<C>(arena, device, std::uint64_t{1} << 20);
  counts.note("multiples " + curve + " in too little memory", !refused && refused.error().code() == Code::exhausted);
}

template <class C> void time_curve(const std::string& curve) {
  Arena arena;
  const auto on =
      must(backend::open_cuda_multiples<C>(arena, must(backend::cuda_devices(), "devices").front()), "multiples");
  const auto scalars = scalars_of<typename C::Fr>(std::size_t{1} << 22);
  std::vector<typename C::G1Affine> g1(scalars.size());
  std::vector<typename C::G2Affine> g2(scalars.size());
  const Stream stream = must(Stream::create(), "stream");
  figure("multiples_" + curve + "_g1_2p22_ms",
         median_ms(stream, 3, [&] { must(on->in_g1(scalars, g1), "multiples"); }));
  figure("multiples_" + curve + "_g2_2p22_ms",
         median_ms(stream, 3, [&] { must(on->in_g2(scalars, g2), "multiples"); }));
}

}  // namespace

void check_multiples(Counts& counts) {
  check_curve<Bn254>(counts, "bn254");
  check_curve<Bls12_381>(counts, "bls12_381");
}

void time_multiples() {
  time_curve<Bn254>("bn254");
  time_curve<Bls12_381>("bls12_381");
}

}  // namespace cuzk::test
