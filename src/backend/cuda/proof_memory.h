// What a proof works in on a device, planned before it starts and taken in one piece.
//
// Side by side, the sum of h and the sums of the witness' queries have memory of their own and run at once; otherwise
// they share it and run one after the other. A sum is cut into pieces of at most so many products where the memory is
// short; pieces add a little time each, so they are as large as they can be. Queries h and l need not be resident:
// their points then come part by part. Thread-safety: values.
#pragma once

#include <algorithm>

#include "backend/cuda/arena.h"
#include "backend/cuda/msm.h"
#include "backend/cuda/scalar_split.h"
#include "backend/cuda/witness.h"

namespace cuzk::backend {

/// Of one proof, known before its memory is taken.
struct ProofShape {
  std::size_t domain_size = 0;
  std::size_t quotient_scalars = 0;
  cuda::WitnessShape witness;
  bool plain = false;  // the witness comes whole, and is packed on the device
  /// Points of a query, and the most general scalars among them.
  struct Split {
    std::size_t points = 0, general = 0;
  };
  Split a, b, l;
  bool streams_h = false, streams_l = false;  // these queries are not resident
};

struct ProofPlan {
  ProofShape shape;
  std::uint32_t most_products = 0;  // of one piece of a sum
  bool side_by_side = true;

  static ProofPlan largest(const ProofShape& shape);
  /// The next smaller plan; false: there is none.
  bool shrink();

  /// Points of a part of a query that is not resident: a multiple of 64; two parts are on the device at once.
  std::size_t part_points() const;
  /// Of l, or of a part of it.
  ProofShape::Split l() const;

  std::uint32_t most_h() const { return limited(shape.streams_h ? part_points() : shape.quotient_scalars); }
  std::uint32_t most_g1() const { return limited(std::max({shape.a.general, shape.b.general, l().general})); }
  std::uint32_t most_g2() const { return limited(shape.b.general); }

 private:
  std::uint32_t limited(std::size_t products) const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(products, most_products));
  }
};

template <class C> struct ProofMemory {
  using Fr = typename C::Fr;

  cuda::DeviceSpan<Fr> a, b, c;
  cuda::DeviceSpan<std::byte> witness, staging;
  cuda::DeviceSpan<std::byte> split_a, split_b, split_l;
  cuda::DeviceSpan<std::byte> ones_g1, ones_g2;
  cuda::DeviceSpan<std::byte> msm_h, msm_g1, msm_g2;
  cuda::DeviceSpan<typename C::G1Affine> points[2];  // parts of queries that are not resident

  /// Errors: of Msm::bytes.
  static Result<std::size_t> bytes(const ProofPlan& plan);
  /// precondition: bytes(plan) of memory.
  static Result<ProofMemory> parts(const ProofPlan& plan, cuda::DeviceSpan<std::byte> memory);

 private:
  template <class Take> Status lay_out(const ProofPlan& plan, const Take& take);
};

}  // namespace cuzk::backend
