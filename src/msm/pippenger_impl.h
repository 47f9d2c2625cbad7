// The driver of the bucket method: a few windows at a time, each phase a parallel loop over even pieces of work.
//
//   for some windows:  sort each window's entries by bucket                    (once for all sets of points)
//                      sum the pieces of each window and set                   (bucket_impl.h)
//                      join buckets that were cut, weighted sum of the buckets
//   per set:           sum_w 2^(at_w) S_w by doublings
// Windows at a time: as many as there are threads, more while their memory is small, so that few loops end unevenly.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "msm/bucket_impl.h"
#include "msm/pippenger.h"
#include "support/mutex.h"

namespace cuzk::msm_detail {

/// Working memory that outlives tasks: at most one object a running task, made on demand.
template <class T> class Pool {
 public:
  std::unique_ptr<T> take() {
    {
      MutexLock lock(mutex_);
      if (!free_.empty()) {
        auto item = std::move(free_.back());
        free_.pop_back();
        return item;
      }
    }
    return std::make_unique<T>();
  }
  void give_back(std::unique_ptr<T> item) {
    MutexLock lock(mutex_);
    free_.push_back(std::move(item));
  }

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<T>> free_ CUZK_GUARDED_BY(mutex_);
};

/// A set of points and the sums of its windows.
template <class F> class SetSums {
 public:
  SetSums(Arena& arena, const Digits& digits, const std::byte* points, std::size_t size)
      : points_(points), windows_(digits.windows().size()) {
    find_identities(arena, digits, size);
  }

  /// Buckets and heads of `slots` windows at a time.
  void reserve(std::size_t slots, std::uint32_t buckets, std::size_t pieces) {
    max_buckets_ = buckets;
    max_pieces_ = pieces;
    buckets_ = std::make_unique_for_overwrite<Affine<F>[]>(slots * buckets);
    heads_.resize(slots * pieces);
  }
  void clear(std::size_t slot, std::uint32_t buckets, std::size_t pieces) noexcept {
    std::fill_n(buckets_.get() + slot * max_buckets_, buckets, Affine<F>::identity());
    std::fill_n(heads_.begin() + static_cast<std::ptrdiff_t>(slot * max_pieces_), pieces, Affine<F>::identity());
  }

  static std::size_t pieces(const BucketOrder& order) noexcept {
    return (order.end() - order.begin() + kPiece - 1) / kPiece;
  }
  void sum_piece(const BucketOrder& order, std::size_t slot, std::size_t piece) {
    auto sums = pool_.take();
    const auto begin = static_cast<std::uint32_t>(order.begin() + piece * kPiece);
    sums->sum_piece(order, begin, std::min(order.end(), begin + kPiece),
                    {points_, identities_ ? present_.data() : nullptr}, buckets_.get() + slot * max_buckets_,
                    heads_[slot * max_pieces_ + piece]);
    pool_.give_back(std::move(sums));
  }
  void finish_window(const BucketOrder& order, std::size_t slot, std::size_t window) {
    join_heads(order, slot);
    auto sums = pool_.take();
    windows_[window] = sums->weighted_sum(buckets_.get() + slot * max_buckets_, order.buckets());
    pool_.give_back(std::move(sums));
  }

  Point<F> total(std::span<const Window> windows) const noexcept {
    Point<F> sum = Point<F>::identity();
    for (std::size_t w = windows.size(); w-- > 0;) {
      for (unsigned i = 0; w + 1 < windows.size() && i < windows[w].bits; ++i) sum = sum.doubled();
      sum += windows_[w];
    }
    return sum;
  }

 private:
  static constexpr std::uint32_t kPiece = BucketSums<F>::kPiece;

  void find_identities(Arena& arena, const Digits& digits, std::size_t size) {
    present_.assign((size + 63) / 64, 0);
    std::atomic<bool> any = false;
    constexpr std::size_t grain = 1024;  // words: 65536 points
    parallel_for(arena, 0, present_.size(), grain, [&](std::size_t begin, std::size_t end) {
      bool found = false;
      for (std::size_t i = 64 * begin; i < std::min(size, 64 * end); ++i) {
        const bool present = !IndexedPoints<F>(points_).point(SignedIndex(i, false)).is_identity();
        present_[i / 64] |= std::uint64_t{present} << (i % 64);
        found |= !present;
      }
      if (found) any = true;
    });
    identities_ = any;
    (void)digits;
  }

  /// Adds what a bucket had in pieces after its first; runs of heads of one bucket are summed first.
  void join_heads(const BucketOrder& order, std::size_t slot) noexcept {
    const Affine<F>* const heads = heads_.data() + slot * max_pieces_;
    Affine<F>* const buckets = buckets_.get() + slot * max_buckets_;
    for (std::size_t i = 1, end = pieces(order); i < end;) {
      const std::uint32_t bucket = bucket_of_piece(order, i);
      Point<F> sum = Point<F>::from_affine(buckets[bucket]);
      bool changed = false;
      for (; i < end && bucket_of_piece(order, i) == bucket; ++i) {
        changed |= !heads[i].is_identity();
        sum += heads[i];
      }
      if (changed) buckets[bucket] = sum.to_affine();
    }
  }
  static std::uint32_t bucket_of_piece(const BucketOrder& order, std::size_t piece) noexcept {
    return order.bucket_of(static_cast<std::uint32_t>(order.begin() + piece * kPiece));
  }

  const std::byte* points_;
  bool identities_ = false;
  std::vector<std::uint64_t> present_;
  std::size_t max_buckets_ = 0, max_pieces_ = 0;
  std::unique_ptr<Affine<F>[]> buckets_;
  std::vector<Affine<F>> heads_;
  std::vector<Point<F>> windows_;
  Pool<BucketSums<F>> pool_;
};

/// All sets of one call.
template <class C, class Isa> class Pippenger {
 public:
  using Fq = rebind_isa<typename C::Fq, Isa>;
  using Fq2 = rebind_isa<typename C::Fq2, Isa>;

  Pippenger(Arena& arena, std::span<const U256> scalars) : arena_(arena), digits_(arena, scalars, C::Fr::modulus) {}

  void add_set(PointSpan<typename C::G1Affine> points) {
    g1_.push_back(std::make_unique<SetSums<Fq>>(arena_, digits_, points.data(), points.size()));
  }
  void add_set(PointSpan<typename C::G2Affine> points) {
    g2_.push_back(std::make_unique<SetSums<Fq2>>(arena_, digits_, points.data(), points.size()));
  }

  MsmSums<C> run() {
    const std::size_t windows = digits_.windows().size();
    if (windows != 0) {
      const std::size_t slots = std::min(windows, slots_at_a_time());
      orders_.resize(slots);
      // Highest windows first: the last loop is then over the lowest, fullest ones.
      for (std::size_t end = windows; end > 0; end -= std::min(slots, end)) {
        sum_windows(end - std::min(slots, end), end);
      }
    }
    MsmSums<C> sums;
    for (const auto& set : g1_) sums.g1.push_back(with_arithmetic<Portable>(set->total(digits_.windows())));
    for (const auto& set : g2_) sums.g2.push_back(with_arithmetic<Portable>(set->total(digits_.windows())));
    return sums;
  }

 private:
  template <class F> void for_each_set(F&& f) {
    for (auto& set : g2_) f(*set);  // the dearer tasks first
    for (auto& set : g1_) f(*set);
  }

  std::size_t slots_at_a_time() {
    std::uint32_t buckets = 0;
    for (const Window& w : digits_.windows()) buckets = std::max(buckets, w.buckets());
    const std::size_t entries = digits_.entries(0);
    const std::size_t window_bytes =
        entries * sizeof(SignedIndex) + buckets * (g1_.size() * sizeof(Affine<Fq>) + g2_.size() * sizeof(Affine<Fq2>));
    constexpr std::size_t spare_bytes = std::size_t{4} << 20;
    const std::size_t slots = std::max<std::size_t>(arena_.concurrency(), spare_bytes / window_bytes);
    const std::size_t reserved = std::min(slots, digits_.windows().size());
    for_each_set([&](auto& set) { set.reserve(reserved, buckets, entries / 8192 + 1); });
    return slots;
  }

  void sum_windows(std::size_t first, std::size_t end) {
    const std::size_t count = end - first;
    parallel_tasks(arena_, count, [&](std::size_t i) { orders_[i].sort(digits_, first + i); });
    sum_pieces(count);
    const std::size_t sets = g1_.size() + g2_.size();
    parallel_tasks(arena_, count * sets, [&](std::size_t task) {
      const std::size_t slot = task % count;
      const std::size_t set = task / count;
      if (set < g2_.size()) {
        g2_[set]->finish_window(orders_[slot], slot, first + slot);
      } else {
        g1_[set - g2_.size()]->finish_window(orders_[slot], slot, first + slot);
      }
    });
  }

  void sum_pieces(std::size_t count) {
    struct Task {
      std::size_t set, slot, piece;
    };
    std::vector<Task> tasks;
    std::size_t index = 0;
    for_each_set([&](auto& set) {
      for (std::size_t slot = 0; slot < count; ++slot) {
        const std::size_t pieces = set.pieces(orders_[slot]);
        set.clear(slot, orders_[slot].buckets(), pieces);
        for (std::size_t piece = 0; piece < pieces; ++piece) tasks.push_back({index, slot, piece});
      }
      ++index;
    });
    parallel_tasks(arena_, tasks.size(), [&](std::size_t i) {
      const Task& t = tasks[i];
      if (t.set < g2_.size()) {
        g2_[t.set]->sum_piece(orders_[t.slot], t.slot, t.piece);
      } else {
        g1_[t.set - g2_.size()]->sum_piece(orders_[t.slot], t.slot, t.piece);
      }
    });
  }

  Arena& arena_;
  Digits digits_;
  std::vector<BucketOrder> orders_;
  std::vector<std::unique_ptr<SetSums<Fq>>> g1_;
  std::vector<std::unique_ptr<SetSums<Fq2>>> g2_;
};

}  // namespace cuzk::msm_detail

namespace cuzk {

template <class C, class Isa>
MsmSums<C> pippenger(Arena& arena, std::span<const U256> scalars,
                     std::span<const PointSpan<typename C::G1Affine>> g1_sets,
                     std::span<const PointSpan<typename C::G2Affine>> g2_sets) {
  msm_detail::Pippenger<C, Isa> sums(arena, scalars);
  for (const auto& set : g1_sets) {
    CUZK_REQUIRE(set.size() == scalars.size());
    sums.add_set(set);
  }
  for (const auto& set : g2_sets) {
    CUZK_REQUIRE(set.size() == scalars.size());
    sums.add_set(set);
  }
  return sums.run();
}

}  // namespace cuzk
