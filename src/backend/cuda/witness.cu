#include "backend/cuda/witness.h"
#include "backend/cuda/words.h"

namespace cuzk::cuda {

namespace {

using std::uint32_t;

constexpr unsigned kThreads = 256;
constexpr unsigned kWarps = kThreads / 32;
/// A block of a pack has so many cells, a thread of its scan one of them.
constexpr unsigned kCells = 128;
constexpr unsigned kVariables = 32 * kCells;
constexpr unsigned kScanThreads = 1024;

__global__ void __launch_bounds__(kThreads)
    weave(const uint32_t* general, const uint32_t* bits, uint32_t cells, WitnessCell* to) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < cells) to[i] = {general[i], bits[i]};
}

__global__ void set_word(uint32_t* word, uint32_t value) { *word = value; }

/// Variables of a chunk, its cells, and what is written for it.
struct Chunk {
  const U256* values;
  std::uint64_t count;
  std::uint64_t cells;  // even
  WitnessCell* to;
  uint32_t* ranks;
  U256* general;
  uint32_t capacity;
  uint32_t* sums;   // of blocks; in the end before each block
  uint32_t* total;  // of all chunks so far
};

__device__ bool is_bit(const Words256& v) {
  return ((v.low.x >> 1) | v.low.y | v.low.z | v.low.w | v.high.x | v.high.y | v.high.z | v.high.w) == 0;
}

/// The cells of a block's variables, and how many of them are general.
__global__ void __launch_bounds__(kThreads) mark(const __grid_constant__ Chunk chunk) {
  __shared__ uint32_t sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  uint32_t own = 0;
  for (unsigned c = threadIdx.x / 32; c < kCells; c += kWarps) {
    const std::uint64_t cell = blockIdx.x * std::uint64_t{kCells} + c;
    if (cell >= chunk.cells) break;
    const std::uint64_t i = 32 * cell + lane;
    const Words256 value = i < chunk.count ? load_words(chunk.values + i) : Words256{};
    const bool bit = is_bit(value);
    const uint32_t general = __ballot_sync(~0u, !bit);
    const uint32_t bits = __ballot_sync(~0u, bit && value.low.x != 0);
    if (lane == 0) chunk.to[cell] = {general, bits};
    own += __popc(general);
  }
  if (lane == 0) atomicAdd(&sum, own);
  __syncthreads();
  if (threadIdx.x == 0) chunk.sums[blockIdx.x] = sum;
}

/// sums[i] = total + the sums before i; total += all. One block.
__global__ void __launch_bounds__(kScanThreads) scan(uint32_t* sums, uint32_t count, uint32_t* total) {
  __shared__ uint32_t parts[32];
  const uint32_t each = (count + kScanThreads - 1) / kScanThreads;
  const uint32_t begin = min(threadIdx.x * each, count), end = min(begin + each, count);
  uint32_t own = 0;
  for (uint32_t i = begin; i < end; ++i) own += sums[i];
  const uint32_t up_to = inclusive_scan<kScanThreads>(parts, own);
  uint32_t before = *total + up_to - own;
  __syncthreads();
  if (threadIdx.x == kScanThreads - 1) *total += up_to;
  for (uint32_t i = begin; i < end; ++i) {
    const uint32_t sum = sums[i];
    sums[i] = before;
    before += sum;
  }
}

/// Ranks of a block's words, and its general values to their places.
__global__ void __launch_bounds__(kThreads) place(const __grid_constant__ Chunk chunk) {
  __shared__ uint32_t before[kThreads];
  const std::uint64_t first = blockIdx.x * std::uint64_t{kCells};
  const std::uint64_t own_cell = first + threadIdx.x;
  const bool is_cell = threadIdx.x < kCells && own_cell < chunk.cells;
  const uint32_t general = is_cell ? chunk.to[own_cell].general : 0;
  const uint32_t up_to = chunk.sums[blockIdx.x] + inclusive_scan<kThreads>(before, __popc(general));
  __syncthreads();
  before[threadIdx.x] = up_to - __popc(general);
  if (is_cell && own_cell % 2 == 0) chunk.ranks[own_cell / 2] = up_to - __popc(general);
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (unsigned c = threadIdx.x / 32; c < kCells && first + c < chunk.cells; c += kWarps) {
    const uint32_t map = chunk.to[first + c].general;
    const uint32_t at = before[c] + __popc(map & ((1u << lane) - 1));
    if ((map >> lane & 1) != 0 && at < chunk.capacity) {
      store_words(chunk.general + at, load_words(chunk.values + 32 * (first + c) + lane));
    }
  }
}

