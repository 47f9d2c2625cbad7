#include "backend/cuda/proof_memory.h"

#include <algorithm>

#include "backend/cuda/subset_sum.h"
#include "backend/cuda/upload.h"

namespace cuzk::backend {

using cuda::DeviceSpan;
using cuda::Workspace;

namespace {

constexpr std::uint32_t kMostProducts = 1U << 30;
constexpr std::uint32_t kFewestProducts = 1U << 16;
constexpr std::size_t kMostPartPoints = std::size_t{1} << 24;  // a sum of so many takes a sixth longer than of 2^27

}  // namespace

ProofPlan ProofPlan::largest(const ProofShape& shape) { return {.shape = shape, .most_products = kMostProducts}; }

bool ProofPlan::shrink() {
  if (side_by_side) {
    side_by_side = false;
    return true;
  }
  const std::uint32_t largest = std::max({most_h(), most_g1(), most_g2()});
  if (largest <= kFewestProducts) return false;
  most_products = std::max(largest / 2, kFewestProducts);
  return true;
}

std::size_t ProofPlan::part_points() const {
  const std::size_t largest =
      std::max(shape.streams_h ? shape.quotient_scalars : 0, shape.streams_l ? shape.l.points : 0);
  return (std::min({largest, kMostPartPoints, std::size_t{most_products}}) + 63) / 64 * 64;
}

ProofShape::Split ProofPlan::l() const {
  if (!shape.streams_l) return shape.l;
  const std::size_t points = std::min(shape.l.points, part_points());
  return {points, std::min(points, shape.l.general)};
}

template <class C> template <class Take> Status ProofMemory<C>::lay_out(const ProofPlan& plan, const Take& take) {
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  const ProofShape& shape = plan.shape;
  take(a, shape.domain_size);
  take(b, shape.domain_size);
  take(c, shape.domain_size);
  take(witness, cuda::witness_bytes(shape.witness));
  take(staging, shape.plain ? cuda::Uploader::kChunkBytes : 0);
  take(split_a, cuda::split_bytes(shape.a.points, shape.a.general));
  take(split_b, cuda::split_bytes(shape.b.points, shape.b.general));
  take(split_l, cuda::split_bytes(plan.l().points, plan.l().general));
  for (auto& part : points) take(part, plan.part_points());
  take(ones_g1, cuda::subset_sum_bytes<C, G1>());
  take(ones_g2, cuda::subset_sum_bytes<C, G2>());
  CUZK_TRY(const std::size_t for_h, (cuda::Msm<C, G1>::bytes(plan.most_h())));
  CUZK_TRY(const std::size_t for_g1, (cuda::Msm<C, G1>::bytes(plan.most_g1())));
  CUZK_TRY(const std::size_t for_g2, (cuda::Msm<C, G2>::bytes(plan.most_g2())));
  if (plan.side_by_side) {
    take(msm_h, for_h);
    take(msm_g1, for_g1);
    take(msm_g2, for_g2);
  } else {
    take(msm_h, std::max({for_h, for_g1, for_g2}));
    msm_g1 = msm_g2 = msm_h;
  }
  return {};
}

template <class C> Result<std::size_t> ProofMemory<C>::bytes(const ProofPlan& plan) {
  std::size_t bytes = 0;
  const auto count = [&]<class T>(DeviceSpan<T>& /*part*/, std::size_t size) {
    bytes += Workspace::padded(size * sizeof(T));
  };
  CUZK_CHECK_OK(ProofMemory().lay_out(plan, count));
  return bytes;
}

template <class C> Result<ProofMemory<C>> ProofMemory<C>::parts(const ProofPlan& plan, DeviceSpan<std::byte> memory) {
  ProofMemory parts;
  Workspace workspace(memory);
  CUZK_CHECK_OK(
      parts.lay_out(plan, [&]<class T>(DeviceSpan<T>& part, std::size_t size) { part = workspace.take<T>(size); }));
  return parts;
}

template struct ProofMemory<Bn254>;
template struct ProofMemory<Bls12_381>;

}  // namespace cuzk::backend
