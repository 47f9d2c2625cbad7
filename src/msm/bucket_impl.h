// Sums of the buckets of one window and their weighted sum, both by batches of affine additions.
//
// A bucket is summed as a balanced tree: its first half plus its second half, in rounds over all buckets of a piece, so
// that each round is one batch. A piece is a run of entries in bucket order of bounded length, whatever the buckets:
// one bucket that holds all entries is cut into many pieces. The sum of all sum_b (b + 1) B_b is taken over a table of
// rows and columns,
//   sum_j j (cols R_j) + sum_l (l + 1) C_l, with R_j the sum of row j and C_l of column l: two additions a bucket, in
//   batches.
#pragma once

#include <vector>

#include "msm/batch_add_impl.h"

namespace cuzk::msm_detail {

template <class F> struct PointSet {
  const std::byte* points;
  const std::uint64_t* present;  // a bit a point; null when none is the identity

  bool has(SignedIndex i) const noexcept { return (present[i.index() / 64] >> (i.index() % 64) & 1) != 0; }
};

/// Working memory of one thread.
template <class F> class BucketSums {
 public:
  /// Entries of a piece: what is left of them after the first round stays in the second-level cache.
  static constexpr std::uint32_t kPiece = sizeof(F) > 48 ? 8192 : 16384;

  /// Sums entries [begin, end), at most kPiece, of the order into buckets[b]; entries of a bucket that began before
  /// `begin` go into `head`. Buckets without entries in the set are left alone.
  void sum_piece(const BucketOrder& order, std::uint32_t begin, std::uint32_t end, const PointSet<F>& set,
                 Affine<F>* buckets, Affine<F>& head) noexcept {
    gather(order, begin, end, set, buckets, head);
    adder_.add(IndexedPoints<F>(set.points), std::span<const Addition<SignedIndex>>(gathered_), sums_.get());
    copy_singles(set);
    for (drop_finished(); !runs_.empty(); drop_finished()) {
      halve_runs();
      add_within(sums_.get());
    }
  }

  /// sum of (b + 1) buckets[b]; count is a power of two.
  Point<F> weighted_sum(const Affine<F>* buckets, std::uint32_t count) noexcept {
    if (count < 16) return running_sum(buckets, 1, count);
    const auto log = static_cast<unsigned>(std::bit_width(count)) - 1;
    const std::uint32_t rows = std::uint32_t{1} << (log / 2);
    const std::uint32_t columns = count / rows;
    fold_table(buckets, rows, columns);
    // Row j now lies at sums_[j * stride], column l at sums_[count / 2 + l].
    Point<F> sum = running_sum(sums_.get() + columns / 2, columns / 2, rows - 1);
    for (std::uint32_t c = columns; c > 1; c /= 2) sum = sum.doubled();
    return sum + running_sum(sums_.get() + count / 2, 1, columns);
  }

 private:
  struct Run {
    Affine<F>* target;
    std::uint32_t start, count;  // in sums_
  };

  void reserve(std::size_t points) {
    if (points <= capacity_) return;
    capacity_ = points;
    sums_ = std::make_unique_for_overwrite<Affine<F>[]>(points);
  }

  /// Copies what the set has of [begin, end) to entries_; returns how many.
  std::uint32_t filter(const SignedIndex* entries, std::uint32_t begin, std::uint32_t end,
                       const PointSet<F>& set) noexcept {
    std::uint32_t count = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      entries_[count] = entries[i];
      count += static_cast<std::uint32_t>(set.has(entries[i]));
    }
    return count;
  }

  void gather(const BucketOrder& order, std::uint32_t begin, std::uint32_t end, const PointSet<F>& set,
              Affine<F>* buckets, Affine<F>& head) noexcept {
    reserve(kPiece);
    entries_.resize(kPiece);
    runs_.clear(), gathered_.clear(), singles_.clear();
    std::uint32_t out = 0;
    for (std::uint32_t b = order.bucket_of(begin); begin < end; ++b) {
      const std::uint32_t stop = std::min(end, order.start(b + 1));
      if (begin == stop) continue;
      Affine<F>* const target = order.start(b) < begin ? &head : buckets + b;
      const SignedIndex* entries = order.entries() + begin;
      std::uint32_t count = stop - begin;
      if (set.present != nullptr) {
        count = filter(order.entries(), begin, stop, set);
        entries = entries_.data();
      }
      begin = stop;
      if (count == 0) continue;
      const std::uint32_t half = (count + 1) / 2;
      for (std::uint32_t i = 0; i < count / 2; ++i) gathered_.push_back({entries[i], entries[half + i], out + i});
      if (count % 2 != 0) singles_.push_back({entries[half - 1], out + half - 1});
      runs_.push_back({target, out, half});
      out += half;
    }
  }

  void copy_singles(const PointSet<F>& set) noexcept {
    const IndexedPoints<F> points(set.points);
    for (const auto& [index, target] : singles_) sums_[target] = points.point(index);
  }

  void drop_finished() noexcept {
    std::size_t kept = 0;
    for (const Run& run : runs_) {
      if (run.count == 1) {
        *run.target = sums_[run.start];
      } else {
        runs_[kept++] = run;
      }
    }
    runs_.resize(kept);
  }

  /// First half plus second half; a middle one stays.
  void halve_runs() noexcept {
    additions_.clear();
    for (Run& run : runs_) {
      const std::uint32_t half = (run.count + 1) / 2;
      for (std::uint32_t i = 0; i < run.count / 2; ++i)
        additions_.push_back({run.start + i, run.start + half + i, run.start + i});
      run.count = half;
    }
  }

  void add_within(const Affine<F>* from) noexcept {
    adder_.add(ArrayPoints<F>(from), std::span<const Addition<std::uint32_t>>(additions_), sums_.get());
  }

  /// Row and column sums of a table, by halving the width of the rows and the height of the columns.
  void fold_table(const Affine<F>* table, std::uint32_t rows, std::uint32_t columns) noexcept {
    reserve(std::size_t{rows} * columns);
    const std::uint32_t stride = columns / 2, column_sums = rows * stride;
    additions_.clear();
    for (std::uint32_t j = 0; j < rows; ++j)
      for (std::uint32_t l = 0; l < stride; ++l)
        additions_.push_back({j * columns + l, j * columns + stride + l, j * stride + l});
    for (std::uint32_t i = 0; i < column_sums; ++i) additions_.push_back({i, column_sums + i, column_sums + i});
    add_within(table);

    std::uint32_t width = stride / 2, height = rows / 4;
    for (; width > 0 || height > 0; width /= 2, height /= 2) {
      additions_.clear();
      for (std::uint32_t j = 0; j < rows; ++j)
        for (std::uint32_t l = 0; l < width; ++l)
          additions_.push_back({j * stride + l, j * stride + width + l, j * stride + l});
      for (std::uint32_t i = 0; i < height * columns; ++i)
        additions_.push_back({column_sums + i, column_sums + height * columns + i, column_sums + i});
      add_within(sums_.get());
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

  struct Single {
    SignedIndex index;
    std::uint32_t target;
  };

  BatchAdder<F> adder_;
  std::size_t capacity_ = 0;
  std::unique_ptr<Affine<F>[]> sums_;
  std::vector<SignedIndex> entries_;
  std::vector<Run> runs_;
  std::vector<Addition<SignedIndex>> gathered_;
  std::vector<Single> singles_;
  std::vector<Addition<std::uint32_t>> additions_;
};

}  // namespace cuzk::msm_detail
