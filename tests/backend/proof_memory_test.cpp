// Plans of a proof's memory on a device: what they take, in which order something is given up, and what shares memory.
#if defined(CUZK_WITH_CUDA)
#include "backend/cuda/proof_memory.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "curve/curves.h"
#include "tests/support/must.h"

namespace cuzk::backend {
namespace {

using test::must;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

/// Of a domain of 2^log_domain with so many of a thousand values that are no bits; B has a part of the variables.
ProofShape shape_of(unsigned log_domain, std::size_t general_of_1000, unsigned b_part) {
  const std::size_t domain = std::size_t{1} << log_domain;
  const std::size_t aux = domain / 1000 * 970, inputs = 328;
  const std::size_t general = aux / 1000 * general_of_1000;
  const auto split = [&](std::size_t points) { return ProofShape::Split{points, std::min(points, inputs + general)}; };
  return {.domain_size = domain,
          .quotient_scalars = domain - 1,
          .witness = {.num_inputs = inputs, .num_aux = aux, .most_general = general},
          .plain = general > aux / 8,
          .a = split(inputs + aux),
          .b = split(aux / b_part),
          .l = split(aux),
          .streams = ProofShape::Streams::all()};
}
ProofShape porep(unsigned log_domain) { return shape_of(log_domain, 10, 4); }
/// Of a witness that crosses whole nobody knows how many values are no bits.
ProofShape window_post(unsigned log_domain) { return shape_of(log_domain, 1000, 1); }

template <class C> std::uint64_t bytes(const ProofPlan& plan) { return must(ProofMemory<C>::bytes(plan)); }

/// Transforms of the domain, maps of the queries, rows of the circuit: what is resident whatever happens.
constexpr std::uint64_t kResident = kGiB / 2;

TEST(ProofMemory, ADomainOf2To27FitsEightGiB) {
  for (const std::uint64_t device : {8 * kGiB, 7 * kGiB + kGiB / 4}) {
    for (const ProofShape& shape : {porep(27), window_post(27)}) {
      const ProofPlan plan = must(ProofPlan::in_turn<Bls12_381>(shape, device - kResident));
      EXPECT_LE(bytes<Bls12_381>(plan), device - kResident) << plan.given_up();
      EXPECT_GE(plan.most_products, 1U << 20) << plan.given_up();
      EXPECT_EQ(plan.vectors, 1U);
    }
  }
  EXPECT_TRUE(must(ProofPlan::in_turn<Bls12_381>(porep(27), 8 * kGiB - kResident)).evaluates_rows());
}

TEST(ProofMemory, WhatIsThereIsUsed) {
  const auto plan = [](std::uint64_t gib) { return must(ProofPlan::in_turn<Bls12_381>(porep(27), gib * kGiB)); };
  EXPECT_EQ(plan(32).given_up(), "two vectors, sums in turn, streamed a b_g1 b_g2 l h");
  EXPECT_EQ(plan(16).vectors, 2U);
  EXPECT_GE(plan(16).most_products, 1U << 24);
}

TEST(ProofMemory, ASmallerPlanTakesNoMoreAndThereIsASmallest) {
  for (ProofShape shape : {porep(27), window_post(24), porep(16), shape_of(10, 500, 2)}) {
    for (const bool streams : {true, false}) {
      if (!streams) shape.streams = {};
      ProofPlan plan = ProofPlan::largest(shape);
      EXPECT_EQ(plan.given_up().substr(0, 8), streams ? "streamed" : "");
      std::uint64_t before = bytes<Bn254>(plan);
      unsigned steps = 0;
      while (plan.shrink()) {
        const std::uint64_t now = bytes<Bn254>(plan);
        EXPECT_LE(now, before) << plan.given_up();
        before = now;
        ASSERT_LT(++steps, 64U);
      }
      EXPECT_EQ(plan.vectors, 1U);
      EXPECT_TRUE(plan.rows_last);
      EXPECT_FALSE(plan.side_by_side);
    }
  }
}

struct Range {
  std::uintptr_t begin, end;
  template <class T>
  explicit Range(const cuda::DeviceSpan<T>& span)
      : begin(reinterpret_cast<std::uintptr_t>(span.data)), end(begin + span.size * sizeof(T)) {}
  bool meets(const Range& other) const {
    return begin < end && other.begin < other.end && begin < other.end && other.begin < end;
  }
};

TEST(ProofMemory, OnlyWhatIsNeverInUseAtOnceSharesMemory) {
  using C = Bls12_381;
  for (const ProofShape& shape : {porep(20), window_post(20)}) {
    ProofPlan plan = ProofPlan::largest(shape);
    do {
      auto* const base = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
      const std::uint64_t size = bytes<C>(plan);
      const auto parts = must(ProofMemory<C>::parts(plan, {base, size}));
      const Range a(parts.a), b(parts.b), c(parts.c), sums(parts.msm_h), all(cuda::DeviceSpan<std::byte>{base, size});
      const Range of_witness[] = {Range(parts.witness), Range(parts.staging), Range(parts.split_part)};
      const Range always[] = {Range(parts.points[0]), Range(parts.points[1]), Range(parts.ones_g1),
                              Range(parts.ones_g2)};
      EXPECT_FALSE(a.meets(b) || a.meets(c) || a.meets(sums)) << plan.given_up();
      EXPECT_EQ(b.meets(c), plan.vectors == 2) << plan.given_up();
      for (const auto& parked : parts.parked) EXPECT_FALSE(Range(parked).meets(a)) << plan.given_up();
      for (const Range& part : of_witness) {
        EXPECT_TRUE(plan.rows_last || !part.meets(a)) << plan.given_up();
        EXPECT_FALSE(part.meets(b) || part.meets(c) || part.meets(sums)) << plan.given_up();
        for (const Range& other : always) EXPECT_FALSE(part.meets(other)) << plan.given_up();
      }
      for (const Range& part : always) {
        EXPECT_FALSE(part.meets(a) || part.meets(b) || part.meets(c) || part.meets(sums)) << plan.given_up();
        EXPECT_TRUE(part.begin >= all.begin && part.end <= all.end) << plan.given_up();
      }
      EXPECT_LE(std::max({a.end, b.end, c.end, sums.end, Range(parts.msm_g2).end}), all.end) << plan.given_up();
      EXPECT_EQ(Range(parts.msm_g1).meets(sums), !plan.side_by_side) << plan.given_up();
    } while (plan.shrink());
  }
}

}  // namespace
}  // namespace cuzk::backend
#endif
