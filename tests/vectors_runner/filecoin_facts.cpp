#include "tests/vectors_runner/filecoin_facts.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "filecoin/circuits/circuit.h"
#include "groth16/quotient.h"
#include "groth16/setup.h"
#include "r1cs/density.h"
#include "r1cs/digest.h"
#include "r1cs/recording_system.h"
#include "support/hex.h"
#include "support/sha256.h"

namespace cuzk::test {
namespace {

using Json = nlohmann::json;
using Fr = FilecoinField;

/// Of the variables first, first + 1, ...: bit i of byte i / 8 is set for the dense ones.
std::string bitmap_sha256(const std::vector<r1cs::Wire>& dense, std::size_t first, std::size_t count) {
  std::vector<std::byte> bits((count + 7) / 8);
  for (const r1cs::Wire wire : dense)
    if (wire >= first && wire - first < count) bits[(wire - first) / 8] |= std::byte{1} << ((wire - first) % 8);
  return encode_hex(sha256(bits));
}

std::size_t count_from(const std::vector<r1cs::Wire>& dense, std::size_t first) {
  return static_cast<std::size_t>(dense.end() - std::lower_bound(dense.begin(), dense.end(), first));
}

/// Of one of the three matrices.
struct SideFacts {
  std::size_t empty = 0, longest = 0;

  void add(std::span<const r1cs::Term> terms) {
    if (terms.empty()) ++empty;
    longest = std::max(longest, terms.size());
  }
};

void expect_shape_of_rows(const RecordedCircuit& circuit, const Json& counts) {
  SideFacts a, b, c;
  circuit.visit_rows(0, circuit.num_constraints(), [&](const r1cs::Row& row) {
    a.add(row.a);
    b.add(row.b);
    c.add(row.c);
  });
  EXPECT_EQ(counts.at("empty_lcs"), (Json{{"a", a.empty}, {"b", b.empty}, {"c", c.empty}}));
  EXPECT_EQ(counts.at("max_terms"), (Json{{"a", a.longest}, {"b", b.longest}, {"c", c.longest}}));
}

void expect_densities(const RecordedCircuit& circuit, const Json& counts, const Json& bitmaps) {
  const r1cs::Densities dense = r1cs::densities<Fr>(circuit);
  const std::size_t inputs = circuit.num_inputs(), aux = circuit.num_aux();
  EXPECT_EQ(counts.at("density").at("a_aux"), count_from(dense.a, inputs));
  EXPECT_EQ(counts.at("density").at("b_aux"), count_from(dense.b, inputs));
  EXPECT_EQ(counts.at("density").at("b_input"), dense.b.size() - count_from(dense.b, inputs));
  EXPECT_EQ(bitmaps.at("a_aux"), bitmap_sha256(dense.a, inputs, aux));
  EXPECT_EQ(bitmaps.at("b_aux"), bitmap_sha256(dense.b, inputs, aux));
  EXPECT_EQ(bitmaps.at("b_input"), bitmap_sha256(dense.b, 0, inputs));
  const std::size_t domain = groth16::domain_size_of<Fr>(circuit);
  EXPECT_EQ(counts.at("domain_size"), domain);
  EXPECT_EQ(counts.at("query_lengths"),
            (Json{{"a", dense.a.size()}, {"b", dense.b.size()}, {"h", domain - 1}, {"ic", inputs}, {"l", aux}}));
}

// --- the bytes of the digest

void append_u32(std::vector<std::byte>& out, std::uint32_t value) {
  out.resize(out.size() + 4);
  store_le(out.data() + out.size() - 4, value);
}

void append_side(std::vector<std::byte>& out, const RecordedCircuit& circuit, std::span<const r1cs::Term> terms,
                 std::span<const U256> coefficients) {
  std::vector<r1cs::Term> sorted(terms.begin(), terms.end());
  std::ranges::sort(sorted, {}, &r1cs::Term::wire);
  append_u32(out, static_cast<std::uint32_t>(sorted.size()));
  const auto inputs = static_cast<r1cs::Wire>(circuit.num_inputs());
  for (const r1cs::Term& term : sorted) {
    const bool aux = term.wire >= inputs;
    out.push_back(static_cast<std::byte>(aux));
    append_u32(out, aux ? term.wire - inputs : term.wire);
    const Bytes coefficient = object_bytes(coefficients[term.coefficient]);
    out.insert(out.end(), coefficient.begin(), coefficient.end());
  }
}

}  // namespace

std::shared_ptr<const RecordedCircuit> record_circuit(const filecoin::Circuit& circuit) {
  r1cs::RecordingSystem<Fr> cs;
  filecoin::synthesize(cs, filecoin::blank_instance(circuit).instance);
  return std::make_shared<const RecordedCircuit>(std::move(cs).finish());
}

void expect_circuit_facts(const RecordedCircuit& circuit, const Json& counts, const Json& density_bitmaps_sha256,
                          const Json& matrices_sha256) {
  EXPECT_EQ(counts.at("num_inputs_with_one"), circuit.num_inputs());
  EXPECT_EQ(counts.at("num_aux"), circuit.num_aux());
  EXPECT_EQ(counts.at("num_constraints"), circuit.num_constraints());
  EXPECT_EQ(counts.at("num_rows_with_input_rows"), circuit.num_constraints() + circuit.num_inputs());
  const r1cs::NonZeros terms = circuit.non_zeros();
  EXPECT_EQ(counts.at("nonzeros"), (Json{{"a", terms.a}, {"b", terms.b}, {"c", terms.c}, {"total", terms.total()}}));
  expect_shape_of_rows(circuit, counts);
  expect_densities(circuit, counts, density_bitmaps_sha256);
  EXPECT_EQ(matrices_sha256, encode_hex(r1cs::matrices_digest<Fr>(circuit)));
}

std::vector<std::byte> digest_body(const RecordedCircuit& circuit, std::size_t begin, std::size_t end) {
  std::vector<U256> coefficients;
  for (const Fr& coefficient : circuit.coefficients()) coefficients.push_back(coefficient.canonical());
  std::vector<std::byte> body;
  circuit.visit_rows(begin, end, [&](const r1cs::Row& row) {
    for (const std::span<const r1cs::Term> side : {row.a, row.b, row.c}) append_side(body, circuit, side, coefficients);
  });
  return body;
}

}  // namespace cuzk::test
