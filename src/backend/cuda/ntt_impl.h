// Kernels of the transforms of ntt.h: a pass does up to nine layers on columns of a tile in shared memory.
//
// At the level of blocks of M elements a pass takes the R rows of every column i < C = M / R (stride C), does an
// R-point transform on each, and multiplies by root_M^(i q), q being the index of frequency within the column (Cooley,
// Tukey 1965). Decimation in frequency takes natural order, begins with the largest blocks and leaves bit-reversed
// order; decimation in time is its mirror. Neither moves an element: row p of a column holds frequency (or coefficient)
// br(p).
//
// A thread takes four elements of a tile twice a step, and does two layers of them in registers. Bound by the
// multiplier (measured on an H200: the pipe of wide multiply-adds is busy nine tenths of the time): two products an
// element and step, one for the factors between levels, one more where their table is split. Products are inlined:
// with four elements a thread the code of a pass fits the cache of instructions; with eight it does not, and passes
// took half as long again.
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "backend/cuda/ntt.h"
#include "field/device_fp.h"

namespace cuzk::cuda::ntt {

constexpr unsigned kTileElements = 2048;
constexpr unsigned kThreads = kTileElements / 8;
constexpr unsigned kBlocks = 3;  // a multiprocessor: 80 registers a thread, 64 KiB of shared memory each
constexpr unsigned kTileBytes = kTileElements * 32;

/// Tables are in the order of the data that they multiply: factor of row p and column i of a block.
template <class F> struct Pass {
  F* data;
  const F* roots;   // root_R^e, e < R
  const F* fine;    // [R][2^log_fine]; null: no factors
  const F* coarse;  // [R][C / 2^log_fine]; null: one table does
  unsigned log_n, log_block, log_fine;
  F fourth;  // root_4
};

// A pass has ceil(log R / 2) steps of two layers; the last one has a single layer when log R is odd.
constexpr unsigned steps_of(unsigned log_r) { return (log_r + 1) / 2; }
constexpr unsigned layers_of(unsigned log_r, unsigned step) { return 2 * step + 2 <= log_r ? 2 : 1; }

constexpr unsigned reversed_bits(unsigned value, unsigned bits) {
  unsigned r = 0;
  for (unsigned i = 0; i < bits; ++i) r |= (value >> i & 1) << (bits - 1 - i);
  return r;
}

template <class F> __device__ __forceinline__ F load(const F* from) {
  F x;
  const uint4* words = reinterpret_cast<const uint4*>(from);
  reinterpret_cast<uint4*>(&x)[0] = words[0];
  reinterpret_cast<uint4*>(&x)[1] = words[1];
  return x;
}
template <class F> __device__ __forceinline__ F load_constant(const F* from) {
  F x;
  const uint4* words = reinterpret_cast<const uint4*>(from);
  reinterpret_cast<uint4*>(&x)[0] = __ldg(words);
  reinterpret_cast<uint4*>(&x)[1] = __ldg(words + 1);
  return x;
}
template <class F> __device__ __forceinline__ void store(F* to, const F& x) {
  uint4* words = reinterpret_cast<uint4*>(to);
  words[0] = reinterpret_cast<const uint4*>(&x)[0];
  words[1] = reinterpret_cast<const uint4*>(&x)[1];
}

/// Halves of elements apart, in places where the threads of a quarter of a warp do not meet in a bank.
struct Tile {
  uint4* low;
  uint4* high;
  unsigned row_stride, column_stride;

