// The driver of the bucket method: a few windows at a time, each phase a parallel loop over even pieces of work.
//
//   for some windows:  sort each window's entries by bucket                    (once for all sets of points)
//                      sum the buckets of each window and set                  (bucket_impl.h)
//                      weighted sum of the buckets
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
  /// A free one, or one made of `arguments`.
  template <class... Arguments> std::unique_ptr<T> take(Arguments... arguments) {
    {
      MutexLock lock(mutex_);
      if (!free_.empty()) {
        auto item = std::move(free_.back());
        free_.pop_back();
        return item;
      }
    }
    return std::make_unique<T>(arguments...);
  }
  void give_back(std::unique_ptr<T> item) {
    MutexLock lock(mutex_);
    free_.push_back(std::move(item));
  }

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<T>> free_ CUZK_GUARDED_BY(mutex_);
};

/// A set of points and the sums of its windows. Some windows are in work at a time, each in a slot; the entries of a
/// window may be shared among several parts, each with buckets of its own.
template <class F> class SetSums {
 public:
  SetSums(Arena& arena, const Digits& digits, const std::byte* points, std::size_t size, const StopToken& stop)
      : digits_(digits), stop_(stop), points_(points), lanes_(has_lanes()), windows_(digits.windows().size()) {
    find_identities(arena, size);
  }

  void reserve(std::size_t slots, std::size_t parts, std::uint32_t buckets) {
    parts_ = parts;
    max_buckets_ = buckets;
    buckets_ = std::make_unique_for_overwrite<Affine<F>[]>(slots * parts * buckets);
  }
  void sum_part(const BucketOrder& order, std::size_t slot, std::size_t part) {
    Affine<F>* const buckets = buckets_of(slot, part);
    std::fill_n(buckets, order.buckets(), Affine<F>::identity());
    const PointSet<F> set{points_, absent_.empty() ? nullptr : absent_.data()};
    auto sums = pool_.take(lanes_);
    const std::size_t begin = order.chunks() * part / parts_, end = order.chunks() * (part + 1) / parts_;
    // After the last chunk comes the first one again, in the next window.
    for (std::size_t c = begin; c < end && !stop_.stop_requested(); ++c)
      sums->add_chunk(order.chunk(c), set, indices_of(c + 1 < end ? c + 1 : begin), buckets);
    pool_.give_back(std::move(sums));
  }
  void finish_window(const BucketOrder& order, std::size_t slot, std::size_t window) {
    auto sums = pool_.take(lanes_);
    for (std::size_t part = 1; part < parts_; ++part)
      sums->add_buckets(buckets_of(slot, part), order.buckets(), buckets_of(slot, 0));
    windows_[window] = sums->weighted_sum(buckets_of(slot, 0), order.buckets());
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
  Affine<F>* buckets_of(std::size_t slot, std::size_t part) noexcept {
    return buckets_.get() + (slot * parts_ + part) * max_buckets_;
  }
  std::span<const SignedIndex> indices_of(std::size_t chunk) const noexcept {
    const auto from = digits_.indices().subspan(chunk * BucketOrder::kChunk);
    return from.first(std::min(BucketOrder::kChunk, from.size()));
  }

  /// Of the points that are needed: the others are not even read from the mapped key.
  void find_identities(Arena& arena, std::size_t size) {
    absent_.assign((size + 63) / 64, 0);
    std::atomic<bool> any = false;
    const auto indices = digits_.indices();
    constexpr std::size_t grain = 16384;  // points: some 100 us
    parallel_for(arena, 0, indices.size(), grain, [&](std::size_t begin, std::size_t end) {
      if (stop_.stop_requested()) return;
      bool found = false;
      for (const SignedIndex i : indices.subspan(begin, end - begin)) {
        Affine<F> p;
        std::memcpy(&p, points_ + i.index() * sizeof p, sizeof p);
        if (!p.is_identity()) continue;
        found = true;
        // Threads may share a word, and nobody reads before the loop has ended.
        std::atomic_ref(absent_[i.index() / 64])
            .fetch_or(std::uint64_t{1} << (i.index() % 64), std::memory_order_relaxed);
      }
      if (found) any = true;
    });
    if (!any) absent_.clear();
  }

  const Digits& digits_;
  const StopToken& stop_;
  const std::byte* points_;
  bool lanes_;
  std::vector<std::uint64_t> absent_;  // a bit a point: the identity; empty when none is
  std::size_t parts_ = 1, max_buckets_ = 0;
  std::unique_ptr<Affine<F>[]> buckets_;
  std::vector<Point<F>> windows_;
  Pool<BucketSums<F>> pool_;
};

/// All sets of one call.
template <class C, class Isa> class Pippenger {
 public:
  using Fq = rebind_isa<typename C::Fq, Isa>;
  using Fq2 = rebind_isa<typename C::Fq2, Isa>;

  Pippenger(Arena& arena, std::span<const U256> scalars, const StopToken& stop)
      : arena_(arena), stop_(stop), digits_(arena, scalars, C::Fr::modulus) {}

  void add_set(PointSpan<typename C::G1Affine> points) {
    g1_.push_back(std::make_unique<SetSums<Fq>>(arena_, digits_, points.data(), points.size(), stop_));
  }
  void add_set(PointSpan<typename C::G2Affine> points) {
    g2_.push_back(std::make_unique<SetSums<Fq2>>(arena_, digits_, points.data(), points.size(), stop_));
  }

  MsmSums<C> run() {
    const std::size_t windows = digits_.windows().size();
    if (windows != 0) {
      choose_slots();
      // From the highest: the last loop is then over the lowest, fullest windows.
      for (std::size_t end = windows; end > 0 && !stop_.stop_requested();) {
        const std::size_t first = end - std::min(orders_.size(), end);
        sum_windows(first, end);
        end = first;
      }
    }
    MsmSums<C> sums;
    for (const auto& set : g1_) sums.g1.push_back(with_arithmetic<Portable>(set->total(digits_.windows())));
    for (const auto& set : g2_) sums.g2.push_back(with_arithmetic<Portable>(set->total(digits_.windows())));
    return sums;
  }

 private:
  std::size_t sets() const noexcept { return g1_.size() + g2_.size(); }
  /// The dearer sets come first.
  template <class Body> void with_set(std::size_t set, Body body) {
    set < g2_.size() ? body(*g2_[set]) : body(*g1_[set - g2_.size()]);
  }

  void choose_slots() {
    std::uint32_t buckets = 0;
    for (const Window& w : digits_.windows()) buckets = std::max(buckets, w.buckets());
    const std::size_t window_bytes = digits_.entries(0) * sizeof(BucketEntry) +
                                     buckets * (g1_.size() * sizeof(Affine<Fq>) + g2_.size() * sizeof(Affine<Fq2>));
    constexpr std::size_t spare_bytes = std::size_t{2} << 20;
    const std::size_t threads = arena_.concurrency();
    orders_.resize(std::min(digits_.windows().size(), std::max(threads, spare_bytes / window_bytes)));
    // Enough tasks that the threads end at about the same time (the dearest come first), but several chunks each.
    const std::size_t chunks = digits_.entries(0) / BucketOrder::kChunk;
    const std::size_t tasks = std::max<std::size_t>(1, orders_.size() * sets());
    if (threads > 1)
      parts_ = std::clamp<std::size_t>((2 * threads + tasks - 1) / tasks, 1, std::max<std::size_t>(1, chunks / 4));
    for (std::size_t set = 0; set < sets(); ++set)
      with_set(set, [&](auto& sums) { sums.reserve(orders_.size(), parts_, buckets); });
  }

  void sum_windows(std::size_t first, std::size_t end) {
    const std::size_t count = end - first;
    parallel_tasks(arena_, count, [&](std::size_t slot) {
      if (!stop_.stop_requested()) orders_[slot].sort(digits_, first + slot);
    });
    if (stop_.stop_requested()) return;
    parallel_tasks(arena_, sets() * count * parts_, [&](std::size_t task) {
      const std::size_t slot = task / parts_ % count;
      with_set(task / parts_ / count, [&](auto& sums) { sums.sum_part(orders_[slot], slot, task % parts_); });
    });
    if (stop_.stop_requested()) return;
    parallel_tasks(arena_, sets() * count, [&](std::size_t task) {
      const std::size_t slot = task % count;
      with_set(task / count, [&](auto& sums) { sums.finish_window(orders_[slot], slot, first + slot); });
    });
  }

  Arena& arena_;
  const StopToken& stop_;
  Digits digits_;
  std::vector<BucketOrder> orders_;  // one a slot
  std::size_t parts_ = 1;
  std::vector<std::unique_ptr<SetSums<Fq>>> g1_;
  std::vector<std::unique_ptr<SetSums<Fq2>>> g2_;
};

}  // namespace cuzk::msm_detail

namespace cuzk {

template <class C, class Isa>
MsmSums<C> pippenger(Arena& arena, std::span<const U256> scalars,
                     std::span<const PointSpan<typename C::G1Affine>> g1_sets,
                     std::span<const PointSpan<typename C::G2Affine>> g2_sets, const StopToken& stop) {
  msm_detail::Pippenger<C, Isa> sums(arena, scalars, stop);
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
