#include "backend/cuda/msm.h"
#include "backend/cuda/subset_sum.h"
#include "tests/device/check_points.h"
#include "tests/device/parts_check.h"

namespace cuzk::test {
namespace {

using cuda::XyzzPoint;

/// A sum with its memory and its page-locked result.
template <class C, class Point> class SubsetSum {
 public:
  using Affine = cuzk::Affine<typename Point::Field>;

  SubsetSum() : work_(poisoned(cuda::subset_sum_bytes<C, Point>())) {
    must(cudaMallocHost(&result_, sizeof(XyzzPoint<Point>)), "memory");
  }
  ~SubsetSum() { must(cudaFreeHost(result_), "memory"); }

  void start(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const u64> set) {
    must(cuda::subset_sum<C, Point>(stream, points, set, work_.template as<std::byte>(),
                                    static_cast<XyzzPoint<Point>*>(result_)),
         "subset sum");
  }
  Point run(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const u64> set) {
    start(stream, points, set);
    must(stream.wait(), "subset sum");
    return static_cast<const XyzzPoint<Point>*>(result_)->point();
  }

 private:
  DeviceBuffer work_;
  void* result_ = nullptr;
};

std::vector<u64> set_of(std::size_t n, const std::function<bool(std::size_t)>& has) {
  std::vector<u64> words((n + 63) / 64);
  for (std::size_t i = 0; i < n; ++i) words[i / 64] |= u64{has(i)} << (i % 64);
  return words;
}

/// factors[i] times the generator are the points; some of them equal, opposite, or the identity.
template <class C, class Point> void check_group(Counts& counts, const std::string& group) {
  using Affine = cuzk::Affine<typename Point::Field>;
  using Fr = typename C::Fr;
  constexpr std::size_t kMost = 70'000;
  const Multiples<C, Point> multiples(kMost);
  const std::vector<Affine> all = to_host(multiples.first(kMost));
  const Stream stream = must(Stream::create(), "stream");
  SubsetSum<C, Point> sum;
  const auto check = [&](const std::string& name, const std::vector<std::int64_t>& factors,
                         const std::function<bool(std::size_t)>& has) {
    const std::size_t n = factors.size();
    std::vector<Affine> points(n);
    Fr total = Fr::zero();
    for (std::size_t i = 0; i < n; ++i) {
      const auto size = static_cast<std::size_t>(factors[i] < 0 ? -factors[i] : factors[i]);
      points[i] = size == 0 ? Affine::identity() : all[size - 1];
      if (factors[i] < 0) points[i].y = -points[i].y;
      if (!has(i)) continue;
      total += factors[i] < 0 ? -Fr::from_u64(size) : Fr::from_u64(size);
    }
    const DeviceBuffer memory = to_device(points), set = to_device(set_of(n, has));
    const Point found = sum.run(stream, {memory.as<Affine>().data, n}, {set.as<u64>().data, (n + 63) / 64});
    counts.note("subset " + group + " n " + std::to_string(n) + " " + name,
                found == Point::from_affine(generator<C, Point>()).times(total.canonical()));
  };
  for (const std::size_t n : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 257, 1'000, 4'097, 70'000}) {
    if (small_sizes() && n > 5'000) continue;
    std::vector<bool> coins(n);
    for (std::size_t i = 0; i < n; ++i) coins[i] = random_words()() % 2 != 0;
    const auto random = [&](std::size_t i) { return coins[i]; };
    const auto every = [](std::size_t) { return true; };
    std::vector<std::int64_t> different(n), equal(n, 5), pairs(n), some(n);
    for (std::size_t i = 0; i < n; ++i) {
      different[i] = static_cast<std::int64_t>(i + 1);
      pairs[i] = static_cast<std::int64_t>(i / 2 + 1) * (i % 2 == 0 ? 1 : -1);
      some[i] = static_cast<std::int64_t>(random_words()() % 7) - 3;
    }
    check("none", different, [](std::size_t) { return false; });
    check("all", different, every);
    check("random", different, random);
    check("first", different, [](std::size_t i) { return i == 0; });
    check("last", different, [&](std::size_t i) { return i + 1 == n; });
    check("equal", equal, every);
    check("opposite", pairs, every);
    check("few values, identities", some, random);
    check("identities", std::vector<std::int64_t>(n), every);
  }
}

template <class C, class Point> void check_numbered(Counts& counts, const std::string& group) {
  using Msm = cuda::Msm<C, Point>;
  constexpr std::size_t kPoints = 5'000;
  const Multiples<C, Point> points(kPoints);
  const Stream stream = must(Stream::create(), "stream");
  const DeviceBuffer memory = poisoned(must(Msm::bytes(3'000), "msm"));
  Msm msm = must(Msm::create(), "msm");
  auto result = must(cuda::MsmResult<C, Point>::create(), "msm");
  must(msm.use(memory.as<std::byte>(), 3'000), "msm");
  for (const std::size_t n : {0, 1, 2, 3, 100, 3'000}) {
    std::vector<U256> scalars(n), by_point(kPoints);
    std::vector<std::uint32_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) {
      scalars[i] = random_value<typename C::Fr>();
      numbers[i] = static_cast<std::uint32_t>(i % 10 == 9 ? numbers[i - 1] : random_words()() % kPoints);
      const auto sum = C::Fr::from_canonical(by_point[numbers[i]]) + C::Fr::from_canonical(scalars[i]);
      by_point[numbers[i]] = sum.canonical();
    }
    const DeviceBuffer values = to_device(scalars), places = to_device(numbers);
    must(msm.start(stream, points.first(kPoints), {values.as<U256>().data, n}, {places.as<std::uint32_t>().data, n},
                   result),
         "msm");
    must(stream.wait(), "msm");
    counts.note("numbered " + group + " n " + std::to_string(n), result.value() == points.sum(by_point));
  }
}

/// Half of n different points.
template <class C, class Point> class HalfOfMany {
 public:
  explicit HalfOfMany(std::size_t n) : points_(n), n_(n), set_((n + 63) / 64) {
    for (u64& word : set_) word = random_words()();
    set_.back() &= n % 64 == 0 ? ~u64{0} : (u64{1} << (n % 64)) - 1;
    memory_ = to_device(set_);
  }
  void start() { sum_.start(stream, points_.first(n_), words()); }
  bool is_right() {
    typename C::Fr total = C::Fr::zero();
    for (std::size_t i = 0; i < n_; ++i) {
      if ((set_[i / 64] >> (i % 64) & 1) != 0) total += C::Fr::from_u64(i + 1);
    }
    return sum_.run(stream, points_.first(n_), words()) ==
           Point::from_affine(generator<C, Point>()).times(total.canonical());
  }
  std::size_t chosen() const {
    std::size_t count = 0;
    for (const u64 word : set_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }

  const Stream stream = must(Stream::create(), "stream");

 private:
  DeviceSpan<const u64> words() const { return {memory_.as<u64>().data, set_.size()}; }

  Multiples<C, Point> points_;
  std::size_t n_;
  std::vector<u64> set_;
  DeviceBuffer memory_;
  SubsetSum<C, Point> sum_;
};

template <class C, class Point> void time_group(const std::string& key, std::size_t n) {
  HalfOfMany<C, Point> sum(n);
  const float ms = median_ms(sum.stream, 5, [&] { sum.start(); });
  if (!sum.is_right()) {
    std::printf("FAILED subset sum %s\n", key.c_str());
    std::exit(1);
  }
  figure("subset_sum_" + key + "_ms", ms);
  figure("subset_sum_" + key + "_gadds", static_cast<float>(static_cast<double>(sum.chosen()) / ms / 1e6));
}

}  // namespace

void check_subset_sums(Counts& counts) {
  check_group<Bls12_381, Bls12_381::G1>(counts, "bls12-381 g1");
  check_group<Bls12_381, Bls12_381::G2>(counts, "bls12-381 g2");
  check_group<Bn254, Bn254::G1>(counts, "bn254 g1");
  check_group<Bn254, Bn254::G2>(counts, "bn254 g2");
  for (const std::size_t n : {600'000, 9'000'000, 20'000'000}) {
    if (small_sizes()) continue;
    HalfOfMany<Bn254, Bn254::G1> sum(n);
    counts.note("subset bn254 g1 n " + std::to_string(n), sum.is_right());
  }
  check_numbered<Bls12_381, Bls12_381::G1>(counts, "bls12-381 g1");
  check_numbered<Bn254, Bn254::G2>(counts, "bn254 g2");
}

void time_subset_sums() {
  time_group<Bls12_381, Bls12_381::G1>("bls12_381_g1_65m_of_130m", 130'169'893);
  time_group<Bls12_381, Bls12_381::G1>("bls12_381_g1_32k_of_65k", 65'536);
  time_group<Bls12_381, Bls12_381::G2>("bls12_381_g2_16m_of_33m", 33'112'282);
  time_group<Bn254, Bn254::G1>("bn254_g1_16m_of_33m", 33'554'432);
}

}  // namespace cuzk::test
