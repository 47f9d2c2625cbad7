// A read-only run of affine points in our memory layout at any address: points of a mapped .zkey start at odd offsets,
// so each is loaded by memcpy (free on x86-64). Two words, copied by value. Thread-safety: read-only view.
#pragma once

#include <cstring>
#include <span>

#include "curve/point.h"
#include "support/bytes.h"
#include "support/result.h"

namespace cuzk {

template <class P> class PointSpan {
 public:
  using Element = P;

  PointSpan() = default;
  PointSpan(std::span<const P> points) noexcept
      : data_(reinterpret_cast<const std::byte*>(points.data())), size_(points.size()) {}
  /// `bytes` holds size_bytes/sizeof(P) points exactly.
  explicit PointSpan(Bytes bytes) noexcept : data_(bytes.data()), size_(bytes.size() / sizeof(P)) {
    CUZK_ASSERT(bytes.size() % sizeof(P) == 0);
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  P operator[](std::size_t i) const noexcept {
    P p;
    std::memcpy(&p, data_ + i * sizeof(P), sizeof(P));
    return p;
  }
  const std::byte* data() const noexcept { return data_; }
  Bytes bytes() const noexcept { return {data_, size_ * sizeof(P)}; }
  PointSpan subspan(std::size_t first, std::size_t count) const noexcept {
    PointSpan s;
    s.data_ = data_ + first * sizeof(P);
    s.size_ = count;
    return s;
  }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cuzk
