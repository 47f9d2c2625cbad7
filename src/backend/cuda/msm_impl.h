// Kernels of a multi-scalar multiplication: buckets of signed digits.
//
// A group of windows is done at a time. Each scalar gives a digit of each window; (bucket, point and sign) pairs are
// sorted by bucket; a thread (in G2 two) adds up the points of one bucket, the buckets with most points first, so that
// those of a warp end together. What a bucket has beyond kSegment points is cut into segments of their own, so that no
// distribution of digits leaves one thread with the work. Bucket sums are then weighed and added in chunks.
//
// Digits (Booth): of c + 1 overlapping bits, from -2^(c-1) to 2^(c-1); no carry goes from window to window, and windows
// cover one bit more than scalars have.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/cuda/msm.h"
#include "backend/cuda/point_kernels.h"
#include "backend/cuda/sort.h"
#include "backend/cuda/subset_sum.h"

namespace cuzk::cuda::msm {

constexpr unsigned kSegment = 256;  // points that one thread adds up at most
constexpr std::uint32_t kNegative = 0x80000000u;
constexpr unsigned kMostWindows = 64;
struct Windows {
  unsigned at[kMostWindows + 1];  // bit where each begins
};

struct Group {
  unsigned first, count;  // windows
  unsigned log_buckets;   // of each: the widest's width - 1
  __host__ __device__ std::uint32_t buckets() const { return count << log_buckets; }
};

/// `count` + 1 bits of a scalar from bit `at` - 1 on; beyond either end there are zeros.
__device__ __forceinline__ std::uint32_t bits_around(const std::uint32_t* scalar, unsigned at, unsigned count) {
  const int word = at == 0 ? -1 : static_cast<int>((at - 1) / 32);
  const std::uint32_t low = word >= 0 && word < 8 ? scalar[word] : 0;
  const std::uint32_t high = word + 1 < 8 ? scalar[word + 1] : 0;
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<std::uint32_t>(both >> (at + 31) % 32) & ((2u << count) - 1);
}

/// keys[w n + i] = bucket of digit w of scalar i, `none` for zero; values: the number of its point (null: i), the sign
/// on top.
inline __global__ void __launch_bounds__(256)
    digits(const std::uint32_t* scalars, const std::uint32_t* numbers, std::uint32_t n,
           const __grid_constant__ Windows windows, Group group, std::uint32_t* keys, std::uint32_t* values) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t point = numbers == nullptr ? i : numbers[i];
  for (unsigned w = 0; w < group.count; ++w) {
    const unsigned at = windows.at[group.first + w];
    const unsigned c = windows.at[group.first + w + 1] - at;
    const std::uint32_t bits = bits_around(scalars + std::uint64_t{8} * i, at, c);
    const bool negative = (bits >> c) != 0;
    const std::uint32_t up = (bits + 1) >> 1;
    const std::uint32_t digit = negative ? (1u << c) - up : up;
    keys[std::uint64_t{w} * n + i] = digit == 0 ? group.buckets() : (w << group.log_buckets) + digit - 1;
    values[std::uint64_t{w} * n + i] = point | (negative ? kNegative : 0);
  }
}

/// begin and end of each bucket in the sorted pairs; cleared before.
inline __global__ void __launch_bounds__(256) bounds(const std::uint32_t* keys, std::uint32_t pairs, std::uint32_t none,
                                                     std::uint32_t* begin, std::uint32_t* end) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const std::uint32_t key = keys[i];
  const std::uint32_t before = i == 0 ? none : keys[i - 1];
  if (i == 0 || key != before) {
    if (key != none) begin[key] = i;
    if (i != 0) end[before] = i;
  }
  if (i + 1 == pairs && key != none) end[key] = pairs;
}

/// A bucket's segments beyond its first; partial sums of one bucket lie beside each other.
struct Extra {
  std::uint32_t bucket, begin, end;
  std::uint32_t index, count;  // among the bucket's extras
};
struct ExtraCount {
  std::uint32_t extras;
  std::uint32_t most;  // of one bucket
};

