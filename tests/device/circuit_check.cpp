#include "backend/cuda/evaluate.h"
#include "backend/cuda/pointwise.h"
#include "backend/cuda/scalar_split.h"
#include "groth16/evaluate.h"
#include "groth16/setup.h"
#include "r1cs/recording_system.h"
#include "r1cs/row_sum.h"
#include "tests/device/check_witness.h"
#include "tests/device/parts_check.h"
#include "tests/r1cs/random_statements.h"

namespace cuzk::test {
namespace {

using cuda::CircuitOptions;
using cuda::DeviceCircuit;
using cuda::RowsOfC;
using cuda::RowsOfInputs;
using r1cs::CompiledCircuit;

template <class Fr> struct Vectors {
  std::vector<Fr> a, b, c;
  explicit Vectors(std::size_t size) : a(size, Fr::one()), b(a), c(a) {}
  bool operator==(const Vectors&) const = default;
};

/// A circuit with the device's memory for it.
template <class Fr> struct CircuitOnDevice {
  DeviceBuffer memory;
  DeviceCircuit<Fr> circuit;

  CircuitOnDevice(const Stream& stream, const CompiledCircuit<Fr>& from, const CircuitOptions& options)
      : memory(poisoned(must(DeviceCircuit<Fr>::bytes(from, options), "circuit"))),
        circuit(must(DeviceCircuit<Fr>::load(stream, from, options, memory.as<std::byte>()), "circuit")) {}

  /// Rows from `first` on; which: bits 0, 1, 2 for a, b, c. What is not wanted stays as it was.
  Vectors<Fr> rows(const Stream& stream, const cuda::WitnessView& witness, std::size_t first, std::size_t count,
                   unsigned which = 7) const {
    Vectors<Fr> found(count);
    const DeviceBuffer a = to_device(found.a), b = to_device(found.b), c = to_device(found.c);
    const auto wanted = [&](const DeviceBuffer& buffer, unsigned bit) {
      return DeviceSpan<Fr>{buffer.as<Fr>().data, (which >> bit & 1) != 0 ? count : 0};
    };
    must(circuit.evaluate(stream, witness, first, wanted(a, 0), wanted(b, 1), wanted(c, 2)), "evaluate");
    must(stream.wait(), "evaluate");
    found.a = to_host<Fr>(a, count);
    found.b = to_host<Fr>(b, count);
    found.c = to_host<Fr>(c, count);
    return found;
  }
};

template <class Fr>
Vectors<Fr> part_of(const Vectors<Fr>& whole, std::size_t first, std::size_t count, unsigned which) {
  Vectors<Fr> part(count);
  const auto take = [&](std::vector<Fr>& to, const std::vector<Fr>& from, unsigned bit) {
    if ((which >> bit & 1) != 0) std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first), count, to.begin());
  };
  take(part.a, whole.a, 0);
  take(part.b, whole.b, 1);
  take(part.c, whole.c, 2);
  return part;
}

template <class Fr>
bool all_rows_are(const Stream& stream, const CircuitOnDevice<Fr>& on, const r1cs::PackedView& packed,
                  const Vectors<Fr>& expected) {
  const WitnessOnDevice witness(stream, packed);
  const std::size_t size = expected.a.size();
  bool good = on.rows(stream, witness.witness.view(), 0, size) == expected;
  for (const unsigned which : {1u, 2u, 4u, 5u}) {
    const std::size_t first = random_words()() % size, count = 1 + random_words()() % (size - first);
    good =
        good && on.rows(stream, witness.witness.view(), first, count, which) == part_of(expected, first, count, which);
  }
  return good;
}

