// Kernels of evaluate.h: a thread has a row, and does its sides one after the other.
//
// Most terms are a bit with coefficient 1 or -1: they are counted, and small counts are looked up. A bit with another
// coefficient adds c R from the table; a general value w adds the product of c R^2 and w, which is c w in Montgomery
// form, whatever its coefficient: a warp has some lane that needs the product anyway. Terms are taken in batches whose
// loads wait for each other only from kind to kind (places, ports, cells).
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "backend/cuda/evaluate.h"
#include "backend/cuda/words.h"
#include "field/device_fp.h"

namespace cuzk::cuda::evaluation {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocks = 3;  // a multiprocessor: 80 registers a thread
constexpr unsigned kBatch = 2;   // terms
constexpr int kSmall = 64;       // counts up to it are in the table

/// The table: counts from -kSmall to kSmall, then c R and c R^2 of each coefficient.
constexpr std::size_t kCounts = 2 * kSmall + 1;
constexpr std::size_t table_size(std::size_t coefficients) { return kCounts + 2 * coefficients; }

template <class F> struct Job {
  CircuitView circuit;
  const U256* inputs;
  const WitnessCell* cells;
  const std::uint32_t* ranks;
  const U256* general;
  const F* table;
  F* a;
  F* b;
  F* c;
  std::uint64_t first_row, count;
  bool product, add_inputs;
};

template <class P> __device__ __forceinline__ DeviceFp<P> called_product(const DeviceFp<P>& a, const DeviceFp<P>& b) {
  return (CalledFp<P>{a} * CalledFp<P>{b}).value;
}
template <class P> __device__ __forceinline__ DeviceFp<P> r2() {
  constexpr auto words = DeviceFp<P>::words_of(FpConstants<P>::r2);
  DeviceFp<P> x;
  CUZK_UNROLL for (unsigned i = 0; i < DeviceFp<P>::kWords; ++i) x.w[i] = words.w[i];
  return x;
}

/// The values of a row's terms: bits with 1 and -1 counted, all else summed in Montgomery form.
template <class P> struct RowSum {
  using F = DeviceFp<P>;
  F sum = F::zero();
  int count = 0;

  __device__ __forceinline__ void add_bit(std::uint32_t index, std::uint32_t bit, const F* table) {
    if (index < 2) {
      count += index == 0 ? static_cast<int>(bit) : -static_cast<int>(bit);
    } else if (bit != 0) {
      sum = sum + load_element<F>(table + kCounts + 2 * std::size_t{index});
    }
  }
  __device__ __forceinline__ void add_general(std::uint32_t index, const F& w, const F* table) {
    sum = sum + load_element<F>(table + kCounts + 2 * std::size_t{index} + 1) * w;
  }
  __device__ __forceinline__ F total(const F* table) const {
    if (count == 0) return sum;
    if (-kSmall <= count && count <= kSmall) return sum + load_element<F>(table + (count + kSmall));
    F words = F::zero();
    words.w[0] = static_cast<u32>(count < 0 ? -count : count);
    words = called_product(words, r2<P>());
    return count < 0 ? sum - words : sum + words;
  }
};

/// A variable that is no bit of a cell: an input, or general.
template <class P>
__device__ __forceinline__ void add_whole(RowSum<P>& sum, const Job<DeviceFp<P>>& job, std::uint32_t wire,
                                          const WitnessCell& cell, std::uint32_t index) {
  using F = DeviceFp<P>;
  const U256* from = job.inputs + wire;
  if (wire >= job.circuit.num_inputs) {
    const std::uint32_t aux = wire - job.circuit.num_inputs;
    std::uint32_t at = job.ranks[aux / 64] + bits_below(cell.general, aux % 32);
    if (aux % 64 >= 32) at += static_cast<std::uint32_t>(__popc(job.cells[aux / 32 - 1].general));
    from = job.general + at;
  }
  sum.add_general(index, load_element<F>(from), job.table);
}

template <class P, class Index>
__device__ __forceinline__ DeviceFp<P> row_times(const Job<DeviceFp<P>>& job, const RowRun& run, std::uint32_t begin,
                                                 std::uint32_t end) {
  const CircuitView& circuit = job.circuit;
  const std::uint32_t* const places = circuit.places + run.first_term;
  const Index* const indices = reinterpret_cast<const Index*>(circuit.coefficients) + run.first_term;
  const std::uint32_t* const ports = circuit.ports + run.first_port;
  RowSum<P> sum;
  for (std::uint32_t first = begin; first < end; first += kBatch) {
    std::uint32_t wires[kBatch], index[kBatch];
    WitnessCell cells[kBatch];
    CUZK_UNROLL for (unsigned k = 0; k < kBatch; ++k) {
      const std::uint32_t term = min(first + k, end - 1);
      wires[k] = places[term];
      index[k] = indices[term];
    }
    CUZK_UNROLL for (unsigned k = 0; k < kBatch; ++k) {
      wires[k] = (wires[k] & kPortBit) != 0 ? ports[wires[k] ^ kPortBit] : run.first_wire + wires[k];
    }
    CUZK_UNROLL for (unsigned k = 0; k < kBatch; ++k) {
      const std::uint32_t aux = max(wires[k], circuit.num_inputs) - circuit.num_inputs;
      cells[k] = job.cells[aux / 32];
    }
    CUZK_UNROLL for (unsigned k = 0; k < kBatch; ++k) {
      if (first + k >= end) break;
      const std::uint32_t aux = wires[k] - circuit.num_inputs;
      if (wires[k] == 0) {
        sum.add_bit(index[k], 1, job.table);
      } else if (wires[k] < circuit.num_inputs || (cells[k].general >> aux % 32 & 1) != 0) {
        add_whole(sum, job, wires[k], cells[k], index[k]);
      } else {
        sum.add_bit(index[k], cells[k].bits >> aux % 32 & 1, job.table);
      }
    }
  }
  return sum.total(job.table);
}

/// The run that a row belongs to.
__device__ __forceinline__ RowRun run_of(const CircuitView& circuit, std::uint64_t row) {
  std::uint32_t low = circuit.groups[row / kRowsOfGroup], high = circuit.groups[row / kRowsOfGroup + 1];
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (circuit.runs[middle].first_row <= row) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return circuit.runs[low];
}

template <class F> __device__ __forceinline__ void put(F* to, std::uint64_t at, const F& x) {
  if (to != nullptr) store_words_once(to + at, *reinterpret_cast<const Words256*>(&x));
}

template <class P, class Index>
__device__ __forceinline__ void evaluate_row(const Job<DeviceFp<P>>& job, std::uint64_t row, std::uint64_t at) {
  using F = DeviceFp<P>;
  const CircuitView& circuit = job.circuit;
  const RowRun run = run_of(circuit, row);
  const std::uint32_t* const ends = circuit.ends + run.first_end + circuit.sides * (row - run.first_row);
  std::uint32_t begin = row == run.first_row ? 0 : ends[-1];
  F first;
  for (unsigned side = 0; side < circuit.sides; ++side) {
    const std::uint32_t end = ends[side];
    F* const to = side == 0 ? job.a : side == 1 ? job.b : job.c;
    if (to != nullptr || (job.product && job.c != nullptr)) {
      const F value = row_times<P, Index>(job, run, begin, end);
      put(to, at, value);
      if (side == 1 && job.product) put(job.c, at, called_product(first, value));
      first = value;
    }
    begin = end;
  }
}

template <class P, class Index>
__global__ void __launch_bounds__(kThreads, kBlocks) evaluate_rows(const __grid_constant__ Job<DeviceFp<P>> job) {
  using F = DeviceFp<P>;
  const std::uint64_t at = blockIdx.x * std::uint64_t{kThreads} + threadIdx.x;
  if (at >= job.count) return;
  const std::uint64_t row = job.first_row + at;
  if (row < job.circuit.num_rows) return evaluate_row<P, Index>(job, row, at);
  const std::uint64_t input = row - job.circuit.num_rows;
  F x = F::zero();
  if (job.a != nullptr && job.add_inputs && input < job.circuit.num_inputs) {
    x = called_product(load_element<F>(job.inputs + input), r2<P>());
  }
  put(job.a, at, x);
  put(job.b, at, F::zero());
  put(job.c, at, F::zero());
}

/// What a circuit lies in.
template <class Fr> struct Parts {
  DeviceSpan<RowRun> runs;
  DeviceSpan<std::uint32_t> groups, ends, places, ports;
  DeviceSpan<std::byte> coefficients;
  DeviceSpan<Fr> table;

  template <class Take> void lay_out(const FormSizes& sizes, std::size_t num_coefficients, const Take& take) {
    take(runs, sizes.runs);
    take(groups, sizes.groups);
    take(ends, sizes.ends);
    take(places, sizes.terms);
    take(ports, sizes.ports);
    take(coefficients, sizes.terms * sizes.coefficient_bytes);
    take(table, table_size(num_coefficients));
  }
};

/// Copies from memory that the caller may use again at once.
template <class T> Status copy(const Stream& stream, DeviceSpan<T> to, std::size_t at, std::span<const T> from) {
  CUZK_REQUIRE(at + from.size() <= to.size);
  if (from.empty()) return {};
  CUZK_CUDA(cudaMemcpyAsync(to.data + at, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream.get()));
  return {};
}

template <class Fr> class Loader final : public FormSink {
 public:
  Loader(const Stream& stream, const Parts<Fr>& parts, unsigned coefficient_bytes)
      : stream_(stream), parts_(parts), coefficient_bytes_(coefficient_bytes) {}

  Status put_runs(std::size_t at, std::span<const RowRun> runs) override {
    return copy(stream_, parts_.runs, at, runs);
  }
  Status put_groups(std::size_t at, std::span<const std::uint32_t> groups) override {
    return copy(stream_, parts_.groups, at, groups);
  }
  Status put_ends(std::size_t at, std::span<const std::uint32_t> ends) override {
    return copy(stream_, parts_.ends, at, ends);
  }
  Status put_places(std::size_t at, std::span<const std::uint32_t> places) override {
    return copy(stream_, parts_.places, at, places);
  }
  Status put_ports(std::size_t at, std::span<const std::uint32_t> ports) override {
    return copy(stream_, parts_.ports, at, ports);
  }
  Status put_coefficients(std::size_t at, std::span<const std::byte> indices) override {
    return copy(stream_, parts_.coefficients, at * coefficient_bytes_, indices);
  }

 private:
  const Stream& stream_;
  const Parts<Fr>& parts_;
  unsigned coefficient_bytes_;
};

template <class Fr> std::vector<Fr> table_of(std::span<const Fr> coefficients) {
  std::vector<Fr> table;
  table.reserve(table_size(coefficients.size()));
  for (int count = -kSmall; count <= kSmall; ++count) {
    const Fr size = Fr::from_u64(static_cast<u64>(count < 0 ? -count : count));
    table.push_back(count < 0 ? -size : size);
  }
  for (const Fr& c : coefficients) {
    table.push_back(c);
    table.push_back(c * Fr::from_montgomery(Fr::Constants::r2));
  }
  return table;
}

}  // namespace cuzk::cuda::evaluation