/// length[b], and b itself, for the sort; cuts long buckets.
inline __global__ void __launch_bounds__(256)
    lengths(const std::uint32_t* begin, const std::uint32_t* end, std::uint32_t buckets, std::uint32_t* length,
            std::uint32_t* order, Extra* extra, ExtraCount* count) {
  const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= buckets) return;
  const std::uint32_t all = end[b] - begin[b];
  length[b] = all < kSegment ? all : kSegment;
  order[b] = b;
  if (all <= kSegment) return;
  const std::uint32_t more = (all - 1) / kSegment;
  const std::uint32_t first = atomicAdd(&count->extras, more);
  atomicMax(&count->most, more);
  for (std::uint32_t k = 0; k < more; ++k) {
    const std::uint32_t from = begin[b] + (k + 1) * kSegment;
    extra[first + k] = {b, from, from + kSegment < end[b] ? from + kSegment : end[b], k, more};
  }
}

// Of the kernels below L is how they compute: kLanes<L> threads for each bucket, segment or chunk. Threads in step
// (InStep) go round together; who has nothing to add adds the identity.

template <class L>
__device__ __forceinline__ DeviceXyzz<L> sum_of(const StoredPoint<L>* points, const std::uint32_t* values,
                                                std::uint32_t begin, std::uint32_t end) {
  DeviceXyzz<L> sum = DeviceXyzz<L>::identity();
  for (std::uint32_t i = begin; InStep<L>::any(i < end); ++i) {
    DeviceAffine<L> p = DeviceAffine<L>::identity();
    if (i < end) {
      const std::uint32_t value = values[i];
      p = load_point<L>(points + (value & ~kNegative));
      if ((value & kNegative) != 0) p.y = -p.y;
    }
    sum.add(p);
  }
  return sum;
}

template <class L>
__global__ void __launch_bounds__(kPointThreads, kBlocksOf<L>)
    accumulate(const StoredPoint<L>* points, const std::uint32_t* values, const std::uint32_t* begin,
               const std::uint32_t* end, const std::uint32_t* order, std::uint32_t buckets, StoredSum<L>* sums) {
  const std::uint32_t i = point_of_thread<L>();
  const bool has = i < buckets;
  const std::uint32_t b = has ? order[i] : 0;
  const std::uint32_t from = has ? begin[b] : 0;
  const std::uint32_t to = has ? end[b] : 0;
  const DeviceXyzz<L> sum = sum_of<L>(points, values, from, to - from > kSegment ? from + kSegment : to);
  if (has) store_sum(sums + b, sum);
}

template <class L>
__global__ void __launch_bounds__(kPointThreads, kBlocksOf<L>)
    accumulate_extra(const StoredPoint<L>* points, const std::uint32_t* values, const Extra* extra,
                     const ExtraCount* count, StoredSum<L>* partial) {
  const std::uint32_t extras = count->extras;
  for (std::uint32_t e = point_of_thread<L>(); InStep<L>::any(e < extras); e += gridDim.x * kPointsOfBlock<L>) {
    const bool has = e < extras;
    const DeviceXyzz<L> sum = sum_of<L>(points, values, has ? extra[e].begin : 0, has ? extra[e].end : 0);
    if (has) store_sum(partial + e, sum);
  }
}
/// *sum += *more where there is something to add.
template <class L> __device__ __forceinline__ void add_to_if(bool has, StoredSum<L>* sum, const StoredSum<L>* more) {
  DeviceXyzz<L> both = load_sum_if<L>(has, sum);
  both.add(load_sum_if<L>(has, more));
  if (has) store_sum(sum, both);
}
/// One round of pairwise sums among the extras of each bucket.
template <class L>
__global__ void __launch_bounds__(kPointThreads)
    join_extra(const Extra* extra, const ExtraCount* count, std::uint32_t distance, StoredSum<L>* partial) {
  if (distance >= count->most) return;
  const std::uint32_t extras = count->extras;
  for (std::uint32_t e = point_of_thread<L>(); InStep<L>::any(e < extras); e += gridDim.x * kPointsOfBlock<L>) {
    const bool joins = e < extras && extra[e].index % (2 * distance) == 0 && extra[e].index + distance < extra[e].count;
    add_to_if<L>(joins, partial + e, partial + e + distance);
  }
}
template <class L>
__global__ void __launch_bounds__(kPointThreads)
    add_extra(const Extra* extra, const ExtraCount* count, const StoredSum<L>* partial, StoredSum<L>* sums) {
  const std::uint32_t extras = count->extras;
  for (std::uint32_t e = point_of_thread<L>(); InStep<L>::any(e < extras); e += gridDim.x * kPointsOfBlock<L>) {
    const bool is_first = e < extras && extra[e].index == 0;
    add_to_if<L>(is_first, sums + (is_first ? extra[e].bucket : 0), partial + e);
  }
}