template <class Fr> void check_circuit(Counts& counts, const std::string& name, const CompiledCircuit<Fr>& circuit) {
  Arena arena(4);
  const Stream stream = must(Stream::create(), "stream");
  const std::size_t size = groth16::domain_size_of(circuit) + random_words()() % 3;
  const CircuitOnDevice<Fr> stored(stream, circuit, {.c = RowsOfC::stored});
  const CircuitOnDevice<Fr> product(stream, circuit, {.c = RowsOfC::product});
  for (const ValueKind kind : kValueKinds) {
    const auto z = assignment<Fr>(kind, circuit.num_inputs(), circuit.num_aux());
    Vectors<Fr> expected(size);
    groth16::evaluate<Fr>(arena, circuit, z, expected.a, expected.b, expected.c);
    const std::string title = "rows " + name + " kind " + std::to_string(static_cast<int>(kind));
    const r1cs::PackedWitness packed = r1cs::pack(arena, z, circuit.num_inputs());
    const r1cs::PackedWitness loosely = pack_loosely(z, circuit.num_inputs());
    counts.note(title, all_rows_are(stream, stored, packed.view(), expected));
    counts.note(title + ", loose map", all_rows_are(stream, stored, loosely.view(), expected));
    for (std::size_t i = 0; i < size; ++i) expected.c[i] = expected.a[i] * expected.b[i];
    counts.note(title + ", product", all_rows_are(stream, product, packed.view(), expected));
  }
}

template <class Fr> void check_records(Counts& counts, const std::string& field) {
  Arena arena(4);
  const Stream stream = must(Stream::create(), "stream");
  for (const std::size_t constraints : {1, 2, 3, 700}) {
    const auto [circuit, values] = random_circuit<Fr>({constraints, 3, 50}, random_words());
    const auto bytes = coefficient_records(circuit);
    const r1cs::CoefficientRecords<Fr> records(bytes, true);
    const std::size_t rows = constraints + circuit.num_inputs();
    const auto of_records = r1cs::to_rows<Fr>(records, circuit.num_variables(), circuit.num_public(), rows);
    const auto z = assignment<Fr>(ValueKind::mixed, circuit.num_inputs(), circuit.num_aux());
    Vectors<Fr> expected(rows + 9);
    groth16::evaluate<Fr>(arena, records, z, expected.a, expected.b);
    for (std::size_t i = 0; i < rows + 9; ++i) expected.c[i] = expected.a[i] * expected.b[i];
    const CircuitOnDevice<Fr> on(stream, of_records, {.inputs = RowsOfInputs::stored});
    counts.note("rows " + field + " of records " + std::to_string(constraints),
                all_rows_are(stream, on, r1cs::pack(arena, z, circuit.num_inputs()).view(), expected));
  }
}

/// So many coefficients, and rows so long that counts of bits are not in any table.
template <class Fr> r1cs::RowCircuit<Fr> wide_circuit(std::size_t coefficients) {
  constexpr std::size_t kVariables = 1'000;
  r1cs::CircuitBuilder<Fr> builder(kVariables, 4);
  using Side = typename r1cs::CircuitBuilder<Fr>::Side;
  for (std::size_t i = 0; i < coefficients; ++i) {
    const auto wire = static_cast<r1cs::Wire>(random_words()() % kVariables);
    builder.add_term(static_cast<Side>(i % 3), wire, Fr::from_u64(i + 2));
    if (i % 7 == 0) builder.end_constraint();
  }
  builder.end_constraint();
  for (const std::size_t length : {100, 999}) {
    for (std::size_t i = 0; i < length; ++i) {
      builder.add_term(Side::a, static_cast<r1cs::Wire>(i), Fr::one());
      builder.add_term(Side::b, static_cast<r1cs::Wire>(i), -Fr::one());
      builder.add_term(Side::c, static_cast<r1cs::Wire>(i), Fr::from_u64(i % 3 + 1));
    }
    builder.end_constraint();
  }
  return std::move(builder).finish();
}

