#include <bit>
#include <vector>

#include "backend/cuda/scalar_split.h"
#include "backend/cuda/words.h"

namespace cuzk::cuda {

namespace {

using std::uint32_t;

constexpr unsigned kThreads = 256;

struct Split {
  const U256* inputs;
  const WitnessCell* cells;
  const uint32_t* ranks;
  const U256* general;
  std::uint64_t num_aux;
  QueryMap::View query;
  std::uint64_t first_word, num_words;
  u64* ones;
  uint32_t* points;
  U256* scalars;
  uint32_t capacity;
  uint32_t* count;

  /// Points before those of a word.
  __device__ uint32_t rank(std::uint64_t word) const {
    return query.num_inputs + (query.ranks != nullptr ? query.ranks[word] : static_cast<uint32_t>(64 * word));
  }
  __device__ uint32_t first_point() const { return first_word == 0 ? 0 : rank(first_word); }
  __device__ u64 present(std::uint64_t word) const {
    if (query.present != nullptr) return query.present[word];
    const std::uint64_t left = num_aux - 64 * word;
    return left < 64 ? (u64{1} << left) - 1 : ~u64{0};
  }
  __device__ void put(uint32_t at, uint32_t point, const U256* scalar) const {
    if (at >= capacity) return;
    points[at] = point;
    store_words(scalars + at, load_words(scalar));
  }
};

/// The bits of `word` at the places of `present`, moved together.
__device__ u64 compressed(u64 word, u64 present) {
  if (present == ~u64{0}) return word;
  u64 out = 0;
  for (u64 rest = word & present; rest != 0; rest &= rest - 1) {
    out |= u64{1} << bits_below(present, static_cast<unsigned>(__ffsll(static_cast<long long>(rest)) - 1));
  }
  return out;
}

__device__ void set_bits(u64* to, uint32_t at, u64 bits) {
  using Word = unsigned long long;
  if (bits == 0) return;
  const unsigned shift = at % 64;
  atomicOr(reinterpret_cast<Word*>(to + at / 64), static_cast<Word>(bits << shift));
  if (shift == 0) return;
  const u64 high = bits >> (64 - shift);
  if (high != 0) atomicOr(reinterpret_cast<Word*>(to + at / 64 + 1), static_cast<Word>(high));
}

/// A thread has a word of 64 variables; its general ones are the whole warp's work.
__global__ void __launch_bounds__(kThreads) split_words(const __grid_constant__ Split s) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  const std::uint64_t word = s.first_word + i;
  u64 present = 0, map = 0;
  uint32_t at = 0, rank = 0;
  if (i < s.num_words) {
    const uint4 cells = *reinterpret_cast<const uint4*>(s.cells + 2 * word);
    present = s.present(word);
    map = cells.x | static_cast<u64>(cells.z) << 32;
    at = s.rank(word) - s.first_point();
    rank = s.ranks[word];
    set_bits(s.ones, at, compressed((cells.y | static_cast<u64>(cells.w) << 32) & ~map, present));
  }
  const u64 wanted = map & present;
  const uint32_t own = static_cast<uint32_t>(__popcll(wanted));
  const uint32_t up_to = inclusive_warp_scan(own);
  const uint32_t all = __shfl_sync(~0u, up_to, 31);
  if (all == 0) return;  // the whole warp
  const unsigned lane = threadIdx.x % 32;
  uint32_t first = lane == 0 ? atomicAdd(s.count, all) : 0;
  first = __shfl_sync(~0u, first, 0) + up_to - own;
  for (uint32_t words = __ballot_sync(~0u, own != 0); words != 0; words &= words - 1) {
    const int from = __ffs(static_cast<int>(words)) - 1;
    const u64 of_wanted = __shfl_sync(~0u, wanted, from);
    const u64 of_map = __shfl_sync(~0u, map, from), of_present = __shfl_sync(~0u, present, from);
    const uint32_t to = __shfl_sync(~0u, first, from), point = __shfl_sync(~0u, at, from);
    const uint32_t general = __shfl_sync(~0u, rank, from);
    for (unsigned bit = lane; bit < 64; bit += 32) {
      if ((of_wanted >> bit & 1) == 0) continue;
      s.put(to + bits_below(of_wanted, bit), point + bits_below(of_present, bit),
            s.general + general + bits_below(of_map, bit));
    }
  }
}

__global__ void __launch_bounds__(kThreads) list_inputs(const __grid_constant__ Split s) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= s.query.num_inputs) return;
  s.put(atomicAdd(s.count, 1), i, s.inputs + (s.query.inputs != nullptr ? s.query.inputs[i] : i));
}

/// What load() copies.
struct HostMap {
  std::vector<uint32_t> inputs, ranks;
  std::vector<u64> present;
  std::size_t num_aux_points = 0;
};

HostMap host_map(const r1cs::Bitmap& wires, std::size_t num_inputs) {
  HostMap map;
  for (std::size_t i = 0; i < num_inputs; ++i) {
    if (wires.test(i)) map.inputs.push_back(static_cast<uint32_t>(i));
  }
  const std::span<const u64> words = wires.words();
  const auto word_at = [&](std::size_t bit) {
    const std::size_t w = bit / 64, shift = bit % 64;
    const u64 low = words[w] >> shift;
    return shift == 0 || w + 1 == words.size() ? low : low | words[w + 1] << (64 - shift);
  };
  const std::size_t num_words = r1cs::packed_words(wires.size() - num_inputs);
  for (std::size_t w = 0; w < num_words; ++w) {
    map.present.push_back(word_at(num_inputs + 64 * w));
    map.ranks.push_back(static_cast<uint32_t>(map.num_aux_points));
    map.num_aux_points += static_cast<std::size_t>(std::popcount(map.present.back()));
  }
  return map;
}

}  // namespace

