// Products of vectors on a device, element by element.
//
// Errors: device. Thread-safety: concurrently, on data of their own.
#pragma once

#include "backend/cuda/runtime.h"
#include "field/fp.h"

namespace cuzk::cuda {

/// a[i] = (a[i] b[i] - c[i]) factor. With values on a coset and factor 1/Z there these are the quotient's. Where the
/// transforms before and behind have a scale of their own (ntt.h) the factor costs nothing there: with scale f for a
/// and c, or f for the transform back, it is 1 here, which costs no product.
template <class Fr>
Status combine(const Stream& stream, DeviceSpan<Fr> a, DeviceSpan<const Fr> b, DeviceSpan<const Fr> c,
               const Fr& factor = Fr::one());

/// a[i] = a[i] b[i].
template <class Fr> Status multiply(const Stream& stream, DeviceSpan<Fr> a, DeviceSpan<const Fr> b);

/// to[i] = (product[i] - c[i]) factor; `to` may be either of them.
template <class Fr>
Status subtract(const Stream& stream, DeviceSpan<Fr> to, DeviceSpan<const Fr> product, DeviceSpan<const Fr> c,
                const Fr& factor = Fr::one());

}  // namespace cuzk::cuda
