// What only a device can show: kernels against the host's code, and their times. A program of its own, since the
// machines that have devices need not have the libraries of the tests.
//
//   device_check [--figures]   every check; with --figures the times of kernels as JSON too
//
// Prints a line for each check and "N passed, N failed" last; exit status 1 when one has failed or there is no device.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "backend/cuda/msm.h"
#include "backend/cuda/ntt.h"
#include "poly/domain.h"
#include "tests/device/check_points.h"

namespace cuzk::test {
namespace {

using cuda::DeviceBuffer;
using cuda::DeviceSpan;
using cuda::Event;
using cuda::Msm;
using cuda::MsmResult;
using cuda::Stream;
using cuda::Transform;
using cuda::TransformKind;

template <class T> T must(Result<T> result, const char* what) {
  if (!result) {
    std::printf("%s: %s\n", what, result.error().to_string().c_str());
    std::exit(1);
  }
  return *std::move(result);
}
void must(const Status& status, const char* what) {
  if (status) return;
  std::printf("%s: %s\n", what, status.error().to_string().c_str());
  std::exit(1);
}
void must(cudaError_t status, const char* what) { must(cuda::check(status, what, __FILE__, __LINE__), what); }

struct Counts {
  unsigned passed = 0, failed = 0;
  void note(const std::string& name, bool good) {
    std::printf("%s %s\n", good ? "ok    " : "FAILED", name.c_str());
    ++(good ? passed : failed);
  }
};

std::mt19937_64& random_words() {
  static std::mt19937_64 engine = [] {
    const char* given = std::getenv("CUZK_TEST_SEED");
    const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    return std::mt19937_64(seed);
  }();
  return engine;
}
template <class F> typename F::Repr random_value() {
  typename F::Repr v;
  do {
    for (u64& limb : v.limb) limb = random_words()();
    v.limb[F::limbs - 1] &= ~u64{0} >> std::countl_zero(F::modulus.limb[F::limbs - 1]);
  } while (!(v < F::modulus));
  return v;
}

template <class T> DeviceBuffer to_device(const std::vector<T>& from) {
  DeviceBuffer buffer = must(DeviceBuffer::create(std::max<std::size_t>(1, from.size()) * sizeof(T)), "memory");
  must(cudaMemcpy(buffer.as<T>().data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
  must(cudaDeviceSynchronize(), "copy");  // from pageable memory it may return while the last part is on its way
  return buffer;
}
template <class T> std::vector<T> to_host(const DeviceBuffer& buffer, std::size_t count) {
  std::vector<T> to(count);
  must(cudaMemcpy(to.data(), buffer.as<T>().data, count * sizeof(T), cudaMemcpyDeviceToHost), "copy");
  return to;
}

template <class T> std::vector<T> reversed(const std::vector<T>& from, unsigned bits) {
  std::vector<T> to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t r = 0;
    for (unsigned b = 0; b < bits; ++b) r |= (i >> b & 1) << (bits - 1 - b);
    to[r] = from[i];
  }
  return to;
}

template <class Fr> void check_transforms(Counts& counts, const char* field) {
  Arena arena;
  const Stream stream = must(Stream::create(), "stream");
  for (unsigned log = 0; log <= 21; ++log) {
    const std::size_t n = std::size_t{1} << log;
    const auto domain = must(Domain<Fr>::create(arena, n, RootFamily::bellperson), "domain");
    std::vector<Fr> coefficients(n);
    for (Fr& x : coefficients) x = Fr::from_montgomery(random_value<Fr>());
    const Fr shift = Fr::from_montgomery(random_value<Fr>());
    auto values = coefficients;
    domain.ntt(arena, values);
    auto coset = values;
    domain.to_coset(arena, shift, coset);
    const Fr part = Fr::from_u64(n).inverse();
    for (const std::uint64_t tables : {std::uint64_t{1} << 20, std::uint64_t{1} << 30}) {
      const auto run = [&](const TransformKind<Fr>& kind, const std::vector<Fr>& from, bool to_natural) {
        const auto transform = must(Transform<Fr>::create(stream, kind, tables), "transform");
        const DeviceBuffer data = to_device(from);
        const DeviceSpan<Fr> span{data.as<Fr>().data, n};
        must(to_natural ? transform.reversed_to_natural(stream, span) : transform.natural_to_reversed(stream, span),
             "transform");
        must(stream.wait(), "transform");
        return to_host<Fr>(data, n);
      };
      const Fr root = domain.omega();
      const std::string name = std::string(field) + " 2^" + std::to_string(log) + " tables " + std::to_string(tables);
      counts.note(name + " to reversed", run({log, root}, coefficients, false) == reversed(values, log));
      counts.note(name + " to natural", run({log, root}, reversed(coefficients, log), true) == values);
      counts.note(name + " to coset", run({log, root, shift}, reversed(coefficients, log), true) == coset);
      counts.note(name + " from coset",
                  run({log, root.inverse(), shift.inverse(), part}, coset, false) == reversed(coefficients, log));
    }
  }
}

template <class Point> struct Twin {
  using type = DeviceFp<typename Point::Field::Params>;
};
template <class Base> struct Twin<Point<Fq2<Base>>> {
  using type = DeviceFq2<typename Base::Params>;
};

template <class C, class Point> const auto& generator() {
  if constexpr (std::is_same_v<Point, typename C::G1>) {
    return g1_generator<C>();
  } else {
    return g2_generator<C>();
  }
}

/// Multiples of a generator, and sums of them as one multiple.
template <class C, class Point> struct Multiples {
  using Affine = cuzk::Affine<typename Point::Field>;
  using F = typename Twin<Point>::type;
  DeviceBuffer memory;

  explicit Multiples(std::size_t count) : memory(must(DeviceBuffer::create(count * sizeof(Affine)), "points")) {
    const auto threads = static_cast<unsigned>((count + 31) / 32);
    multiples<<<(threads + 63) / 64, 64>>>(std::bit_cast<DeviceAffine<F>>(generator<C, Point>()),
                                           memory.as<DeviceAffine<F>>().data, count);
    must(cudaDeviceSynchronize(), "points");
  }
  DeviceSpan<const Affine> first(std::size_t count) const { return {memory.as<Affine>().data, count}; }

  static Point sum(const std::vector<U256>& scalars) {
    auto factor = C::Fr::zero();
    for (std::size_t i = 0; i < scalars.size(); ++i)
      factor += C::Fr::from_canonical(scalars[i]) * C::Fr::from_u64(i + 1);
    return Point::from_affine(generator<C, Point>()).times(factor.canonical());
  }
};

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

template <class C, class Point> void check_sums(Counts& counts, const std::string& group) {
  const Multiples<C, Point> points(70'000);
  const Stream stream = must(Stream::create(), "stream");
  SumAlone<C, Point> msm(70'000);
  for (const std::size_t n : {0, 1, 2, 31, 257, 4'000, 65'536, 70'000}) {
    for (unsigned kind = 0; kind < 5; ++kind) {
      const auto scalars = scalars_of_kind<typename C::Fr>(kind, n);
      const DeviceBuffer memory = to_device(scalars);
      const Point sum = msm.run(stream, points.first(n), {memory.as<U256>().data, n});
      counts.note(group + " n " + std::to_string(n) + " kind " + std::to_string(kind), sum == points.sum(scalars));
    }
  }
}

// Figures.

float median_ms(const Stream& stream, unsigned runs, const std::function<void()>& body) {
  std::vector<float> times;
  for (unsigned i = 0; i <= runs; ++i) {
    const Event begin = must(Event::create(true), "event"), end = must(Event::create(true), "event");
    must(begin.record(stream), "event");
    body();
    must(end.record(stream), "event");
    must(end.wait(), "event");
    if (i > 0) times.push_back(must(Event::elapsed_ms(begin, end), "event"));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}
void figure(const std::string& key, float value) { std::printf("  \"%s\": %.4f,\n", key.c_str(), value); }

template <class Fr> void time_transforms(const std::string& field) {
  const Stream stream = must(Stream::create(), "stream");
  for (const unsigned log : {16, 18, 20, 22, 24, 25, 26, 27}) {
    const std::size_t n = std::size_t{1} << log;
    const DeviceBuffer memory = must(DeviceBuffer::create(n * 32), "memory");
    must(cudaMemset(memory.as<char>().data, 0x31, n * 32), "fill");
    const DeviceSpan<Fr> data{memory.as<Fr>().data, n};
    const Fr root = Fr::root_of_unity(RootFamily::bellperson, log);
    const auto time = [&](const char* what, const TransformKind<Fr>& kind, std::uint64_t tables, bool to_natural) {
      const auto transform = must(Transform<Fr>::create(stream, kind, tables), "transform");
      figure(
          "ntt_" + field + "_2p" + std::to_string(log) + what + "_ms", median_ms(stream, 7, [&] {
            must(to_natural ? transform.reversed_to_natural(stream, data) : transform.natural_to_reversed(stream, data),
                 "transform");
          }));
    };
    time("", {log, root}, std::uint64_t{8} << 30, false);
    time("_small_tables", {log, root}, std::uint64_t{1} << 24, false);
    time("_coset", {log, root, Fr::from_u64(7)}, std::uint64_t{8} << 30, true);
  }
}

template <class C, class Point> void time_sums(const std::string& group, const std::vector<unsigned>& logs) {
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

int run(bool figures) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no device\n");
    return 1;
  }
  Counts counts;
  check_transforms<bls12_381::Fr>(counts, "ntt bls12-381");
  check_transforms<bn254::Fr>(counts, "ntt bn254");
  check_sums<Bls12_381, Bls12_381::G1>(counts, "msm bls12-381 g1");
  check_sums<Bls12_381, Bls12_381::G2>(counts, "msm bls12-381 g2");
  check_sums<Bn254, Bn254::G1>(counts, "msm bn254 g1");
  check_sums<Bn254, Bn254::G2>(counts, "msm bn254 g2");
  if (figures) {
    std::printf("{\n");
    time_transforms<bls12_381::Fr>("bls12_381");
    time_transforms<bn254::Fr>("bn254");
    time_sums<Bls12_381, Bls12_381::G1>("bls12_381_g1", {16, 18, 20, 22, 24, 25, 26, 27});
    time_sums<Bn254, Bn254::G1>("bn254_g1", {20, 22, 24, 26});
    time_sums<Bls12_381, Bls12_381::G2>("bls12_381_g2", {18, 20, 22, 24});
    std::printf("  \"failed\": %u\n}\n", counts.failed);
  }
  std::printf("%u passed, %u failed\n", counts.passed, counts.failed);
  return counts.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cuzk::test

int main(int argc, char** argv) { return cuzk::test::run(argc > 1 && std::strcmp(argv[1], "--figures") == 0); }
