#include "backend/cuda/proof_memory.h"

#include <algorithm>
#include <utility>

#include "backend/cuda/msm.h"
#include "backend/cuda/subset_sum.h"
#include "backend/cuda/upload.h"

namespace cuzk::backend {

using cuda::DeviceSpan;
using cuda::Workspace;

namespace {

constexpr std::uint32_t kMostProducts = 1U << 30;
constexpr std::uint32_t kFewestProducts = 1U << 16;
constexpr std::size_t kMostPartPoints = std::size_t{1} << 24;  // a sum of so many takes a sixth longer than of 2^27

/// Pieces that cost little for a domain of this size, and such as cost a half more.
std::uint32_t pieces_of(std::size_t domain_size, unsigned pieces) {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(domain_size / pieces, kFewestProducts, 1U << 30));
}
constexpr unsigned kFew = 8, kSome = 32;

std::string words_if(bool is_so, std::string words) { return is_so ? std::move(words) : std::string(); }

}  // namespace

ProofPlan ProofPlan::largest(const ProofShape& shape) { return {.shape = shape, .most_products = kMostProducts}; }

template <class C> Result<ProofPlan> ProofPlan::in_turn(const ProofShape& shape, std::uint64_t bytes) {
  ProofPlan plan = largest(shape);
  while (true) {
    CUZK_TRY(const std::uint64_t taken, ProofMemory<C>::bytes(plan));
    if (!plan.side_by_side && taken <= bytes) return plan;
    if (!plan.shrink()) return plan;
  }
}

bool ProofPlan::to_vectors(unsigned most) { return std::exchange(vectors, std::min(vectors, most)) > most; }

bool ProofPlan::to_turns() {
  if (!std::exchange(side_by_side, false)) return false;
  rows_last = !shape.rows_on_device;
  return true;
}

bool ProofPlan::cut(std::uint32_t least) {
  const std::uint32_t largest = std::max({most_h(), most_g1(), most_g2()});
  if (largest <= least) return false;
  most_products = std::max(largest / 2, least);
  return true;
}

struct ProofPlan::Step {
  bool (*give_up)(ProofPlan& plan);
  std::string (*words)(const ProofPlan& plan);  // empty: nothing of it has been given up; null: the step before says it
};

const ProofPlan::Step ProofPlan::kSteps[] = {
    {[](ProofPlan& plan) { return plan.to_vectors(2); },
     [](const ProofPlan& plan) { return words_if(plan.vectors == 2, "two vectors"); }},
    {[](ProofPlan& plan) { return plan.to_turns(); },
     [](const ProofPlan& plan) { return words_if(!plan.side_by_side, "sums in turn"); }},
    {[](ProofPlan& plan) { return plan.cut(pieces_of(plan.shape.domain_size, kFew)); },
     [](const ProofPlan& plan) {
       return words_if(plan.most_products < kMostProducts, "pieces of " + std::to_string(plan.most_products));
     }},
    {[](ProofPlan& plan) { return plan.to_vectors(1); },
     [](const ProofPlan& plan) { return words_if(plan.vectors == 1, "one vector"); }},
    {[](ProofPlan& plan) { return plan.cut(pieces_of(plan.shape.domain_size, kSome)); }, nullptr},
    {[](ProofPlan& plan) { return !std::exchange(plan.rows_last, true); },
     [](const ProofPlan& plan) { return words_if(plan.rows_last && plan.shape.rows_on_device, "rows by the host"); }},
    {[](ProofPlan& plan) { return plan.cut(kFewestProducts); }, nullptr},
};

bool ProofPlan::shrink() {
  return std::ranges::any_of(kSteps, [&](const Step& step) { return step.give_up(*this); });
}

std::uint32_t ProofPlan::limited(std::size_t products) const {
  return static_cast<std::uint32_t>(std::min<std::size_t>(products, most_products));
}

std::size_t ProofPlan::part_points() const {
  if (!shape.streams.any()) return 0;
  constexpr std::size_t kSteps = 2 * cuda::QueryMap::kStep;
  const std::size_t largest =
      std::max(shape.streams.h ? shape.quotient_scalars : 0, shape.streams.of_witness() ? shape.witness.num_aux : 0);
  return (std::min({largest, kMostPartPoints, std::size_t{most_products}}) + kSteps - 1) / kSteps * kSteps;
}

ProofShape::Split ProofPlan::part() const {
  if (!shape.streams.of_witness()) return {};
  const std::size_t points = std::min(part_points(), shape.witness.num_aux) + shape.witness.num_inputs;
  return {points, std::min(points, shape.witness.most_general + shape.witness.num_inputs)};
}

std::uint32_t ProofPlan::most_h() const {
  return limited(shape.streams.h ? std::min(part_points(), shape.quotient_scalars) : shape.quotient_scalars);
}

std::uint32_t ProofPlan::most_g1() const {
  const auto& streams = shape.streams;
  return limited(std::max({streams.a ? 0 : shape.a.general, streams.b_g1 ? 0 : shape.b.general,
                           streams.l ? 0 : shape.l.general, part().general}));
}

std::uint32_t ProofPlan::most_g2() const { return limited(shape.streams.b_g2 ? part().general : shape.b.general); }