  __device__ __forceinline__ unsigned at(unsigned row, unsigned column) const {
    if (row_stride == 1) return column * column_stride + (row ^ (row >> 3 & 7));
    const unsigned i = row * row_stride + column;
    return row_stride == 4 ? i ^ ((row >> 1 ^ row >> 2) & 1) << 2 : i;
  }
  template <class F> __device__ __forceinline__ F get(unsigned row, unsigned column) const {
    F x;
    const unsigned i = at(row, column);
    reinterpret_cast<uint4*>(&x)[0] = low[i];
    reinterpret_cast<uint4*>(&x)[1] = high[i];
    return x;
  }
  template <class F> __device__ __forceinline__ void put(unsigned row, unsigned column, const F& x) const {
    const unsigned i = at(row, column);
    low[i] = reinterpret_cast<const uint4*>(&x)[0];
    high[i] = reinterpret_cast<const uint4*>(&x)[1];
  }
};
template <class F> __device__ __forceinline__ void butterfly(F& a, F& b) {
  const F sum = a + b;
  b = a - b;
  a = sum;
}

/// The transforms of 2^kLayers elements of a register array; `fourth` is root_4.
template <unsigned kLayers, class F> __device__ __forceinline__ void small_dif(F* x, const F& fourth) {
  if constexpr (kLayers == 2) {
    butterfly(x[0], x[2]);
    butterfly(x[1], x[3]);
    x[3] = x[3] * fourth;
    butterfly(x[0], x[1]);
    butterfly(x[2], x[3]);
  } else {
    butterfly(x[0], x[1]);
  }
}
template <unsigned kLayers, class F> __device__ __forceinline__ void small_dit(F* x, const F& fourth) {
  if constexpr (kLayers == 2) {
    butterfly(x[0], x[1]);
    butterfly(x[2], x[3]);
    x[3] = x[3] * fourth;
    butterfly(x[0], x[2]);
    butterfly(x[1], x[3]);
  } else {
    butterfly(x[0], x[1]);
  }
}

/// x[k] *= factor(k) for the elements whose place in their group of kPoints is not 0.
template <unsigned kFirst, unsigned kPoints, class F, class Factor>
__device__ __forceinline__ void multiply_all(F* x, const Factor& factor) {
  CUZK_UNROLL for (unsigned k = 0; k < 4; ++k) {
    if (k % kPoints >= kFirst) x[k] = x[k] * factor(k);
  }
}

/// Step `kStep` of an R-point transform: which rows four elements are, and what is done with them.
template <unsigned kLogR, unsigned kStep> struct Step {
  static constexpr unsigned kLayers = layers_of(kLogR, kStep);
  static constexpr unsigned kLogBlock = kLogR - 2 * kStep;
  static constexpr unsigned kLogStride = kLogBlock - kLayers;
  static constexpr unsigned kPoints = 1u << kLayers;

  static __device__ __forceinline__ unsigned group(unsigned lane, unsigned k) {
    return lane + (k / kPoints << (kLogR - 2));
  }
  static __device__ __forceinline__ unsigned offset(unsigned lane, unsigned k) {
    return group(lane, k) & ((1u << kLogStride) - 1);
  }
  static __device__ __forceinline__ unsigned row(unsigned lane, unsigned k) {
    const unsigned block = group(lane, k) >> kLogStride;
    return (block << kLogBlock) + offset(lane, k) + (k % kPoints << kLogStride);
  }
  template <class F> static __device__ __forceinline__ void twist(F* x, const F* roots, unsigned lane) {
    if constexpr (kLogStride > 0) {
      multiply_all<1, kPoints>(x, [&](unsigned k) {
        const unsigned q = reversed_bits(k % kPoints, kLayers);
        return load_constant(roots + (offset(lane, k) * q << (kLogR - kLogBlock)));
      });
    }
  }
  template <class F> static __device__ __forceinline__ void dif(F* x, const Pass<F>& pass, unsigned lane) {
    CUZK_UNROLL for (unsigned k = 0; k < 4; k += kPoints) small_dif<kLayers>(x + k, pass.fourth);
    twist(x, pass.roots, lane);
  }
  template <class F> static __device__ __forceinline__ void dit(F* x, const Pass<F>& pass, unsigned lane) {
    twist(x, pass.roots, lane);
    CUZK_UNROLL for (unsigned k = 0; k < 4; k += kPoints) small_dit<kLayers>(x + k, pass.fourth);
  }
};

/// What a thread of a tile knows of its place.
template <class F, unsigned kLogR> struct Place {
  const Pass<F>& pass;
  Tile tile;
  F* base;
  unsigned lane, column, first_column;
  std::uint64_t row_stride, column_stride;
  bool inside;

  __device__ __forceinline__ Place(const Pass<F>& p, uint4* shared, unsigned tile_index) : pass(p) {
    constexpr unsigned kColumns = kTileElements >> kLogR;
    constexpr unsigned kLanes = 1u << (kLogR - 3);
    const unsigned log_c = p.log_block - kLogR;
    if (log_c == 0) {  // rows lie beside each other: so do the threads of a column
      lane = threadIdx.x % kLanes;
      column = threadIdx.x / kLanes;
      row_stride = 1;
      column_stride = std::uint64_t{1} << kLogR;
      tile = {shared, shared + kTileElements, 1, 1u << kLogR};
      first_column = 0;
      base = p.data + static_cast<std::uint64_t>(tile_index) * kTileElements;
      inside = static_cast<std::uint64_t>(tile_index) * kColumns + column < (std::uint64_t{1} << (p.log_n - kLogR));
    } else {
      const unsigned log_tiles = log_c - (11 - kLogR);  // tiles in a block of M
      lane = threadIdx.x / kColumns;
      column = threadIdx.x % kColumns;
      row_stride = std::uint64_t{1} << log_c;
      column_stride = 1;
      tile = {shared, shared + kTileElements, kColumns, 1};
      const unsigned block = tile_index >> log_tiles;
      first_column = (tile_index & ((1u << log_tiles) - 1)) * kColumns;
      base = p.data + (static_cast<std::uint64_t>(block) << p.log_block) + first_column;
      inside = true;
    }
  }
  __device__ __forceinline__ F* global(unsigned row) const { return base + row * row_stride + column * column_stride; }

  /// x[k] *= the factors of row(k): tables in the order of the data.
  template <class Row> __device__ __forceinline__ void scale(F* x, const Row& row) const {
    if (pass.fine == nullptr) return;
    const unsigned i = pass.log_block == kLogR ? 0 : first_column + column;
    const F* const fine = pass.fine + (i & ((1u << pass.log_fine) - 1));
    if (pass.coarse != nullptr) {
      const unsigned log_coarse = pass.log_block - kLogR - pass.log_fine;
      const F* const coarse = pass.coarse + (i >> pass.log_fine);
      multiply_all<0, 4>(
          x, [&](unsigned k) { return load_constant(coarse + (static_cast<std::uint64_t>(row(k)) << log_coarse)); });
    }
    multiply_all<0, 4>(
        x, [&](unsigned k) { return load_constant(fine + (static_cast<std::uint64_t>(row(k)) << pass.log_fine)); });
  }
};

/// The steps of a pass, from turn `kTurn` on; data comes from memory in the first and goes there in the last.
template <class F, unsigned kLogR, bool kDit, unsigned kTurn, class Where>
__device__ __forceinline__ void steps(const Where& at) {
  constexpr unsigned kSteps = steps_of(kLogR);
  using This = Step<kLogR, kDit ? kSteps - 1 - kTurn : kTurn>;
  constexpr bool kFirst = kTurn == 0, kLast = kTurn + 1 == kSteps;
#pragma unroll 1
  for (unsigned half = 0; half < 2; ++half) {
    const unsigned lane = at.lane + (half << (kLogR - 3));
    const auto row = [&](unsigned k) { return This::row(lane, k); };
    F x[4];
    if constexpr (kFirst) {
      if (at.inside) {
        CUZK_UNROLL for (unsigned k = 0; k < 4; ++k) x[k] = load(at.global(row(k)));
        if constexpr (kDit) at.scale(x, row);
      }
    } else {
      CUZK_UNROLL for (unsigned k = 0; k < 4; ++k) x[k] = at.tile.template get<F>(row(k), at.column);
    }
    if constexpr (kDit)
      This::dit(x, at.pass, lane);
    else
      This::dif(x, at.pass, lane);
    if constexpr (kLast) {
      if (at.inside) {
        if constexpr (!kDit) at.scale(x, row);
        CUZK_UNROLL for (unsigned k = 0; k < 4; ++k) store(at.global(row(k)), x[k]);
      }
    } else {
      CUZK_UNROLL for (unsigned k = 0; k < 4; ++k) at.tile.put(row(k), at.column, x[k]);
    }
  }
  if constexpr (!kLast) {
    __syncthreads();
    steps<F, kLogR, kDit, kTurn + 1>(at);
  }
}
template <class F, unsigned kLogR, bool kDit>
__global__ void __launch_bounds__(kThreads, kBlocks) pass_over(const __grid_constant__ Pass<F> pass) {
  extern __shared__ uint4 shared[];
  steps<F, kLogR, kDit, 0>(Place<F, kLogR>(pass, shared, blockIdx.x));
}

/// Transforms that one block does whole, below 2^12: layer by layer in shared memory.
constexpr unsigned kLogSmall = 11;
template <class F, bool kDit>
__global__ void __launch_bounds__(1024) small_transform(const __grid_constant__ Pass<F> pass) {
  extern __shared__ uint4 shared[];
  F* const x = reinterpret_cast<F*>(shared);
  const unsigned n = 1u << pass.log_n;
  const auto factor = [&](unsigned i) { return pass.fine == nullptr ? F::one() : pass.fine[i]; };
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) x[i] = kDit ? pass.data[i] * factor(i) : pass.data[i];
  for (unsigned layer = 0; layer < pass.log_n; ++layer) {
    __syncthreads();
    const unsigned log_half = kDit ? layer : pass.log_n - 1 - layer;
    for (unsigned t = threadIdx.x; t < n / 2; t += blockDim.x) {
      const unsigned j = t & ((1u << log_half) - 1);
      const unsigned i = (t >> log_half << (log_half + 1)) + j;
      F& a = x[i];
      F& b = x[i + (1u << log_half)];
      const F root = pass.roots[j << (pass.log_n - 1 - log_half)];
      if constexpr (kDit) b = b * root;
      butterfly(a, b);
      if constexpr (!kDit) b = b * root;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) pass.data[i] = kDit ? x[i] : x[i] * factor(i);
}

template <class F> __device__ F power(F base, std::uint64_t exponent) {
  F r = F::one();
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) r = r * base;
    base = base * base;
  }
  return r;
}
/// out[i] = base^i.
template <class F> __global__ void powers(F* out, const F base, std::uint64_t count) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i < count) out[i] = power(base, i);
}

