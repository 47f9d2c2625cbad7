// Sums of many points, each times a scalar.
#include "backend/cuda/msm.h"
#include "tests/device/check_points.h"
#include "tests/device/parts_check.h"

namespace cuzk::test {
namespace {

using cuda::Msm;
using cuda::MsmResult;

template <class Fr> std::vector<U256> scalars_of_kind(unsigned kind, std::size_t count) {
  U256 most = Fr::modulus;
  most.sub(U256::from_u64(1));
  std::vector<U256> scalars(count);
  for (U256& s : scalars) {
    const u64 word = random_words()();
    switch (kind) {
      case 0:
        s = random_value<Fr>();
        break;
      case 1:
        s = U256::from_u64(word % 2);
        break;  // bits
      case 2:
        s = most;
        break;  // all the same, the largest
      case 3:
        s = word % 4 != 0 ? U256::from_u64(word % 2) : random_value<Fr>();
        break;
      default:
        s = U256::zero();
    }
  }
  return scalars;
}

/// A sum by itself, with the memory that it works in.
template <class C, class Point> class SumAlone {
 public:
  explicit SumAlone(std::uint32_t most_points)
      : memory_(must(DeviceBuffer::create(must(Msm<C, Point>::bytes(most_points), "msm")), "memory")),
        msm_(must(Msm<C, Point>::create(), "msm")),
        result_(must(MsmResult<C, Point>::create(), "msm")) {
    must(msm_.use(memory_.as<std::byte>(), most_points), "msm");
  }
  Point run(const Stream& stream, DeviceSpan<const Affine<typename Point::Field>> points,
            DeviceSpan<const U256> scalars) {
    must(msm_.start(stream, points, scalars, result_), "msm");
    must(stream.wait(), "msm");
    return result_.value();
  }

 private:
  DeviceBuffer memory_;
  Msm<C, Point> msm_;
  MsmResult<C, Point> result_;
};

template <class C, class Point> void check_group(Counts& counts, const std::string& group) {
  const Multiples<C, Point> points(70'000);
  const Stream stream = must(Stream::create(), "stream");
  SumAlone<C, Point> msm(70'000);
  for (const std::size_t n : {0, 1, 2, 31, 257, 4'000, 65'536, 70'000}) {
    if (small_sizes() && n > 4'000) continue;
    for (unsigned kind = 0; kind < 5; ++kind) {
      const auto scalars = scalars_of_kind<typename C::Fr>(kind, n);
      const DeviceBuffer memory = to_device(scalars);
      const Point sum = msm.run(stream, points.first(n), {memory.as<U256>().data, n});
      counts.note(group + " n " + std::to_string(n) + " kind " + std::to_string(kind), sum == points.sum(scalars));
    }
  }
}

template <class C, class Point> void time_group(const std::string& group, const std::vector<unsigned>& logs) {
  const std::size_t most = std::size_t{1} << logs.back();
  const Multiples<C, Point> points(most);
  const Stream stream = must(Stream::create(), "stream");
  std::vector<U256> scalars(most);
  for (U256& s : scalars) {
    for (u64& limb : s.limb) limb = random_words()();
    s.limb[3] %= C::Fr::modulus.limb[3];
  }
  const DeviceBuffer memory = to_device(scalars);
  for (const unsigned log : logs) {
    const std::size_t n = std::size_t{1} << log;
    SumAlone<C, Point> msm(static_cast<std::uint32_t>(n));
    figure("msm_" + group + "_2p" + std::to_string(log) + "_ms", median_ms(stream, 3, [&] {
             static_cast<void>(msm.run(stream, points.first(n), {memory.as<U256>().data, n}));
           }));
  }
}

}  // namespace

void check_sums(Counts& counts) {
  check_group<Bls12_381, Bls12_381::G1>(counts, "msm bls12-381 g1");
  check_group<Bls12_381, Bls12_381::G2>(counts, "msm bls12-381 g2");
  check_group<Bn254, Bn254::G1>(counts, "msm bn254 g1");
  check_group<Bn254, Bn254::G2>(counts, "msm bn254 g2");
}

void time_sums() {
  time_group<Bls12_381, Bls12_381::G1>("bls12_381_g1", {16, 18, 20, 22, 24, 25, 26, 27});
  time_group<Bn254, Bn254::G1>("bn254_g1", {20, 22, 24, 26});
  time_group<Bls12_381, Bls12_381::G2>("bls12_381_g2", {18, 20, 22, 24});
}

}  // namespace cuzk::test