template <class Fr> void check_field(Counts& counts, const std::string& field) {
  for (const CircuitShape shape : {CircuitShape{1, 0, 1}, CircuitShape{1, 1, 2}, CircuitShape{2, 0, 3},
                                   CircuitShape{3, 2, 31}, CircuitShape{255, 1, 64}, CircuitShape{257, 5, 65},
                                   CircuitShape{5'000, 40, 3'000}, CircuitShape{70'000, 3, 20'000}}) {
    if (small_sizes() && shape.constraints > 5'000) continue;
    const auto circuit = random_circuit<Fr>(shape, random_words()).circuit;
    check_circuit<Fr>(counts, field + " of " + std::to_string(shape.constraints), circuit);
  }
  check_circuit<Fr>(counts, field + ", no auxiliary variable", random_circuit<Fr>({20, 7, 0}, random_words()).circuit);
  for (const std::size_t coefficients : {200, 5'000, 70'000}) {
    if (small_sizes() && coefficients > 5'000) continue;
    check_circuit<Fr>(counts, field + ", coefficients " + std::to_string(coefficients), wide_circuit<Fr>(coefficients));
  }
  for (const std::size_t pieces : {1, 2, 40, 3'000}) {
    r1cs::RecordingSystem<Fr> recorder;
    RandomStatements<Fr>(random_words()()).write(recorder, pieces);
    const auto circuit = std::move(recorder).finish();
    check_circuit<Fr>(counts, field + " of pieces " + std::to_string(circuit.parts().placements.size()), circuit);
  }
  check_records<Fr>(counts, field);
}

template <class Fr> void check_products(Counts& counts, const std::string& field) {
  const Stream stream = must(Stream::create(), "stream");
  for (const std::size_t n : {0, 1, 2, 3, 127, 128, 129, 5'000}) {
    std::vector<Fr> a(n), b(n), c(n);
    for (auto* vector : {&a, &b, &c}) {
      for (Fr& x : *vector) x = Fr::from_montgomery(random_value<Fr>());
    }
    for (const Fr& factor : {Fr::one(), Fr::from_montgomery(random_value<Fr>())}) {
      const DeviceBuffer to = to_device(a), of_b = to_device(b), of_c = to_device(c);
      must(cuda::combine<Fr>(stream, {to.as<Fr>().data, n}, {of_b.as<Fr>().data, n}, {of_c.as<Fr>().data, n}, factor),
           "products");
      must(stream.wait(), "products");
      std::vector<Fr> expected(n);
      for (std::size_t i = 0; i < n; ++i) expected[i] = (a[i] * b[i] - c[i]) * factor;
      counts.note("products " + field + " n " + std::to_string(n), to_host<Fr>(to, n) == expected);
    }
  }
}

// Times, in the size of a 32 GiB PoRep partition.

using Fr = bls12_381::Fr;

constexpr std::size_t kRows = 130'278'869, kAux = 130'169'893, kInputs = 328;

u64 mixed(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// 722 million terms in the proportions of the partition's matrices: 60 % with coefficient 1, 20 % with -1, the others
/// with one of 200. Variables lie near their row, but for one in `far_every` that lies anywhere.
class SyntheticCircuit final : public CompiledCircuit<Fr> {
 public:
  SyntheticCircuit(std::size_t rows, u64 far_every) : rows_(rows), far_every_(far_every) {
    coefficients_ = {Fr::one(), -Fr::one()};
    for (u64 i = 0; i < 200; ++i) coefficients_.push_back(Fr::from_u64(2 + i) * Fr::from_u64(mixed(i)));
  }
  std::size_t num_variables() const noexcept override { return kInputs + kAux; }
  std::size_t num_public() const noexcept override { return kInputs - 1; }
  std::size_t num_constraints() const noexcept override { return rows_; }
  r1cs::NonZeros non_zeros() const noexcept override {
    r1cs::NonZeros all;
    for (std::size_t row = 0; row < rows_; ++row) {
      all.a += terms_in_a(row);
      all.b += 1;
      all.c += terms_in_c(row);
    }
    return all;
  }
  std::span<const Fr> coefficients() const noexcept override { return coefficients_; }
  void visit_rows(std::size_t begin, std::size_t end, r1cs::RowVisitor visitor) const override {
    r1cs::Term terms[8];
    for (std::size_t row = begin; row < end; ++row) {
      const unsigned a = terms_in_a(row), c = terms_in_c(row);
      for (unsigned i = 0; i < a + 1 + c; ++i) terms[i] = term(row, i);
      const std::span<const r1cs::Term> all(terms, a + 1 + c);
      visitor({row, all.first(a), all.subspan(a, 1), all.last(c)});
    }
  }

 private:
  static unsigned terms_in_a(std::size_t row) { return row % 8 < 3 ? 3 : 2; }
  static unsigned terms_in_c(std::size_t row) { return row % 100 < 17 ? 3 : 2; }
  r1cs::Term term(std::size_t row, unsigned i) const {
    const u64 h = mixed(8 * row + i);
    const u64 kind = (h >> 8) % 10;
    const auto coefficient = static_cast<std::uint32_t>(kind < 6 ? 0 : kind < 8 ? 1 : 2 + (h >> 16) % 200);
    const u64 aux = (h >> 32) % far_every_ == 0 ? mixed(h) % kAux : (row + (h & 0xff) * 16 + (h >> 60)) % kAux;
    return {static_cast<r1cs::Wire>(kInputs + aux), coefficient};
  }

  std::size_t rows_;
  u64 far_every_;
  std::vector<Fr> coefficients_;
};

/// The rows of a short circuit placed again and again, as those of a hash are.
class PlacedAgain {
 public:
  PlacedAgain(const SyntheticCircuit& rows, std::size_t placements) {
    const auto piece_rows = static_cast<std::uint32_t>(rows.num_constraints());
    rows.visit_rows(0, piece_rows, [&](const r1cs::Row& row) {
      for (const auto side : {row.a, row.b, row.c}) {
        for (const r1cs::Term& term : side) {
          terms_.push_back({static_cast<std::uint32_t>((term.wire - kInputs) % piece_rows), term.coefficient});
        }
        ends_.push_back(static_cast<std::uint32_t>(terms_.size()));
      }
    });
    pieces_.push_back({.num_rows = piece_rows,
                       .num_ports = 0,
                       .num_locals = piece_rows,
                       .num_terms = static_cast<std::uint32_t>(terms_.size()),
                       .first_end = 0,
                       .first_term = 0});
    for (std::size_t i = 0; i < placements; ++i) {
      placements_.push_back({0, static_cast<std::uint32_t>(i * piece_rows), i * piece_rows, 0});
    }
    coefficients_ = rows.coefficients();
    bits_.resize(kAux / 64 + 1);
  }
  r1cs::BlockCircuit<Fr> circuit() const {
    r1cs::BlockParts<Fr> parts;
    parts.num_inputs = kInputs;
    parts.num_aux = kAux;
    parts.num_constraints = placements_.size() * pieces_[0].num_rows;
    parts.coefficients = coefficients_;
    parts.pieces = pieces_;
    parts.ends = ends_;
    parts.terms = terms_;
    parts.placements = placements_;
    parts.bits = bits_;
    return {parts, nullptr};
  }

 private:
  std::span<const Fr> coefficients_;
  std::vector<r1cs::Piece> pieces_;
  std::vector<r1cs::PieceTerm> terms_;
  std::vector<std::uint32_t> ends_;
  std::vector<r1cs::Placement> placements_;
  std::vector<std::uint64_t> bits_;
};

/// Bits, half of them set, and one variable in `general_of` that is general: so many in 1000.
r1cs::PackedWitness synthetic_witness(Arena& arena, u64 general_of_1000) {
  std::vector<u64> map(r1cs::packed_words(kAux));
  parallel_for(arena, 0, map.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = 64 * begin; j < std::min(64 * end, kAux); ++j) {
      map[j / 64] |= u64{mixed(j) % 1000 < general_of_1000} << (j % 64);
    }
  });
  std::vector<std::uint32_t> ranks(map.size());
  std::size_t general = 0;
  for (std::size_t w = 0; w < map.size(); ++w) {
    ranks[w] = static_cast<std::uint32_t>(general);
    general += static_cast<std::size_t>(std::popcount(map[w]));
  }
  r1cs::PackedWitness packed(kInputs, {.aux = kAux, .general = general});
  const r1cs::PackedDestination to = packed.destination();
  std::ranges::copy(map, to.general_map.begin());
  std::ranges::copy(ranks, to.ranks.begin());
  for (std::size_t i = 0; i < kInputs; ++i) to.inputs[i] = U256::from_u64(i == 0 ? 1 : mixed(i));
  for (std::size_t w = 0; w < map.size(); ++w) {
    const u64 last = kAux % 64 != 0 && w + 1 == map.size() ? (u64{1} << kAux % 64) - 1 : ~u64{0};
    to.bits[w] = mixed(~w) & ~map[w] & last;
  }
  parallel_for(arena, 0, general, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < 4; ++k) to.general[i].limb[k] = mixed(4 * i + k);
      to.general[i].limb[3] >>= 2;
    }
  });
  return packed;
}