/// The factors of row p and column c: root^(q c step) shift^(q shift_step) scale, q = br(p).
template <class F> struct Factors {
  F root, shift, scale;
  std::uint64_t step, shift_step;
  unsigned log_rows, log_columns;
};
template <class F> __global__ void make_factors(F* out, const __grid_constant__ Factors<F> f) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i >> (f.log_rows + f.log_columns) != 0) return;
  const std::uint64_t c = i & ((std::uint64_t{1} << f.log_columns) - 1);
  const std::uint64_t p = i >> f.log_columns;
  const std::uint64_t q = f.log_rows == 0 ? 0 : __brevll(p) >> (64 - f.log_rows);
  out[i] = power(f.root, q * c * f.step) * power(f.shift, q * f.shift_step) * f.scale;
}

// The host's side.

/// Radices of the passes, the largest blocks first: 6 to 9 layers each, eight where it can be, since steps of two
/// layers leave none over.
inline std::vector<unsigned> radices_of(unsigned log_size) {
  if (log_size <= kLogSmall) return {log_size};
  const unsigned count = (log_size + 8) / 9;
  std::vector<unsigned> radices(count, 6);
  unsigned left = log_size - 6 * count;
  for (unsigned& r : radices) {
    const unsigned more = left >= 2 ? 2 : 0;
    r += more;
    left -= more;
  }
  for (unsigned i = 0; i < count && left > 0; ++i, --left) ++radices[count - 1 - i];
  std::sort(radices.rbegin(), radices.rend());
  return radices;
}

}  // namespace cuzk::cuda::ntt

