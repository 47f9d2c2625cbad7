// What only a device can show: kernels against the host's code, and their times. A program of its own, since the
// machines that have devices need not have the libraries of the tests.
//
//   device_check [--figures] [--small] [PART...]
//
// Every check, or those of some parts: transforms, sums, witnesses, circuits, subsets. With --figures the times of
// kernels as JSON too; --small leaves out large sizes, for tools that make a program slow.
//
// Prints a line for each check and "N passed, N failed" last; exit status 1 when one has failed or there is no device.
#include "backend/cuda/msm.h"
#include "backend/cuda/ntt.h"
#include "poly/domain.h"
#include "tests/device/check_points.h"
#include "tests/device/parts_check.h"

namespace cuzk::test {
namespace {

using cuda::Msm;
using cuda::MsmResult;
using cuda::Transform;
using cuda::TransformKind;

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
    if (small_sizes() && log > 12) return;
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
    if (small_sizes() && n > 4'000) continue;
    for (unsigned kind = 0; kind < 5; ++kind) {
      const auto scalars = scalars_of_kind<typename C::Fr>(kind, n);
      const DeviceBuffer memory = to_device(scalars);
      const Point sum = msm.run(stream, points.first(n), {memory.as<U256>().data, n});
      counts.note(group + " n " + std::to_string(n) + " kind " + std::to_string(kind), sum == points.sum(scalars));
    }
  }
}

// Figures.

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

struct Options {
  bool figures = false;
  std::vector<std::string> parts;

  bool has(const char* part) const {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  }
};

void check(Counts& counts, const Options& options) {
  if (options.has("transforms")) {
    check_transforms<bls12_381::Fr>(counts, "ntt bls12-381");
    check_transforms<bn254::Fr>(counts, "ntt bn254");
  }
  if (options.has("sums")) {
    check_sums<Bls12_381, Bls12_381::G1>(counts, "msm bls12-381 g1");
    check_sums<Bls12_381, Bls12_381::G2>(counts, "msm bls12-381 g2");
    check_sums<Bn254, Bn254::G1>(counts, "msm bn254 g1");
    check_sums<Bn254, Bn254::G2>(counts, "msm bn254 g2");
  }
  if (options.has("witnesses")) check_witnesses(counts);
  if (options.has("circuits")) check_circuits(counts);
  if (options.has("subsets")) check_subset_sums(counts);
}

void time(const Options& options) {
  if (options.has("subsets")) time_subset_sums();
  if (options.has("circuits")) time_circuits();
  if (options.has("transforms")) {
    time_transforms<bls12_381::Fr>("bls12_381");
    time_transforms<bn254::Fr>("bn254");
  }
  if (options.has("sums")) {
    time_sums<Bls12_381, Bls12_381::G1>("bls12_381_g1", {16, 18, 20, 22, 24, 25, 26, 27});
    time_sums<Bn254, Bn254::G1>("bn254_g1", {20, 22, 24, 26});
    time_sums<Bls12_381, Bls12_381::G2>("bls12_381_g2", {18, 20, 22, 24});
  }
}

int run(const Options& options) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no device\n");
    return 1;
  }
  Counts counts;
  check(counts, options);
  if (options.figures) {
    std::printf("{\n");
    time(options);
    std::printf("  \"failed\": %u\n}\n", counts.failed);
  }
  std::printf("%u passed, %u failed\n", counts.passed, counts.failed);
  return counts.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cuzk::test

int main(int argc, char** argv) {
  cuzk::test::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string given = argv[i];
    if (given == "--figures") {
      options.figures = true;
    } else if (given == "--small") {
      cuzk::test::small_sizes() = true;
    } else {
      options.parts.push_back(given);
    }
  }
  return cuzk::test::run(options);
}
