// Elements of Fq2 that two threads of a warp have together, against the host's.
#include "backend/cuda/point_kernels.h"
#include "tests/device/parts_check.h"

namespace cuzk::test {
namespace {

using cuda::Added;

/// Of four elements a, b, c, d: a b, a^2, a b + c d, and one where a is zero.
template <class L> __global__ void compute(const cuda::StoredSum<L>* in, std::uint32_t count, cuda::StoredSum<L>* out) {
  const std::uint32_t i = cuda::point_of_thread<L>();
  const auto [a, b, c, d] = cuda::load_sum_if<L>(i < count, in + i);
  const L of_products = L::sum_of_products(a, b, c, d);
  const DeviceXyzz<L> results{a * b, a.squared(), of_products, a.is_zero() ? L::one() : L::zero()};
  if (i < count) cuda::store_sum(out + i, results);
}

template <class Fq2> struct Four {
  Fq2 a, b, c, d;
  bool operator==(const Four&) const = default;
};

template <class Fq> Fq often_an_edge() {
  switch (random_words()() % 6) {
    case 0:
      return Fq::zero();
    case 1:
      return Fq::one();
    case 2:
      return -Fq::one();
    default:
      return Fq::from_canonical(random_value<Fq>());
  }
}

template <class C> void check_curve(Counts& counts, const std::string& name) {
  using Fq = typename C::Fq;
  using Fq2 = typename C::Fq2;
  using L = Added<DeviceTwin<Fq2>>;
  using Sum = cuda::StoredSum<L>;
  static_assert(sizeof(Sum) == sizeof(Four<Fq2>));
  std::vector<Four<Fq2>> in(10'001), expected;
  const auto draw = [] { return Fq2{often_an_edge<Fq>(), often_an_edge<Fq>()}; };
  for (Four<Fq2>& x : in) {
    x = {draw(), draw(), draw(), draw()};
    expected.push_back({x.a * x.b, x.a.squared(), x.a * x.b + x.c * x.d, x.a.is_zero() ? Fq2::one() : Fq2::zero()});
  }
  const DeviceBuffer from = to_device(in), to = poisoned(in.size() * sizeof(Sum));
  const auto count = static_cast<std::uint32_t>(in.size());
  compute<L><<<cuda::blocks_for(count, cuda::kPointsOfBlock<L>), cuda::kPointThreads>>>(from.as<Sum>().data, count,
                                                                                        to.as<Sum>().data);
  must(cudaGetLastError(), "pairs");
  must(cudaDeviceSynchronize(), "pairs");
  counts.note("pairs " + name, to_host<Four<Fq2>>(to, in.size()) == expected);
}

}  // namespace

void check_pairs(Counts& counts) {
  check_curve<Bls12_381>(counts, "bls12-381");
  check_curve<Bn254>(counts, "bn254");
}

}  // namespace cuzk::test
