// Any bytes as a circuit file; with the checksum, and without, so that what lies behind it is reached.
#include "r1cs/circuit_file.h"
#include "target.h"

namespace {

constexpr std::size_t kManyRows = 1 << 16;

template <class Fr> void read(cuzk::Bytes file) {
  using namespace cuzk::r1cs;
  static_cast<void>(parse_circuit<Fr>(file, nullptr));
  const auto parsed = parse_circuit<Fr>(file, nullptr, Checksum::skip);
  if (!parsed || parsed->circuit->num_constraints() > kManyRows) return;
  const auto& circuit = *parsed->circuit;
  std::uint64_t terms = 0;
  circuit.visit_rows(0, circuit.num_constraints(), [&](const Row& row) {
    for (const auto side : {row.a, row.b, row.c}) {
      terms += side.size();
      for (const Term& term : side) {
        CUZK_REQUIRE(term.wire < circuit.num_variables() && term.coefficient < circuit.coefficients().size());
      }
    }
  });
  CUZK_REQUIRE(terms == circuit.non_zeros().total());
}

}  // namespace

CUZK_FUZZ_TARGET(file) {
  read<cuzk::bn254::Fr>(file);
  read<cuzk::bls12_381::Fr>(file);
}
