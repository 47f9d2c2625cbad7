// Batches of affine additions, eight at a time: the lane twin of BatchAdder (batch_add_impl.h), which chooses it where
// has_lanes().
//
// F is the Fq of either curve with Adx products. Same sums, same rules for targets and operands. Thread-safety: a value
// of one thread.
#pragma once

#include <memory>

#include "curve/base_fields.h"
#include "curve/point.h"
#include "support/function_ref.h"

namespace cuzk::affine_detail {

template <class F> inline constexpr bool kHasLaneAdder = false;
#if defined(__x86_64__)
template <> inline constexpr bool kHasLaneAdder<Bn254FqAdx> = true;
template <> inline constexpr bool kHasLaneAdder<Bls12_381FqAdx> = true;
#endif

/// Where an addition finds its operands and puts its sum.
template <class F> struct AdditionPlaces {
  const Affine<F>*left, *right;
  Affine<F>* target;
};

/// Working memory: 3 elements of Fq an addition and the places.
template <class F> class LaneAdder {
 public:
  /// Shorter batches are not worth the padding.
  static constexpr std::size_t kMinimum = 32;

  explicit LaneAdder(std::size_t capacity);
  ~LaneAdder();

  /// To be filled before add_batch: as many as the capacity.
  AdditionPlaces<F>* places() noexcept;
  /// The first `count` places. Calls `lookahead` once an eight additions. precondition: 0 < count <= capacity.
  void add_batch(std::size_t count, FunctionRef<void()> lookahead) noexcept;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace cuzk::affine_detail
