// What a proof works in on a device, planned before it starts and taken in one piece.
//
// The largest plan has three vectors of the domain, and memory of its own for the sum of h and for those of the
// witness' queries, which run side by side. Where that is too much, something is given up, the cheapest first:
//   two vectors     a b takes the place of a, then c comes in the place of b
//   in turn         sums run one after the other, in the memory of vectors that are no longer needed
//   pieces          a sum is cut into pieces of so many products
//   one vector      values on the coset wait in the host's memory (parked) until those of c are there
//   rows last       rows are the host's work, and come when the sums of the witness' queries are done, in its place
// Queries need not be resident: their points then come part by part, into two buffers.
//
// A domain of 2^27 then fits 8 GiB, with bits or values, and a key of which nothing is resident
// (tests/backend/proof_memory_test.cpp). Thread-safety: values.
#pragma once

#include <string>

#include "backend/cuda/arena.h"
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
  /// Queries that are not resident.
  struct Streams {
    bool a = false, b_g1 = false, b_g2 = false, l = false, h = false;
    bool of_witness() const { return a || b_g1 || b_g2 || l; }
    bool any() const { return of_witness() || h; }
    static Streams all() { return {true, true, true, true, true}; }
  } streams;
  bool rows_on_device = true;  // the device can evaluate them
};

struct ProofPlan {
  ProofShape shape;
  std::uint32_t most_products = 0;  // of one piece of a sum
  unsigned vectors = 3;             // of the domain; with one, values of a and b wait on the host
  bool side_by_side = true;
  bool rows_last = false;

  static ProofPlan largest(const ProofShape& shape);
  /// The largest one that works in so many bytes; of those that do not share memory, none. The smallest one where none
  /// does. Errors: of ProofMemory::bytes.
  template <class C> static Result<ProofPlan> in_turn(const ProofShape& shape, std::uint64_t bytes);
  /// The next smaller plan; false: there is none.
  bool shrink();

  bool evaluates_rows() const { return shape.rows_on_device && !rows_last; }
  /// Points of G1 that a buffer for parts of queries has room for beside those of all inputs: a multiple of two steps
  /// of a map (QueryMap::kStep). Half as many of G2.
  std::size_t part_points() const;
  /// Of a part of any query.
  ProofShape::Split part() const;
  bool splits_all_of_b() const { return !(shape.streams.b_g1 && shape.streams.b_g2); }

  std::uint32_t most_h() const;
  std::uint32_t most_g1() const;
  std::uint32_t most_g2() const;

  /// What was given up, in words; empty: nothing.
  std::string given_up() const;

 private:
  struct Step;
  static const Step kSteps[];  // the cheapest first
  // Each gives up a little more; false: there is no more of it.
  bool to_vectors(unsigned most);
  bool to_turns();
  bool cut(std::uint32_t least);
  std::uint32_t limited(std::size_t products) const;
};

template <class C> struct ProofMemory {
  using Fr = typename C::Fr;

  cuda::DeviceSpan<Fr> a, b, c;    // of fewer than three vectors: b is c, or both are no memory
  cuda::DeviceSpan<Fr> parked[2];  // parts of what waits on the host, on their way back
  cuda::DeviceSpan<std::byte> witness, staging;
  cuda::DeviceSpan<std::byte> split_a, split_b, split_l, split_part;
  cuda::DeviceSpan<std::byte> ones_g1, ones_g2;
  cuda::DeviceSpan<std::byte> msm_h, msm_g1, msm_g2;
  cuda::DeviceSpan<std::byte> points[2];  // parts of queries that are not resident

  /// Errors: of Msm::bytes.
  static Result<std::size_t> bytes(const ProofPlan& plan);
  /// precondition: bytes(plan) of memory, at a multiple of 256.
  static Result<ProofMemory> parts(const ProofPlan& plan, cuda::DeviceSpan<std::byte> memory);

 private:
  class Layout;
};

}  // namespace cuzk::backend