struct PartitionVectors {
  DeviceBuffer memory = must(DeviceBuffer::create(3 * (std::size_t{32} << 27)), "memory");
  DeviceSpan<Fr> vector(unsigned i) const {
    return memory.as<Fr>().subspan(std::size_t{i} << 27, std::size_t{1} << 27);
  }
};

float time_evaluation(const Stream& stream, const DeviceCircuit<Fr>& circuit, const cuda::WitnessView& witness,
                      const PartitionVectors& to) {
  return median_ms(stream, 5, [&] {
    must(circuit.evaluate(stream, witness, 0, to.vector(0), to.vector(1), to.vector(2)), "evaluate");
  });
}

/// Some thousands of rows of a large circuit against the host's.
bool some_rows_are(const CompiledCircuit<Fr>& circuit, std::span<const U256> z, const PartitionVectors& vectors,
                   bool product) {
  const r1cs::CoefficientTable<Fr> table(circuit.coefficients());
  bool good = true;
  for (unsigned i = 0; i < 16; ++i) {
    constexpr std::size_t kSome = 1'000;
    const std::size_t first = i == 0   ? 0
                              : i == 1 ? circuit.num_constraints() - kSome
                                       : random_words()() % (circuit.num_constraints() - kSome);
    std::vector<Fr> found[3];
    for (unsigned side = 0; side < 3; ++side) {
      const DeviceSpan<Fr> part = vectors.vector(side).subspan(first, kSome);
      found[side] = to_host(DeviceSpan<const Fr>{part.data, part.size});
    }
    r1cs::evaluate_rows<true>(
        circuit, table, z, first, first + kSome, [&](std::size_t row, const Fr& a, const Fr& b, const Fr& c) {
          const std::size_t at = row - first;
          good = good && found[0][at] == a && found[1][at] == b && found[2][at] == (product ? a * b : c);
        });
  }
  return good;
}

