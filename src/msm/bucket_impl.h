// Sums of the buckets of one window and their weighted sum, both by batches of affine additions.
//
// A chunk's entries of one bucket are summed as a balanced tree, first half plus second half, in rounds over all its
// buckets, so that each round is one batch however uneven the buckets are; what is left of each is added to the bucket.
// The weighted sum sum_b (b + 1) B_b is taken over a table of rows and columns,
//   sum_j j (columns R_j) + sum_l (l + 1) C_l, with R_j the sum of row j and C_l of column l: two additions a bucket,
//   in
// batches.
#pragma once

#include <bit>
#include <vector>

#include "msm/batch_add_impl.h"

namespace cuzk::msm_detail {

template <class F> struct PointSet {
  const std::byte* points;
  const std::uint64_t* absent;  // a bit a point: the identity; null when none is

  bool has(SignedIndex i) const noexcept { return (absent[i.index() / 64] >> (i.index() % 64) & 1) == 0; }
};

/// A list whose length was bounded beforehand, so that push() need not look.
template <class T> class BoundedList {
 public:
  void clear(std::size_t bound) {
    if (capacity_ < bound) {
      items_ = std::make_unique_for_overwrite<T[]>(bound);
      capacity_ = bound;
    }
    end_ = items_.get();
  }
  void push(const T& item) noexcept { *end_++ = item; }
  std::span<T> items() noexcept { return {items_.get(), end_}; }
  bool empty() const noexcept { return end_ == items_.get(); }

 private:
  std::size_t capacity_ = 0;
  std::unique_ptr<T[]> items_;
  T* end_ = nullptr;
};

/// Working memory of one thread, and what is done in it.
template <class F> class BucketSums {
 public:
  /// lanes: as for BatchAdder.
  explicit BucketSums(bool lanes) : adder_(lanes) {}

  /// buckets[b] += the points of the chunk's entries. `next` are the entries whose points are wanted after this call.
  void add_chunk(std::span<const BucketEntry> entries, const PointSet<F>& set, std::span<const SignedIndex> next,
                 Affine<F>* buckets) noexcept {
    Lookahead<F> lookahead(IndexedPoints<F>(set.points), next);
    gather(set.absent == nullptr ? entries : filter(entries, set));
    adder_.add(IndexedPoints<F>(set.points), gathered_.items(), sums_.get(), lookahead);
    copy_singles(set);
    while (halve_runs()) adder_.add(sums_.get(), sums_.get(), additions_.items(), sums_.get(), lookahead);
    add_to_buckets(buckets, lookahead);
  }

  /// into[b] += from[b].
  void add_buckets(const Affine<F>* from, std::uint32_t count, Affine<F>* into) noexcept {
    auto lookahead = no_lookahead();
    additions_.clear(count);
    for (std::uint32_t b = 0; b < count; ++b) {
      if (into[b].is_identity()) {
        into[b] = from[b];
      } else if (!from[b].is_identity()) {
        additions_.push({b, b, b});
      }
    }
    adder_.add(into, from, additions_.items(), into, lookahead);
  }

  /// sum of (b + 1) buckets[b]; count is a power of two.
  Point<F> weighted_sum(const Affine<F>* buckets, std::uint32_t count) noexcept {
    if (count < 16) return running_sum(buckets, 1, count);
    const auto log = static_cast<unsigned>(std::bit_width(count)) - 1;
    const std::uint32_t rows = std::uint32_t{1} << (log / 2);
    const std::uint32_t columns = count / rows;
    fold_table(buckets, rows, columns);
    // Row j now lies at sums_[j * columns / 2], column l at sums_[count / 2 + l].
    Point<F> sum = running_sum(sums_.get() + columns / 2, columns / 2, rows - 1);
    for (std::uint32_t c = columns; c > 1; c /= 2) sum = sum.doubled();
    return sum + running_sum(sums_.get() + count / 2, 1, columns);
  }

 private:
  /// Where the sum of a bucket's entries in this chunk lies in sums_.
  struct Partial {
    std::uint32_t bucket, start;
  };
  /// Points in sums_ that are still to be added up.
  struct Run {
    std::uint32_t start, count;
  };
  struct Single {
    SignedIndex index;
    std::uint32_t target;
  };

  static Lookahead<F> no_lookahead() noexcept { return {IndexedPoints<F>(nullptr), {}}; }

  void reserve(std::size_t points) {
    if (points <= capacity_) return;
    capacity_ = points;
    sums_ = std::make_unique_for_overwrite<Affine<F>[]>(points);
  }

  std::span<const BucketEntry> filter(std::span<const BucketEntry> entries, const PointSet<F>& set) noexcept {
    filtered_.resize(BucketOrder::kChunk);
    std::size_t count = 0;
    for (const BucketEntry& e : entries) {
      filtered_[count] = e;
      count += static_cast<std::size_t>(set.has(e.index));
    }
    return std::span<const BucketEntry>(filtered_).first(count);
  }

  /// The first round: additions of points, and points that have no partner.
  void gather(std::span<const BucketEntry> entries) noexcept {
    reserve(BucketOrder::kChunk);
    partials_.clear(entries.size()), runs_.clear(entries.size());
    gathered_.clear(entries.size()), singles_.clear(entries.size());
    std::uint32_t out = 0;
    for (std::size_t begin = 0, end; begin < entries.size(); begin = end) {
      for (end = begin + 1; end < entries.size() && entries[end].bucket == entries[begin].bucket;) ++end;
      const auto count = static_cast<std::uint32_t>(end - begin);
      const std::uint32_t half = (count + 1) / 2;
      const BucketEntry* const first = entries.data() + begin;
      for (std::uint32_t i = 0; i < count / 2; ++i) gathered_.push({first[i].index, first[half + i].index, out + i});
      if (count % 2 != 0) singles_.push({first[half - 1].index, out + half - 1});
      partials_.push({first->bucket, out});
      if (half > 1) runs_.push({out, half});
      out += half;
    }
  }

  void copy_singles(const PointSet<F>& set) noexcept {
    const IndexedPoints<F> points(set.points);
    for (const auto& [index, target] : singles_.items()) points.load(index, sums_[target]);
  }

  /// Lists first half plus second half of each run (a middle one stays); false when nothing is left to add.
  bool halve_runs() noexcept {
    const auto runs = runs_.items();
    runs_.clear(runs.size());
    additions_.clear(BucketOrder::kChunk);
    for (Run run : runs) {
      const std::uint32_t half = (run.count + 1) / 2;
      for (std::uint32_t i = 0; i < run.count / 2; ++i)
        additions_.push({run.start + i, run.start + half + i, run.start + i});
      if (half > 1) runs_.push({run.start, half});
    }
    return !additions_.empty();
  }

  void add_to_buckets(Affine<F>* buckets, Lookahead<F>& lookahead) noexcept {
    additions_.clear(BucketOrder::kChunk);
    for (const Partial& partial : partials_.items()) {
      if (buckets[partial.bucket].is_identity()) {
        buckets[partial.bucket] = sums_[partial.start];
      } else {
        additions_.push({partial.bucket, partial.start, partial.bucket});
      }
    }
    adder_.add(buckets, sums_.get(), additions_.items(), buckets, lookahead);
  }

  /// Row and column sums of a table, by halving the width of the rows and the height of the columns.
  void fold_table(const Affine<F>* table, std::uint32_t rows, std::uint32_t columns) noexcept {
    reserve(std::size_t{rows} * columns);
    auto lookahead = no_lookahead();
    const std::uint32_t stride = columns / 2, column_sums = rows * stride;
    additions_.clear(std::size_t{rows} * columns);
    for (std::uint32_t j = 0; j < rows; ++j)
      for (std::uint32_t l = 0; l < stride; ++l)
        additions_.push({j * columns + l, j * columns + stride + l, j * stride + l});
    for (std::uint32_t i = 0; i < column_sums; ++i) additions_.push({i, column_sums + i, column_sums + i});
    adder_.add(table, table, additions_.items(), sums_.get(), lookahead);

    std::uint32_t width = stride / 2, height = rows / 4;
    for (; width > 0 || height > 0; width /= 2, height /= 2) {
      additions_.clear(std::size_t{rows} * columns);
      for (std::uint32_t j = 0; j < rows; ++j)
        for (std::uint32_t l = 0; l < width; ++l)
          additions_.push({j * stride + l, j * stride + width + l, j * stride + l});
      for (std::uint32_t i = 0; i < height * columns; ++i)
        additions_.push({column_sums + i, column_sums + height * columns + i, column_sums + i});
      adder_.add(sums_.get(), sums_.get(), additions_.items(), sums_.get(), lookahead);
    }
  }

  /// sum over i < count of (i + 1) points[i * stride].
  static Point<F> running_sum(const Affine<F>* points, std::uint32_t stride, std::uint32_t count) noexcept {
    Point<F> running = Point<F>::identity(), sum = Point<F>::identity();
    for (std::uint32_t i = count; i-- > 0;) {
      running += points[std::size_t{i} * stride];
      sum += running;
    }
    return sum;
  }

  ListAdder<F> adder_;
  std::size_t capacity_ = 0;
  std::unique_ptr<Affine<F>[]> sums_;
  std::vector<BucketEntry> filtered_;
  BoundedList<Partial> partials_;
  BoundedList<Run> runs_;
  BoundedList<Addition<SignedIndex>> gathered_;
  BoundedList<Single> singles_;
  BoundedList<Addition<std::uint32_t>> additions_;
};

}  // namespace cuzk::msm_detail