QueryMap QueryMap::all(std::size_t num_inputs, std::size_t num_aux) {
  QueryMap map;
  map.num_points_ = num_inputs + num_aux;
  map.num_inputs_ = num_inputs;
  map.num_aux_ = num_aux;
  return map;
}

std::size_t QueryMap::aux_points_before(std::size_t aux) const {
  if (steps_ == nullptr) return aux;
  if (aux == num_aux_) return num_points_ - num_inputs_;
  CUZK_REQUIRE(aux % kStep == 0 && aux < num_aux_);
  return (*steps_)[aux / kStep];
}

QueryMap::PointRange QueryMap::points_of(const AuxRange& range) const {
  const std::size_t first = range.first == 0 ? 0 : num_inputs_ + aux_points_before(range.first);
  return {first, num_inputs_ + aux_points_before(range.first + range.count) - first};
}

std::size_t QueryMap::bytes(const r1cs::Bitmap& wires, std::size_t num_inputs) {
  const std::size_t words = r1cs::packed_words(wires.size() - num_inputs);
  return Workspace::padded(4 * num_inputs) + Workspace::padded(8 * words) + Workspace::padded(4 * words);
}

Result<QueryMap> QueryMap::load(const Stream& stream, const r1cs::Bitmap& wires, std::size_t num_inputs,
                                DeviceSpan<std::byte> memory) {
  const HostMap host = host_map(wires, num_inputs);
  Workspace workspace(memory);
  const auto copy = [&]<class T>(const std::vector<T>& from, DeviceSpan<const T>& to) -> Status {
    const DeviceSpan<T> part = workspace.take<T>(from.size());
    to = {part.data, part.size};
    if (from.empty()) return {};
    CUZK_CUDA(cudaMemcpyAsync(part.data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream.get()));
    return {};
  };
  QueryMap map = all(host.inputs.size(), wires.size() - num_inputs);
  map.num_points_ = host.inputs.size() + host.num_aux_points;
  std::vector<uint32_t> steps;
  for (std::size_t w = 0; w < host.ranks.size(); w += kStep / 64) steps.push_back(host.ranks[w]);
  map.steps_ = std::make_shared<const std::vector<uint32_t>>(std::move(steps));
  CUZK_CHECK_OK(copy(host.inputs, map.inputs_));
  CUZK_CHECK_OK(copy(host.present, map.present_));
  CUZK_CHECK_OK(copy(host.ranks, map.ranks_));
  CUZK_CHECK_OK(stream.wait());
  return map;
}

std::size_t split_bytes(std::size_t num_points, std::size_t most_general) {
  return Workspace::padded(8 * r1cs::packed_words(num_points)) + Workspace::padded(4 * most_general) +
         Workspace::padded(32 * most_general) + Workspace::padded(4);
}
SplitScalars split_memory(std::size_t num_points, std::size_t most_general, DeviceSpan<std::byte> memory) {
  Workspace workspace(memory);
  SplitScalars parts;
  parts.ones = workspace.take<u64>(r1cs::packed_words(num_points));
  parts.points = workspace.take<uint32_t>(most_general);
  parts.scalars = workspace.take<U256>(most_general);
  parts.count = workspace.take<uint32_t>(1);
  return parts;
}

Status split(const Stream& stream, const WitnessView& witness, const QueryMap& query, const AuxRange& range,
             const SplitScalars& to, uint32_t* host_count) {
  CUZK_REQUIRE(range.first % 64 == 0 && range.count <= witness.num_aux - range.first);
  CUZK_REQUIRE(range.count % 64 == 0 || range.first + range.count == witness.num_aux);
  CUZK_REQUIRE(query.num_aux() == witness.num_aux);
  const Split s{.inputs = witness.inputs.data,
                .cells = witness.cells.data,
                .ranks = witness.ranks.data,
                .general = witness.general.data,
                .num_aux = witness.num_aux,
                .query = query.view(),
                .first_word = range.first / 64,
                .num_words = r1cs::packed_words(range.count),
                .ones = to.ones.data,
                .points = to.points.data,
                .scalars = to.scalars.data,
                .capacity = static_cast<uint32_t>(to.scalars.size),
                .count = to.count.data};
  CUZK_CUDA(cudaMemsetAsync(to.ones.data, 0, 8 * to.ones.size, stream.get()));
  CUZK_CUDA(cudaMemsetAsync(to.count.data, 0, 4, stream.get()));
  if (range.first == 0 && query.num_inputs() != 0) {
    list_inputs<<<blocks_for(query.num_inputs(), kThreads), kThreads, 0, stream.get()>>>(s);
    CUZK_CUDA(cudaGetLastError());
  }
  if (s.num_words != 0) {
    split_words<<<blocks_for(s.num_words, kThreads), kThreads, 0, stream.get()>>>(s);
    CUZK_CUDA(cudaGetLastError());
  }
  if (host_count != nullptr) {
    CUZK_CUDA(cudaMemcpyAsync(host_count, to.count.data, 4, cudaMemcpyDeviceToHost, stream.get()));
  }
  return {};
}

}  // namespace cuzk::cuda