/// Chunks of kChunk: sums[t] = sum_j in[t k + j], weighted[t] = sum_j j in[t k + j].
template <class L>
__global__ void __launch_bounds__(kPointThreads) weigh(const StoredSum<L>* in, std::uint32_t chunks, unsigned log_chunk,
                                                       StoredSum<L>* sums, StoredSum<L>* weighted) {
  const std::uint32_t t = point_of_thread<L>();
  const bool has = t < chunks;
  const StoredSum<L>* chunk = in + (static_cast<std::uint64_t>(t) << log_chunk);
  DeviceXyzz<L> sum = DeviceXyzz<L>::identity();
  DeviceXyzz<L> total = DeviceXyzz<L>::identity();
  for (std::uint32_t j = 1u << log_chunk; j-- > 1;) {
    sum.add(load_sum_if<L>(has, chunk + j));
    total.add(sum);
  }
  sum.add(load_sum_if<L>(has, chunk));
  if (!has) return;
  store_sum(sums + t, sum);
  store_sum(weighted + t, total);
}
/// out[t] = the sum of 2^log_chunk elements.
template <class L>
__global__ void __launch_bounds__(kPointThreads)
    add_up(const StoredSum<L>* in, std::uint32_t chunks, unsigned log_chunk, StoredSum<L>* out) {
  const std::uint32_t t = point_of_thread<L>();
  const bool has = t < chunks;
  const StoredSum<L>* chunk = in + (static_cast<std::uint64_t>(t) << log_chunk);
  DeviceXyzz<L> sum = load_sum_if<L>(has, chunk);
  for (std::uint32_t j = 1; j < 1u << log_chunk; ++j) sum.add(load_sum_if<L>(has, chunk + j));
  if (has) store_sum(out + t, sum);
}

// The host's side.

/// One set of pairs sorted by bucket; there are two, so that the next is sorted while one is added up.
struct Sorted {
  DeviceSpan<std::uint32_t> keys, values, begin, end, order;
  DeviceSpan<Extra> extra;
  DeviceSpan<ExtraCount> count;
};
struct Turn {
  Event ready, free;
};

/// The memory that a sum works in.
template <class Sum> struct Parts {
  Sorted sorted[2];
  DeviceSpan<std::uint32_t> keys, values, length, sorted_length, number;  // before sorting
  DeviceSpan<std::byte> sort_work;
  DeviceSpan<Sum> partial, sums, chunk_sums, weighted, scratch;

  /// take(part, elements) for each.
  template <class Take> void lay_out(const MsmShape& most, std::size_t sort_bytes, const Take& take) {
    const std::size_t pairs = std::size_t{most.points} * most.group;
    const std::size_t buckets = std::size_t{most.group} << (most.width - 1);
    const std::size_t all = std::size_t{most.windows} << (most.width - 1);
    const std::size_t extras = pairs / kSegment + 1;
    take(keys, pairs);
    take(values, pairs);
    for (Sorted& s : sorted) {
      take(s.keys, pairs);
      take(s.values, pairs);
      take(s.begin, buckets);
      take(s.end, buckets);
      take(s.order, buckets);
      take(s.extra, extras);
      take(s.count, 1);
    }
    take(length, buckets);
    take(sorted_length, buckets);
    take(number, buckets);
    take(sort_work, sort_bytes);
    take(partial, extras);
    take(sums, all);
    take(chunk_sums, all / 4 + 2 * kMostWindows);
    take(weighted, all / 8 + kMostWindows);
    take(scratch, all / 8 + kMostWindows);
  }
};

/// Sums of the windows of all levels of the weighing, on the host.
template <class C, class Point> struct Table {
  static constexpr unsigned kLevels = 8;  // 2^22 buckets need six
  using Sum = XyzzPoint<Point>;

  Sum* rows = nullptr;  // page-locked: [kLevels + 1][kMostWindows]
  MsmShape shape;       // no points: nothing was started
  Windows windows{};
  std::vector<unsigned> shifts;  // of the levels: weight 2^shift

  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() {
    if (rows != nullptr) static_cast<void>(cudaFreeHost(rows));
  }

  Sum* row(std::size_t level) const { return rows + level * kMostWindows; }

  Point put_together() const {
    // Each level's part comes in at its own bit, so that the doublings are those of the whole sum.
    Point total = Point::identity();
    for (unsigned w = shape.windows; w-- > 0;) {
      std::size_t level = shifts.size();
      for (unsigned bit = windows.at[w + 1] - windows.at[w]; bit-- > 0;) {
        total = total.doubled();
        while (level > 0 && shifts[level - 1] == bit) total += row(--level)[w].point();
      }
      CUZK_REQUIRE(level == 0);
      total += row(shifts.size())[w].point();
    }
    return total;
  }
};