namespace cuzk::cuda {

template <class Fr>
Result<std::size_t> DeviceCircuit<Fr>::bytes(const r1cs::CompiledCircuit<Fr>& circuit, const CircuitOptions& options) {
  CUZK_TRY(const FormSizes sizes, form_sizes(circuit, options.c == RowsOfC::stored ? 3 : 2));
  std::size_t bytes = 0;
  const auto count = [&]<class T>(DeviceSpan<T>&, std::size_t n) { bytes += Workspace::padded(n * sizeof(T)); };
  evaluation::Parts<Fr>().lay_out(sizes, circuit.coefficients().size(), count);
  return bytes;
}

template <class Fr>
Result<DeviceCircuit<Fr>> DeviceCircuit<Fr>::load(const Stream& stream, const r1cs::CompiledCircuit<Fr>& circuit,
                                                  const CircuitOptions& options, DeviceSpan<std::byte> memory) {
  CUZK_TRY(const FormSizes sizes, form_sizes(circuit, options.c == RowsOfC::stored ? 3 : 2));
  evaluation::Parts<Fr> parts;
  Workspace workspace(memory);
  parts.lay_out(sizes, circuit.coefficients().size(),
                [&]<class T>(DeviceSpan<T>& span, std::size_t n) { span = workspace.take<T>(n); });
  evaluation::Loader<Fr> loader(stream, parts, sizes.coefficient_bytes);
  CUZK_CHECK_OK(write_form(circuit, sizes, loader));
  const std::vector<Fr> table = evaluation::table_of(circuit.coefficients());
  CUZK_CHECK_OK(evaluation::copy(stream, parts.table, 0, std::span<const Fr>(table)));
  CUZK_CHECK_OK(stream.wait());
  DeviceCircuit loaded;
  loaded.options_ = options;
  loaded.coefficient_bytes_ = sizes.coefficient_bytes;
  loaded.table_ = {parts.table.data, parts.table.size};
  loaded.view_ = {.runs = parts.runs.data,
                  .groups = parts.groups.data,
                  .ends = parts.ends.data,
                  .places = parts.places.data,
                  .coefficients = parts.coefficients.data,
                  .ports = parts.ports.data,
                  .num_rows = circuit.num_constraints(),
                  .num_inputs = static_cast<std::uint32_t>(circuit.num_inputs()),
                  .sides = sizes.sides};
  return loaded;
}

template <class Fr>
Status DeviceCircuit<Fr>::evaluate(const Stream& stream, const WitnessView& witness, std::size_t first_row,
                                   DeviceSpan<Fr> a, DeviceSpan<Fr> b, DeviceSpan<Fr> c) const {
  using P = typename Fr::Params;
  using F = DeviceFp<P>;
  const std::size_t count = std::max({a.size, b.size, c.size});
  const auto pointer = [&](DeviceSpan<Fr> span) {
    CUZK_REQUIRE(span.size == 0 || span.size == count);
    return span.size == 0 ? nullptr : reinterpret_cast<F*>(span.data);
  };
  CUZK_REQUIRE(witness.inputs.size == view_.num_inputs);
  if (count == 0) return {};
  const evaluation::Job<F> job{.circuit = view_,
                               .inputs = witness.inputs.data,
                               .cells = witness.cells.data,
                               .ranks = witness.ranks.data,
                               .general = witness.general.data,
                               .table = reinterpret_cast<const F*>(table_.data),
                               .a = pointer(a),
                               .b = pointer(b),
                               .c = pointer(c),
                               .first_row = first_row,
                               .count = count,
                               .product = options_.c == RowsOfC::product,
                               .add_inputs = options_.inputs == RowsOfInputs::added};
  auto* const kernel = coefficient_bytes_ == 1   ? evaluation::evaluate_rows<P, std::uint8_t>
                       : coefficient_bytes_ == 2 ? evaluation::evaluate_rows<P, std::uint16_t>
                                                 : evaluation::evaluate_rows<P, std::uint32_t>;
  kernel<<<blocks_for(count, evaluation::kThreads), evaluation::kThreads, 0, stream.get()>>>(job);
  CUZK_CUDA(cudaGetLastError());
  return {};
}

}  // namespace cuzk::cuda