void time_circuit(const std::string& key, const CompiledCircuit<Fr>& circuit, RowsOfC c, const r1cs::PackedView& packed,
                  const PartitionVectors& vectors, std::span<const U256> z) {
  const Stream stream = must(Stream::create(), "stream");
  const CircuitOnDevice<Fr> on(stream, circuit, {.c = c});
  const WitnessOnDevice witness(stream, packed);
  const float ms = time_evaluation(stream, on.circuit, witness.witness.view(), vectors);
  if (!some_rows_are(circuit, z, vectors, c == RowsOfC::product)) {
    std::printf("FAILED %s: rows differ from the host's\n", key.c_str());
    std::exit(1);
  }
  figure(key + "_ms", ms);
  figure(key + "_circuit_gb", static_cast<float>(static_cast<double>(on.memory.bytes()) / 1e9));
}

void time_witness(const r1cs::PackedView& packed, std::span<const U256> z) {
  const Stream stream = must(Stream::create(), "stream");
  WitnessOnDevice on({kInputs, kAux, packed.general.size()});
  const DeviceBuffer plain = must(DeviceBuffer::create(32 * kAux), "memory");
  must(cudaMemcpy(plain.as<U256>().data, z.data() + kInputs, 32 * kAux, cudaMemcpyHostToDevice), "copy");
  must(cudaDeviceSynchronize(), "copy");
  figure("witness_pack_porep_ms", median_ms(stream, 5, [&] {
           must(on.witness.begin_plain(stream, z.first(kInputs)), "pack");
           must(on.witness.pack(stream, {plain.as<U256>().data, kAux}, 0), "pack");
         }));
  const auto time_split = [&](const char* key, const cuda::QueryMap& map) {
    const DeviceBuffer parts = poisoned(cuda::split_bytes(map.num_points(), packed.general.size() + kInputs));
    const auto to = cuda::split_memory(map.num_points(), packed.general.size() + kInputs, parts.as<std::byte>());
    figure(key,
           median_ms(stream, 5, [&] { must(cuda::split(stream, on.witness.view(), map, {0, kAux}, to), "split"); }));
  };
  time_split("scalar_split_l_porep_ms", cuda::QueryMap::all(0, kAux));
  r1cs::Bitmap quarter(kInputs + kAux);
  for (std::size_t i = 0; i < quarter.size(); i += 4) quarter.set(i);
  const DeviceBuffer map = poisoned(cuda::QueryMap::bytes(quarter, kInputs));
  time_split("scalar_split_b_porep_ms",
             must(cuda::QueryMap::load(stream, quarter, kInputs, map.as<std::byte>()), "map"));
}

}  // namespace