std::string ProofPlan::given_up() const {
  std::string all;
  const auto add = [&](const std::string& what) {
    if (!what.empty()) all += (all.empty() ? "" : ", ") + what;
  };
  for (const Step& step : kSteps) {
    if (step.words != nullptr) add(step.words(*this));
  }
  std::string queries;
  const auto& streams = shape.streams;
  for (const auto& [is_so, name] :
       {std::pair(streams.a, " a"), std::pair(streams.b_g1, " b_g1"), std::pair(streams.b_g2, " b_g2"),
        std::pair(streams.l, " l"), std::pair(streams.h, " h")}) {
    if (is_so) queries += name;
  }
  add(words_if(!queries.empty(), "streamed" + queries));
  return all;
}

/// Places of the parts, one after the other; parts that are never in use at once share theirs.
template <class C> class ProofMemory<C>::Layout {
 public:
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  Layout(const ProofPlan& plan, ProofMemory& parts, std::byte* base)
      : plan_(plan), shape_(plan.shape), parts_(parts), base_(base) {}

  /// The bytes that all take.
  Result<std::size_t> run() {
    CUZK_TRY(for_h_, (cuda::Msm<C, G1>::bytes(plan_.most_h())));
    CUZK_TRY(for_g1_, (cuda::Msm<C, G1>::bytes(plan_.most_g1())));
    CUZK_TRY(for_g2_, (cuda::Msm<C, G2>::bytes(plan_.most_g2())));
    take(parts_.ones_g1, cuda::subset_sum_bytes<C, G1>());
    take(parts_.ones_g2, cuda::subset_sum_bytes<C, G2>());
    const std::size_t inputs = shape_.streams.of_witness() ? shape_.witness.num_inputs : 0;
    for (auto& part : parts_.points) {
      take(part, plan_.part_points() * sizeof(typename C::G1Affine) + inputs * sizeof(typename C::G2Affine));
    }
    if (plan_.side_by_side) {
      take_witness();
      take(parts_.a, shape_.domain_size);
      take_other_vectors();
      take(parts_.msm_h, for_h_);
      take(parts_.msm_g1, for_g1_);
      take(parts_.msm_g2, for_g2_);
      return at_;
    }
    const auto first_vector = [&] { take(parts_.a, shape_.domain_size); };
    if (plan_.rows_last) {
      share([&] { take_witness(); }, first_vector);
    } else {
      take_witness();
      first_vector();
    }
    share([&] { take_other_vectors(); }, [&] { take(parts_.msm_h, std::max({for_h_, for_g1_, for_g2_})); });
    parts_.msm_g1 = parts_.msm_g2 = parts_.msm_h;
    return at_;
  }

 private:
  template <class T> void take(DeviceSpan<T>& part, std::size_t count) {
    part = {base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + at_), count};
    at_ += Workspace::padded(count * sizeof(T));
  }
  template <class First, class Second> void share(const First& first, const Second& second) {
    const std::size_t begin = at_;
    first();
    const std::size_t end = std::exchange(at_, begin);
    second();
    at_ = std::max(at_, end);
  }

  void take_witness() {
    take(parts_.witness, cuda::witness_bytes(shape_.witness));
    take(parts_.staging, shape_.plain ? staged_chunks() * cuda::Uploader::kChunkBytes : 0);
    take_split(parts_.split_a, !shape_.streams.a, shape_.a);
    take_split(parts_.split_b, plan_.splits_all_of_b(), shape_.b);
    take_split(parts_.split_l, !shape_.streams.l, shape_.l);
    take_split(parts_.split_part, shape_.streams.of_witness(), plan_.part());
  }
  std::size_t staged_chunks() const { return plan_.side_by_side ? 4 : 1; }
  void take_split(DeviceSpan<std::byte>& part, bool is_wanted, const ProofShape::Split& split) {
    take(part, is_wanted ? cuda::split_bytes(split.points, split.general) : 0);
  }
  void take_other_vectors() {
    if (plan_.vectors == 1) {
      for (auto& part : parts_.parked) {
        take(part, std::min(cuda::Uploader::kChunkBytes / sizeof(Fr), shape_.domain_size));
      }
      return;
    }
    take(parts_.b, shape_.domain_size);
    parts_.c = parts_.b;
    if (plan_.vectors == 3) take(parts_.c, shape_.domain_size);
  }

  const ProofPlan& plan_;
  const ProofShape& shape_;
  ProofMemory& parts_;
  std::byte* const base_;
  std::size_t at_ = 0;
  std::size_t for_h_ = 0, for_g1_ = 0, for_g2_ = 0;
};

template <class C> Result<std::size_t> ProofMemory<C>::bytes(const ProofPlan& plan) {
  ProofMemory parts;
  return Layout(plan, parts, nullptr).run();
}

template <class C> Result<ProofMemory<C>> ProofMemory<C>::parts(const ProofPlan& plan, DeviceSpan<std::byte> memory) {
  ProofMemory parts;
  CUZK_TRY(const std::size_t bytes, Layout(plan, parts, memory.data).run());
  CUZK_REQUIRE(bytes <= memory.size);
  return parts;
}

template Result<ProofPlan> ProofPlan::in_turn<Bn254>(const ProofShape&, std::uint64_t);
template Result<ProofPlan> ProofPlan::in_turn<Bls12_381>(const ProofShape&, std::uint64_t);
template struct ProofMemory<Bn254>;
template struct ProofMemory<Bls12_381>;

}  // namespace cuzk::backend