struct Parts {
  DeviceSpan<U256> inputs, general;
  DeviceSpan<WitnessCell> cells;
  DeviceSpan<uint32_t> ranks, sums, count;
  DeviceSpan<u64> words;
};
template <class Take> void lay_out(const WitnessShape& shape, Parts& parts, const Take& take) {
  const std::size_t words = r1cs::packed_words(shape.num_aux);
  take(parts.inputs, shape.num_inputs);
  take(parts.cells, std::max<std::size_t>(1, 2 * words));  // one that can be read at least
  take(parts.ranks, words);
  take(parts.general, shape.most_general);
  take(parts.words, 2 * words);
  take(parts.sums, shape.num_aux / kVariables + 1);
  take(parts.count, 1);
}

template <class T> Status to_device(const Stream& stream, T* to, std::span<const T> from) {
  if (from.empty()) return {};
  CUZK_CUDA(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream.get()));
  return {};
}

}  // namespace

std::size_t witness_bytes(const WitnessShape& shape) {
  std::size_t bytes = 0;
  Parts parts;
  lay_out(shape, parts, [&]<class T>(DeviceSpan<T>&, std::size_t n) { bytes += Workspace::padded(n * sizeof(T)); });
  return bytes;
}

DeviceWitness::DeviceWitness(const WitnessShape& shape, DeviceSpan<std::byte> memory) : shape_(shape) {
  Workspace workspace(memory);
  Parts parts;
  lay_out(shape, parts, [&]<class T>(DeviceSpan<T>& span, std::size_t n) { span = workspace.take<T>(n); });
  inputs_ = parts.inputs;
  cells_ = parts.cells;
  ranks_ = parts.ranks;
  general_ = parts.general;
  words_ = parts.words;
  sums_ = parts.sums;
  count_ = parts.count;
}

Status DeviceWitness::upload(const Stream& stream, const r1cs::PackedView& packed) {
  CUZK_REQUIRE(packed.inputs.size() == shape_.num_inputs && packed.num_aux == shape_.num_aux);
  CUZK_REQUIRE(packed.general.size() <= shape_.most_general);
  const std::size_t words = packed.bits.size();
  CUZK_CHECK_OK(to_device(stream, inputs_.data, packed.inputs));
  CUZK_CHECK_OK(to_device(stream, words_.data, packed.general_map));
  CUZK_CHECK_OK(to_device(stream, words_.data + words, packed.bits));
  CUZK_CHECK_OK(to_device(stream, ranks_.data, packed.ranks));
  CUZK_CHECK_OK(to_device(stream, general_.data, packed.general));
  set_word<<<1, 1, 0, stream.get()>>>(count_.data, static_cast<uint32_t>(packed.general.size()));
  CUZK_CUDA(cudaGetLastError());
  if (words == 0) return {};
  const auto* maps = reinterpret_cast<const uint32_t*>(words_.data);
  weave<<<blocks_for(2 * words, kThreads), kThreads, 0, stream.get()>>>(maps, maps + 2 * words,
                                                                        static_cast<uint32_t>(2 * words), cells_.data);
  CUZK_CUDA(cudaGetLastError());
  return {};
}

Status DeviceWitness::begin_plain(const Stream& stream, std::span<const U256> inputs) {
  CUZK_REQUIRE(inputs.size() == shape_.num_inputs);
  CUZK_CUDA(cudaMemsetAsync(count_.data, 0, sizeof(uint32_t), stream.get()));
  return to_device(stream, inputs_.data, inputs);
}

Status DeviceWitness::pack(const Stream& stream, DeviceSpan<const U256> values, std::size_t first_aux) {
  CUZK_REQUIRE(first_aux % 64 == 0 && values.size <= shape_.num_aux - first_aux);
  if (values.size == 0) return {};
  const Chunk chunk{.values = values.data,
                    .count = values.size,
                    .cells = 2 * r1cs::packed_words(values.size),
                    .to = cells_.data + first_aux / 32,
                    .ranks = ranks_.data + first_aux / 64,
                    .general = general_.data,
                    .capacity = static_cast<uint32_t>(general_.size),
                    .sums = sums_.data,
                    .total = count_.data};
  const unsigned blocks = blocks_for(chunk.cells, kCells);
  mark<<<blocks, kThreads, 0, stream.get()>>>(chunk);
  CUZK_CUDA(cudaGetLastError());
  scan<<<1, kScanThreads, 0, stream.get()>>>(chunk.sums, blocks, chunk.total);
  CUZK_CUDA(cudaGetLastError());
  place<<<blocks, kThreads, 0, stream.get()>>>(chunk);
  CUZK_CUDA(cudaGetLastError());
  return {};
}

WitnessView DeviceWitness::view() const {
  return {.inputs = {inputs_.data, inputs_.size},
          .num_aux = shape_.num_aux,
          .cells = {cells_.data, cells_.size},
          .ranks = {ranks_.data, ranks_.size},
          .general = {general_.data, general_.size}};
}

}  // namespace cuzk::cuda