void check_circuits(Counts& counts) {
  check_field<bls12_381::Fr>(counts, "bls12-381");
  check_field<bn254::Fr>(counts, "bn254");
  check_products<bls12_381::Fr>(counts, "bls12-381");
  check_products<bn254::Fr>(counts, "bn254");
}

void time_circuits() {
  Arena arena;
  const PartitionVectors vectors;
  const r1cs::PackedWitness packed = synthetic_witness(arena, 10);
  const r1cs::Witness z = r1cs::expand(arena, packed.view());
  time_witness(packed.view(), z.values());
  const SyntheticCircuit near(kRows, 50), far(kRows, 2), short_one(1 << 15, 50);
  const PlacedAgain again(short_one, kAux >> 15);
  const auto blocks = again.circuit();
  time_circuit("spmv_packed_porep_blocks", blocks, RowsOfC::stored, packed.view(), vectors, z.values());
  time_circuit("spmv_packed_porep_blocks_product", blocks, RowsOfC::product, packed.view(), vectors, z.values());
  time_circuit("spmv_packed_porep", near, RowsOfC::stored, packed.view(), vectors, z.values());
  time_circuit("spmv_packed_porep_product", near, RowsOfC::product, packed.view(), vectors, z.values());
  time_circuit("spmv_packed_porep_far", far, RowsOfC::stored, packed.view(), vectors, z.values());
  const r1cs::PackedWitness full = synthetic_witness(arena, 940);
  const r1cs::Witness full_z = r1cs::expand(arena, full.view());
  time_circuit("spmv_packed_full_values_blocks", blocks, RowsOfC::product, full.view(), vectors, full_z.values());
  const Stream stream = must(Stream::create(), "stream");
  const auto constant = [&](unsigned i) {
    return DeviceSpan<const Fr>{vectors.vector(i).data, vectors.vector(i).size};
  };
  figure("combine_bls12_381_2p27_ms", median_ms(stream, 5, [&] {
           must(cuda::combine<Fr>(stream, vectors.vector(0), constant(1), constant(2)), "products");
         }));
}

}  // namespace cuzk::test
