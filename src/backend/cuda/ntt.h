// Transforms between coefficients and values on a device, in place; poly/domain.h says what they are.
//
//   natural_to_reversed   a[i], natural order -> out[br(j)] = scale shift^j sum_i a[i] root^(i j)
//   reversed_to_natural   a[br(i)]            -> out[j]     = scale sum_i shift^i a[br(i)] root^(i j)
//
// br reverses log_size bits, root has order 2^log_size. A product of polynomials needs no other order: inverse
// transform to reversed, coset transform back to natural. With shift 1/g and scale 1/N the first takes values on the
// coset of g to coefficients; with shift g the second takes them back.
//
// A transform is a few passes over the data (ntt_impl.h), each with tables of factors. For the largest level of a
// transform the table is as large as the data; where there is no memory for it, two small ones and one product more an
// element do (`table_bytes`).
//
// Errors: create: unsupported (log_size above the field's two-adicity or 32), exhausted, device. Transforms: device.
// Thread-safety: const methods concurrently, on streams and data of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/cuda/runtime.h"
#include "field/fp.h"

namespace cuzk::cuda {

template <class Fr> struct TransformKind {
  unsigned log_size = 0;
  Fr root;
  Fr shift = Fr::one();
  Fr scale = Fr::one();
};

template <class Fr> class Transform {
 public:
  /// `table_bytes`: what the tables of one level may take; at least 2^20. The tables are made on the stream, in memory
  /// from the source.
  static Result<Transform> create(const Stream& stream, const TransformKind<Fr>& kind, std::uint64_t table_bytes,
                                  DeviceMemorySource memory = DeviceBuffer::create);

  std::size_t size() const noexcept { return std::size_t{1} << log_size_; }

  /// data.size == size().
  Status natural_to_reversed(const Stream& stream, DeviceSpan<Fr> data) const;
  Status reversed_to_natural(const Stream& stream, DeviceSpan<Fr> data) const;

 private:
  struct Level {
    unsigned log_block = 0;
    unsigned log_radix = 0;
    unsigned log_fine = 0;
    DeviceBuffer roots, fine, coarse;
    Fr fourth{};
  };
  Transform() = default;
  Status add_level(const Stream& stream, const TransformKind<Fr>& kind, unsigned log_block, unsigned log_radix,
                   std::uint64_t table_bytes, DeviceMemorySource memory);
  template <bool kDit> Status run(const Stream& stream, const Level& level, DeviceSpan<Fr> data) const;

  unsigned log_size_ = 0;
  std::vector<Level> levels_;  // the largest blocks first
};

}  // namespace cuzk::cuda