/// What a sum works with.
template <class C, class Point> struct State : Parts<DeviceXyzz<DeviceTwin<typename Point::Field>>> {
  using Affine = cuzk::Affine<typename Point::Field>;
  using F = DeviceTwin<typename Point::Field>;
  using L = Added<F>;
  using Sum = DeviceXyzz<F>;
  using Base = Parts<Sum>;
  using Base::keys, Base::values, Base::length, Base::sorted_length, Base::number, Base::sort_work, Base::partial;
  using Base::sums, Base::chunk_sums, Base::weighted, Base::scratch, Base::sorted;

  static constexpr unsigned kScalarBits = C::Fr::modulus.bit_length();

  std::uint32_t most_points = 0;
  Stream sorter;
  Turn turns[2];

  // Of the sum in work.
  MsmShape shape;
  Windows windows{};

  State(Stream stream, Turn first, Turn second)
      : sorter(std::move(stream)), turns{std::move(first), std::move(second)} {}

  unsigned log_buckets() const { return shape.width - 1; }

  /// A smaller sum than the largest may want more windows at a time than there is memory for.
  void fit_group() {
    const std::size_t pairs = keys.size / shape.points;
    const std::size_t buckets = length.size >> log_buckets();
    shape.group = static_cast<unsigned>(std::min<std::size_t>({shape.group, pairs, buckets}));
  }

  Status sort(DeviceSpan<const U256> scalars, const std::uint32_t* numbers, const Group& group, unsigned turn) {
    const Sorted& s = sorted[turn];
    CUZK_CHECK_OK(turns[turn].free.delay(sorter));
    const cudaStream_t on = sorter.get();
    const std::uint32_t n = shape.points, buckets = group.buckets();
    const std::size_t pairs = std::size_t{n} * group.count;
    digits<<<blocks_for(n, 256), 256, 0, on>>>(reinterpret_cast<const std::uint32_t*>(scalars.data), numbers, n,
                                               windows, group, keys.data, values.data);
    CUZK_CUDA(cudaGetLastError());
    const auto part = [](const auto& span, std::size_t count) { return span.subspan(0, count); };
    const auto constant = [](DeviceSpan<std::uint32_t> span, std::size_t count) {
      return DeviceSpan<const std::uint32_t>{span.data, count};
    };
    CUZK_CHECK_OK(sort_pairs(
        sorter, sort_work, {constant(keys, pairs), constant(values, pairs), part(s.keys, pairs), part(s.values, pairs)},
        static_cast<unsigned>(std::bit_width(buckets))));
    CUZK_CUDA(cudaMemsetAsync(s.begin.data, 0, 4 * std::size_t{buckets}, on));
    CUZK_CUDA(cudaMemsetAsync(s.end.data, 0, 4 * std::size_t{buckets}, on));
    CUZK_CUDA(cudaMemsetAsync(s.count.data, 0, sizeof(ExtraCount), on));
    bounds<<<blocks_for(pairs, 256), 256, 0, on>>>(s.keys.data, static_cast<std::uint32_t>(pairs), buckets,
                                                   s.begin.data, s.end.data);
    CUZK_CUDA(cudaGetLastError());
    lengths<<<blocks_for(buckets, 256), 256, 0, on>>>(s.begin.data, s.end.data, buckets, length.data, number.data,
                                                      s.extra.data, s.count.data);
    CUZK_CUDA(cudaGetLastError());
    CUZK_CHECK_OK(sort_pairs_descending(
        sorter, sort_work,
        {constant(length, buckets), constant(number, buckets), part(sorted_length, buckets), part(s.order, buckets)},
        static_cast<unsigned>(std::bit_width(kSegment))));
    return turns[turn].ready.record(sorter);
  }

  Status add_up_buckets(const Stream& stream, DeviceSpan<const Affine> points, const Group& group, unsigned turn) {
    const Sorted& s = sorted[turn];
    CUZK_CHECK_OK(turns[turn].ready.delay(stream));
    const cudaStream_t on = stream.get();
    const auto* bases = reinterpret_cast<const DeviceAffine<F>*>(points.data);
    const std::uint32_t buckets = group.buckets();
    Sum* const out = sums.data + (std::size_t{group.first} << group.log_buckets);
    accumulate<L><<<blocks_for(buckets, kPointsOfBlock<L>), kPointThreads, 0, on>>>(
        bases, s.values.data, s.begin.data, s.end.data, s.order.data, buckets, out);
    CUZK_CUDA(cudaGetLastError());
    constexpr unsigned kBlocks = 528;  // four a multiprocessor; they go round
    accumulate_extra<Called<L>>
        <<<kBlocks, kPointThreads, 0, on>>>(bases, s.values.data, s.extra.data, s.count.data, partial.data);
    CUZK_CUDA(cudaGetLastError());
    const std::size_t most = std::size_t{shape.points} / kSegment;
    for (std::uint32_t distance = 1; distance < most; distance *= 2) {
      join_extra<Called<L>><<<kBlocks, kPointThreads, 0, on>>>(s.extra.data, s.count.data, distance, partial.data);
      CUZK_CUDA(cudaGetLastError());
    }
    add_extra<Called<L>><<<kBlocks, kPointThreads, 0, on>>>(s.extra.data, s.count.data, partial.data, out);
    CUZK_CUDA(cudaGetLastError());
    return turns[turn].free.record(stream);
  }

  /// The sum of each window's 2^log elements, to a row of the host's table.
  Status add_up_windows(const Stream& stream, Sum* from, unsigned log, XyzzPoint<Point>* row) {
    Sum* to = scratch.data;
    while (log > 0) {
      const unsigned step = std::min(log, log > 10 ? 4u : 2u);
      log -= step;
      const std::uint32_t count = shape.windows << log;
      add_up<Called<L>>
          <<<blocks_for(count, kPointsOfBlock<L>), kPointThreads, 0, stream.get()>>>(from, count, step, to);
      CUZK_CUDA(cudaGetLastError());
      std::swap(from, to);
    }
    CUZK_CUDA(cudaMemcpyAsync(row, from, sizeof(Sum) * shape.windows, cudaMemcpyDeviceToHost, stream.get()));
    return {};
  }

  /// sum_b (b + 1) bucket_b of all windows at once: chunks give their sum and their sum by place, and the sums are
  /// weighed by the number of their chunk in the next level.
  Status weigh_buckets(const Stream& stream, Table<C, Point>& table) {
    table.shifts.clear();
    unsigned log = log_buckets(), shift = 0;
    Sum* from = sums.data;
    Sum* to = chunk_sums.data;
    while (log > 0) {
      const unsigned step = std::min(log, log > 12 ? 5u : 3u);
      log -= step;
      const std::uint32_t chunks = shape.windows << log;
      weigh<Called<L>><<<blocks_for(chunks, kPointsOfBlock<L>), kPointThreads, 0, stream.get()>>>(from, chunks, step,
                                                                                                  to, weighted.data);
      CUZK_CUDA(cudaGetLastError());
      CUZK_CHECK_OK(add_up_windows(stream, weighted.data, log, table.row(table.shifts.size())));
      table.shifts.push_back(shift);
      shift += step;
      from = to;
      to += chunks;
    }
    static_assert(sizeof(Sum) == sizeof(XyzzPoint<Point>));
    CUZK_CUDA(cudaMemcpyAsync(table.row(table.shifts.size()), from, sizeof(Sum) * shape.windows, cudaMemcpyDeviceToHost,
                              stream.get()));
    table.shape = shape;
    table.windows = windows;
    return {};
  }
};

