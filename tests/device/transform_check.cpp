// Transforms against those of the host (poly/domain.h).
#include "backend/cuda/ntt.h"
#include "poly/domain.h"
#include "tests/device/parts_check.h"

namespace cuzk::test {
namespace {

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

template <class Fr> void check_field(Counts& counts, const char* field) {
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

template <class Fr> void time_field(const std::string& field) {
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

}  // namespace

void check_transforms(Counts& counts) {
  check_field<bls12_381::Fr>(counts, "ntt bls12-381");
  check_field<bn254::Fr>(counts, "ntt bn254");
}

void time_transforms() {
  time_field<bls12_381::Fr>("bls12_381");
  time_field<bn254::Fr>("bn254");
}

}  // namespace cuzk::test
