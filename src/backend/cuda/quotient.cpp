#include "backend/cuda/quotient.h"

#include "backend/cuda/pointwise.h"

namespace cuzk::cuda {

template <class Fr>
Result<DeviceQuotient<Fr>> DeviceQuotient<Fr>::create(const Stream& stream, const QuotientShape& shape,
                                                      std::uint64_t table_bytes, DeviceMemorySource memory) {
  using groth16::QuotientBasis;
  const bool odd_coset = shape.basis == QuotientBasis::odd_coset_lagrange;
  const u64 size = u64{1} << shape.log_size;
  const Fr root = Fr::root_of_unity(shape.roots, shape.log_size);
  const Fr part = Fr::from_u64(size).inverse();
  const Fr shift =
      odd_coset ? Fr::root_of_unity(shape.roots, shape.log_size + 1) : Fr::from_u64(groth16::kQuotientCosetShift);
  CUZK_TRY(auto to_coefficients,
           Transform<Fr>::create(stream, {shape.log_size, root.inverse(), Fr::one(), part}, table_bytes, memory));
  CUZK_TRY(auto to_coset, Transform<Fr>::create(stream, {shape.log_size, root, shift}, table_bytes, memory));
  DeviceQuotient quotient(std::move(to_coefficients), std::move(to_coset));
  if (odd_coset) {
    quotient.factor_ = groth16::leaving_montgomery(Fr::one());
    return quotient;
  }
  const Fr vanishing = shift.pow(size) - Fr::one();
  const Fr scale = groth16::leaving_montgomery(part * vanishing.inverse());
  CUZK_TRY(quotient.from_coset_, Transform<Fr>::create(stream, {shape.log_size, root.inverse(), shift.inverse(), scale},
                                                       table_bytes, memory));
  return quotient;
}

template <class Fr> Status DeviceQuotient<Fr>::to_coset(const Stream& stream, DeviceSpan<Fr> rows) const {
  CUZK_CHECK_OK(to_coefficients_.natural_to_reversed(stream, rows));
  return to_coset_.reversed_to_natural(stream, rows);
}

template <class Fr>
Status DeviceQuotient<Fr>::divide(const Stream& stream, DeviceSpan<Fr> a, DeviceSpan<const Fr> b,
                                  DeviceSpan<const Fr> c) const {
  CUZK_CHECK_OK(combine(stream, a, b, c, factor_));
  return finish(stream, a);
}

template <class Fr>
Status DeviceQuotient<Fr>::multiply(const Stream& stream, DeviceSpan<Fr> a, DeviceSpan<const Fr> b) const {
  return cuda::multiply(stream, a, b);
}

template <class Fr>
Status DeviceQuotient<Fr>::subtract(const Stream& stream, DeviceSpan<Fr> to, DeviceSpan<const Fr> product,
                                    DeviceSpan<const Fr> c) const {
  return cuda::subtract(stream, to, product, c, factor_);
}

template <class Fr> Status DeviceQuotient<Fr>::finish(const Stream& stream, DeviceSpan<Fr> values) const {
  return from_coset_ ? from_coset_->natural_to_reversed(stream, values) : Status();
}

template class DeviceQuotient<bn254::Fr>;
template class DeviceQuotient<bls12_381::Fr>;

}  // namespace cuzk::cuda