/// The largest sum's shape, and what its sorts work in.
struct Extent {
  MsmShape shape;
  std::size_t sort_bytes;

  static Result<Extent> of(std::uint32_t most_points, unsigned scalar_bits) {
    if (most_points > 1u << 30) {
      return fail(Code::invalid_argument, "a sum of " + std::to_string(most_points) + " products");
    }
    Extent extent{.shape = MsmShape::of(std::max(most_points, 1u), scalar_bits), .sort_bytes = 0};
    const std::size_t buckets = std::size_t{extent.shape.group} << (extent.shape.width - 1);
    const std::size_t pairs = std::size_t{extent.shape.points} * extent.shape.group;
    CUZK_TRY(extent.sort_bytes, cuzk::cuda::sort_bytes(std::max(pairs, buckets)));
    return extent;
  }
};

}  // namespace cuzk::cuda::msm

namespace cuzk::cuda {

template <class C, class Point> void MsmResult<C, Point>::End::operator()(Table* table) const { delete table; }
template <class C, class Point> void Msm<C, Point>::End::operator()(State* state) const { delete state; }

template <class C, class Point> Result<MsmResult<C, Point>> MsmResult<C, Point>::create() {
  auto table = std::unique_ptr<Table, End>(new Table());
  void* rows = nullptr;
  CUZK_CUDA(cudaMallocHost(&rows, sizeof(typename Table::Sum) * msm::kMostWindows * (Table::kLevels + 1)));
  table->rows = static_cast<typename Table::Sum*>(rows);
  return MsmResult(std::move(table));
}
template <class C, class Point> Point MsmResult<C, Point>::value() const { return table_->put_together(); }

template <class C, class Point> Result<std::size_t> Msm<C, Point>::bytes(std::uint32_t most_points) {
  CUZK_TRY(const msm::Extent most, msm::Extent::of(most_points, State::kScalarBits));
  std::size_t bytes = 0;
  const auto count = [&]<class T>(DeviceSpan<T>& /*part*/, std::size_t size) {
    bytes += Workspace::padded(size * sizeof(T));
  };
  msm::Parts<typename State::Sum>().lay_out(most.shape, most.sort_bytes, count);
  return bytes;
}

template <class C, class Point> Result<Msm<C, Point>> Msm<C, Point>::create() {
  CUZK_TRY(Stream sorter, Stream::create(true));
  CUZK_TRY(Event ready0, Event::create());
  CUZK_TRY(Event free0, Event::create());
  CUZK_TRY(Event ready1, Event::create());
  CUZK_TRY(Event free1, Event::create());
  msm::Turn first{.ready = std::move(ready0), .free = std::move(free0)};
  msm::Turn second{.ready = std::move(ready1), .free = std::move(free1)};
  return Msm(std::unique_ptr<State, End>(new State(std::move(sorter), std::move(first), std::move(second))));
}

template <class C, class Point> Status Msm<C, Point>::use(DeviceSpan<std::byte> memory, std::uint32_t most_points) {
  CUZK_TRY(const msm::Extent most, msm::Extent::of(most_points, State::kScalarBits));
  state_->most_points = most_points;
  Workspace workspace(memory);
  state_->lay_out(most.shape, most.sort_bytes,
                  [&]<class T>(DeviceSpan<T>& part, std::size_t size) { part = workspace.take<T>(size); });
  return {};
}

template <class C, class Point>
Status Msm<C, Point>::start(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const U256> scalars,
                            MsmResult<C, Point>& to) {
  CUZK_REQUIRE(points.size == scalars.size);
  return queue(stream, points, scalars, nullptr, to);
}

template <class C, class Point>
Status Msm<C, Point>::start(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const U256> scalars,
                            DeviceSpan<const std::uint32_t> numbers, MsmResult<C, Point>& to) {
  CUZK_REQUIRE(numbers.size == scalars.size && points.size <= msm::kNegative);
  return queue(stream, points, scalars, numbers.data, to);
}

template <class C, class Point>
Status Msm<C, Point>::queue(const Stream& stream, DeviceSpan<const Affine> points, DeviceSpan<const U256> scalars,
                            const std::uint32_t* numbers, MsmResult<C, Point>& to) {
  State& state = *state_;
  CUZK_REQUIRE(scalars.size <= state.most_points);
  state.shape = MsmShape::of(static_cast<std::uint32_t>(scalars.size), State::kScalarBits);
  to.table_->shape = {};
  if (scalars.size == 0) return {};
  state.fit_group();
  for (unsigned w = 0; w <= state.shape.windows; ++w) {
    state.windows.at[w] = (w * (State::kScalarBits + 1) + state.shape.windows - 1) / state.shape.windows;
  }
  // What was queued before (the scalars, the last sum) comes first.
  for (const msm::Turn& turn : state.turns) CUZK_CHECK_OK(turn.free.record(stream));
  const auto group_at = [&](unsigned first) {
    return msm::Group{first, std::min(state.shape.group, state.shape.windows - first), state.log_buckets()};
  };
  unsigned turn = 0;
  for (unsigned first = 0; first < state.shape.windows; first += state.shape.group, turn ^= 1) {
    const msm::Group group = group_at(first);
    CUZK_CHECK_OK(state.sort(scalars, numbers, group, turn));
    CUZK_CHECK_OK(state.add_up_buckets(stream, points, group, turn));
  }
  return state.weigh_buckets(stream, *to.table_);
}

}  // namespace cuzk::cuda