namespace cuzk::cuda {

template <class Fr>
Result<Transform<Fr>> Transform<Fr>::create(const Stream& stream, const TransformKind<Fr>& kind,
                                            std::uint64_t table_bytes, DeviceMemorySource memory) {
  if (kind.log_size > std::min(Fr::Constants::two_adicity, 32u)) {
    return fail(Code::unsupported, "a transform of 2^" + std::to_string(kind.log_size) + " elements");
  }
  Transform t;
  t.log_size_ = kind.log_size;
  unsigned log_block = kind.log_size;
  for (const unsigned radix : ntt::radices_of(kind.log_size)) {
    CUZK_CHECK_OK(t.add_level(stream, kind, log_block, radix, table_bytes, memory));
    log_block -= radix;
  }
  return t;
}

template <class Fr>
Status Transform<Fr>::add_level(const Stream& stream, const TransformKind<Fr>& kind, unsigned log_block,
                                unsigned log_radix, std::uint64_t table_bytes, DeviceMemorySource memory) {
  using F = DeviceTwin<Fr>;
  const auto below = [](Fr x, unsigned squarings) {
    for (unsigned i = 0; i < squarings; ++i) x = x.squared();
    return x;
  };
  Level level{.log_block = log_block, .log_radix = log_radix};
  const unsigned log_columns = log_block - log_radix;
  const unsigned above = log_size_ - log_block;  // layers of the levels before
  const Fr root = below(kind.root, above);       // of order 2^log_block
  const Fr radix_root = below(root, log_columns);
  if (log_radix >= 2) level.fourth = below(radix_root, log_radix - 2);
  CUZK_TRY(level.roots, memory(std::size_t{32} << log_radix));
  ntt::powers<F><<<blocks_for(1u << log_radix, 128), 128, 0, stream.get()>>>(
      level.roots.template as<F>().data, device_twin(radix_root), std::uint64_t{1} << log_radix);

  const bool last = log_columns == 0;
  const Fr scale = last ? kind.scale : Fr::one();
  if (last && kind.shift.is_one() && scale.is_one()) {
    levels_.push_back(std::move(level));
    return {};
  }
  const std::uint64_t whole_bytes = std::uint64_t{32} << log_block;
  level.log_fine = whole_bytes <= table_bytes ? log_columns : log_columns / 2;
  ntt::Factors<F> factors{.root = device_twin(root),
                          .shift = device_twin(kind.shift),
                          .scale = device_twin(scale),
                          .step = 1,
                          .shift_step = std::uint64_t{1} << above,
                          .log_rows = log_radix,
                          .log_columns = level.log_fine};
  const auto make = [&](DeviceBuffer& table) -> Status {
    const std::uint64_t count = std::uint64_t{1} << (factors.log_rows + factors.log_columns);
    CUZK_TRY(table, memory(32 * count));
    ntt::make_factors<F><<<blocks_for(count, 128), 128, 0, stream.get()>>>(table.template as<F>().data, factors);
    CUZK_CUDA(cudaGetLastError());
    return {};
  };
  CUZK_CHECK_OK(make(level.fine));
  if (level.log_fine < log_columns) {
    factors.step = std::uint64_t{1} << level.log_fine;
    factors.shift = factors.scale = F::one();
    factors.log_columns = log_columns - level.log_fine;
    CUZK_CHECK_OK(make(level.coarse));
  }
  levels_.push_back(std::move(level));
  return {};
}

template <class Fr>
template <bool kDit>
Status Transform<Fr>::run(const Stream& stream, const Level& level, DeviceSpan<Fr> data) const {
  using F = DeviceTwin<Fr>;
  const ntt::Pass<F> pass{.data = reinterpret_cast<F*>(data.data),
                          .roots = level.roots.template as<F>().data,
                          .fine = level.fine.template as<F>().data,
                          .coarse = level.coarse.template as<F>().data,
                          .log_n = log_size_,
                          .log_block = level.log_block,
                          .log_fine = level.log_fine,
                          .fourth = device_twin(level.fourth)};
  const auto launch = [&](auto* kernel, unsigned blocks, unsigned threads) -> Status {
    CUZK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ntt::kTileBytes));
    kernel<<<blocks, threads, ntt::kTileBytes, stream.get()>>>(pass);
    CUZK_CUDA(cudaGetLastError());
    return {};
  };
  if (log_size_ <= ntt::kLogSmall) return launch(ntt::small_transform<F, kDit>, 1, 1024);
  const unsigned tiles = blocks_for(data.size, ntt::kTileElements);
  switch (level.log_radix) {
    case 6:
      return launch(ntt::pass_over<F, 6, kDit>, tiles, ntt::kThreads);
    case 7:
      return launch(ntt::pass_over<F, 7, kDit>, tiles, ntt::kThreads);
    case 8:
      return launch(ntt::pass_over<F, 8, kDit>, tiles, ntt::kThreads);
    default:
      return launch(ntt::pass_over<F, 9, kDit>, tiles, ntt::kThreads);
  }
}

template <class Fr> Status Transform<Fr>::natural_to_reversed(const Stream& stream, DeviceSpan<Fr> data) const {
  CUZK_REQUIRE(data.size == size());
  for (const Level& level : levels_) CUZK_CHECK_OK(run<false>(stream, level, data));
  return {};
}
template <class Fr> Status Transform<Fr>::reversed_to_natural(const Stream& stream, DeviceSpan<Fr> data) const {
  CUZK_REQUIRE(data.size == size());
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) CUZK_CHECK_OK(run<true>(stream, *level, data));
  return {};
}

}  // namespace cuzk::cuda
