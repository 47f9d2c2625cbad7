// The quotient of a proof on a device: groth16/quotient.h's, the same scalars.
//
// Rows in natural order; each vector goes to its coefficients and on to a coset, then the three become one. The scalars
// of a coset_monomials quotient are in bit-reversed order, as its h query is kept on the device: the one that belongs
// to no point, number N - 1, is last in both.
//
// Errors: create: those of the source, device; the rest: device. Thread-safety: const methods concurrently.
#pragma once

#include <optional>

#include "backend/cuda/ntt.h"
#include "groth16/quotient.h"

namespace cuzk::cuda {

struct QuotientShape {
  unsigned log_size = 0;
  groth16::QuotientBasis basis{};
  RootFamily roots{};
  friend bool operator==(const QuotientShape&, const QuotientShape&) = default;
};

template <class Fr> class DeviceQuotient {
 public:
  /// Tables are made on the stream. precondition: the field has the domain (groth16::check_quotient_domain).
  static Result<DeviceQuotient> create(const Stream& stream, const QuotientShape& shape, std::uint64_t table_bytes,
                                       DeviceMemorySource memory);

  /// Rows -> values on the coset, in place.
  Status to_coset(const Stream& stream, DeviceSpan<Fr> rows) const;
  /// All three on the coset -> the scalars, canonical, in the place of a.
  Status divide(const Stream& stream, DeviceSpan<Fr> a, DeviceSpan<const Fr> b, DeviceSpan<const Fr> c) const;

  // The same in steps, where not all three are there at once: the product in the place of a, then without c, in parts
  // of any size, then to the scalars.
  Status multiply(const Stream& stream, DeviceSpan<Fr> a, DeviceSpan<const Fr> b) const;
  /// `to` may be the product or c.
  Status subtract(const Stream& stream, DeviceSpan<Fr> to, DeviceSpan<const Fr> product, DeviceSpan<const Fr> c) const;
  Status finish(const Stream& stream, DeviceSpan<Fr> values) const;

 private:
  DeviceQuotient(Transform<Fr> to_coefficients, Transform<Fr> to_coset)
      : to_coefficients_(std::move(to_coefficients)), to_coset_(std::move(to_coset)) {}

  Transform<Fr> to_coefficients_, to_coset_;
  std::optional<Transform<Fr>> from_coset_;
  Fr factor_ = Fr::one();
};

}  // namespace cuzk::cuda
