// The form that circuits have on a device, read as its kernels read it, against the circuits' own rows.
#if defined(CUZK_WITH_CUDA)
#include "backend/cuda/circuit_form.h"

#include <cstring>

#include <gtest/gtest.h>

#include "r1cs/recording_system.h"
#include "tests/gen/circuits.h"
#include "tests/r1cs/random_statements.h"
#include "tests/support/must.h"

namespace cuzk::cuda {
namespace {

using Fr = bls12_381::Fr;

/// All parts in memory; what does not follow on what was there is a failure.
class Form final : public FormSink {
 public:
  FormSizes sizes;
  std::vector<RowRun> runs;
  std::vector<std::uint32_t> groups, ends, places, ports;
  std::vector<std::byte> coefficients;

  explicit Form(const FormSizes& of) : sizes(of) {}

  Status put_runs(std::size_t at, std::span<const RowRun> part) override { return append(runs, at, part); }
  Status put_groups(std::size_t at, std::span<const std::uint32_t> part) override { return append(groups, at, part); }
  Status put_ends(std::size_t at, std::span<const std::uint32_t> part) override { return append(ends, at, part); }
  Status put_places(std::size_t at, std::span<const std::uint32_t> part) override { return append(places, at, part); }
  Status put_ports(std::size_t at, std::span<const std::uint32_t> part) override { return append(ports, at, part); }
  Status put_coefficients(std::size_t at, std::span<const std::byte> part) override {
    return append(coefficients, at * sizes.coefficient_bytes, part);
  }

  std::vector<r1cs::Term> side(std::size_t row, unsigned which) const {
    const std::size_t from = groups[row / kRowsOfGroup], to = groups[row / kRowsOfGroup + 1];
    std::size_t number = from;
    while (number < to && runs[number + 1].first_row <= row) ++number;
    const RowRun& run = runs[number];
    const std::size_t at = sizes.sides * (row - run.first_row) + which;
    const std::uint32_t begin = at == 0 ? 0 : ends[run.first_end + at - 1];
    std::vector<r1cs::Term> terms;
    for (std::size_t i = run.first_term + begin; i < run.first_term + ends[run.first_end + at]; ++i) {
      const bool is_port = (places[i] & kPortBit) != 0;
      std::uint32_t index = 0;
      std::memcpy(&index, coefficients.data() + i * sizes.coefficient_bytes, sizes.coefficient_bytes);
      terms.push_back({is_port ? ports[run.first_port + (places[i] ^ kPortBit)] : run.first_wire + places[i], index});
    }
    return terms;
  }

 private:
  template <class T> static Status append(std::vector<T>& to, std::size_t at, std::span<const T> part) {
    EXPECT_EQ(at, to.size());
    to.insert(to.end(), part.begin(), part.end());
    return {};
  }
};

bool same(std::span<const r1cs::Term> expected, const std::vector<r1cs::Term>& found) {
  return std::ranges::equal(expected, found, [](const r1cs::Term& x, const r1cs::Term& y) {
    return x.wire == y.wire && x.coefficient == y.coefficient;
  });
}

void expect_same_rows(const r1cs::CompiledCircuit<Fr>& circuit, unsigned coefficient_bytes) {
  for (const unsigned sides : {2u, 3u}) {
    Form form(test::must(form_sizes(circuit, sides)));
    ASSERT_TRUE(write_form(circuit, form.sizes, form).has_value());
    EXPECT_EQ(form.sizes.coefficient_bytes, coefficient_bytes);
    EXPECT_EQ(form.places.size(), form.sizes.terms);
    EXPECT_EQ(form.ports.size(), form.sizes.ports);
    circuit.visit_rows(0, circuit.num_constraints(), [&](const r1cs::Row& row) {
      ASSERT_TRUE(same(row.a, form.side(row.index, 0))) << row.index;
      ASSERT_TRUE(same(row.b, form.side(row.index, 1))) << row.index;
      if (sides == 3) {
        ASSERT_TRUE(same(row.c, form.side(row.index, 2))) << row.index;
      }
    });
  }
}

TEST(CircuitFormTest, HasTheRowsOfARowCircuit) {
  std::mt19937_64 random(test::run_seed());
  for (const std::size_t constraints : {1u, 2u, 255u, 256u, 257u}) {
    expect_same_rows(test::random_circuit<Fr>({constraints, 1, 20}, random).circuit, constraints < 200 ? 1 : 2);
  }
}

TEST(CircuitFormTest, HasRowsBeyondOneRunAndCoefficientsBeyondTwoBytes) {
  constexpr std::uint32_t kRows = 70'000;
  r1cs::CircuitBuilder<Fr> builder(kRows, 1);
  using Side = r1cs::CircuitBuilder<Fr>::Side;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    builder.add_term(Side::a, i, Fr::from_u64(i + 2));
    if (i % 3 == 0) builder.add_term(Side::b, kRows - 1 - i, Fr::one());
    if (i % 5 != 0) builder.add_term(Side::c, i / 2, -Fr::one());
    builder.end_constraint();
  }
  expect_same_rows(std::move(builder).finish(), 4);
}

TEST(CircuitFormTest, HasTheRowsOfPieces) {
  std::mt19937_64 random(test::run_seed());
  for (const std::size_t pieces : {1u, 2u, 3u, 50u, 2'000u}) {
    r1cs::RecordingSystem<Fr> recorder;
    test::RandomStatements<Fr>(random()).write(recorder, pieces);
    expect_same_rows(std::move(recorder).finish(), 1);
  }
}

TEST(CircuitFormTest, ACircuitWithoutRowsHasNoRun) {
  r1cs::CircuitBuilder<Fr> builder(3, 1);
  const auto circuit = std::move(builder).finish();
  Form form(test::must(form_sizes<Fr>(circuit, 3)));
  ASSERT_TRUE(write_form<Fr>(circuit, form.sizes, form).has_value());
  EXPECT_TRUE(form.runs.empty());
  EXPECT_EQ(form.groups.size(), 1u);
}

}  // namespace
}  // namespace cuzk::cuda
#endif
