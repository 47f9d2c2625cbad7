// What the checks on a device share: results that must be good, counts, random values, copies, times.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "backend/cuda/runtime.h"
#include "field/fp.h"

namespace cuzk::test {

using cuda::DeviceBuffer;
using cuda::DeviceSpan;
using cuda::Event;
using cuda::Stream;

template <class T> T must(Result<T> result, const char* what) {
  if (!result) {
    std::printf("%s: %s\n", what, result.error().to_string().c_str());
    std::exit(1);
  }
  return *std::move(result);
}
inline void must(const Status& status, const char* what) {
  if (status) return;
  std::printf("%s: %s\n", what, status.error().to_string().c_str());
  std::exit(1);
}
inline void must(cudaError_t status, const char* what) { must(cuda::check(status, what, __FILE__, __LINE__), what); }

/// Whether large sizes are left out.
inline bool& small_sizes() {
  static bool small = false;
  return small;
}

struct Counts {
  unsigned passed = 0, failed = 0;
  void note(const std::string& name, bool good) {
    std::printf("%s %s\n", good ? "ok    " : "FAILED", name.c_str());
    ++(good ? passed : failed);
  }
};

inline std::mt19937_64& random_words() {
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
template <class T> std::vector<T> to_host(DeviceSpan<const T> from) {
  std::vector<T> to(from.size);
  must(cudaMemcpy(to.data(), from.data, from.size * sizeof(T), cudaMemcpyDeviceToHost), "copy");
  return to;
}
template <class T> std::vector<T> to_host(const DeviceBuffer& buffer, std::size_t count) {
  return to_host(DeviceSpan<const T>{buffer.as<T>().data, count});
}

/// Memory full of what nobody has written.
inline DeviceBuffer poisoned(std::size_t bytes) {
  DeviceBuffer buffer = must(DeviceBuffer::create(std::max<std::size_t>(1, bytes)), "memory");
  must(cudaMemset(buffer.as<char>().data, 0xa5, bytes), "fill");
  must(cudaDeviceSynchronize(), "fill");
  return buffer;
}

inline float median_ms(const Stream& stream, unsigned runs, const std::function<void()>& body) {
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
inline void figure(const std::string& key, double value) { std::printf("  \"%s\": %.4f,\n", key.c_str(), value); }

}  // namespace cuzk::test
