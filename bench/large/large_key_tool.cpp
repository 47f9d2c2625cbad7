// Makes a development .zkey of any size, with a witness: the material of tools/bench_large.sh.
//
//   large_key LOG_SIZE KEY.zkey WITNESS.wtns
//
// The circuit fills a domain of 2^LOG_SIZE rows on BN254: x_{i+1} = (x_i + 5 x_{i-1}) (x_i + 3), one public input,
// witness values full-size. Two terms in A and B each, so 2^23 rows give a key above 4 GiB. Needs about 700 bytes of
// memory a row.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "groth16/setup.h"
#include "r1cs/row_circuit.h"

namespace {

using namespace cuzk;
using Fr = Bn254::Fr;

struct Chain {
  r1cs::RowCircuit<Fr> circuit;
  r1cs::Witness witness;
};

/// Variables: ONE, x_0 (public), x_1, ...; constraint i makes x_{i+2} from x_{i+1} and x_i.
Chain make_chain(std::size_t constraints) {
  using Side = r1cs::CircuitBuilder<Fr>::Side;
  const std::size_t variables = constraints + 3;
  r1cs::CircuitBuilder<Fr> builder(variables, 1);
  std::vector<U256> values(variables);
  const Fr three = Fr::from_u64(3), five = Fr::from_u64(5);
  Fr previous = Fr::from_u64(20240607), current = previous.squared();
  values[0] = U256::from_u64(1);
  values[1] = previous.canonical();
  values[2] = current.canonical();
  for (std::size_t i = 0; i < constraints; ++i) {
    const auto at = static_cast<r1cs::Wire>(i);
    builder.add_term(Side::a, at + 2, Fr::one());
    builder.add_term(Side::a, at + 1, five);
    builder.add_term(Side::b, at + 2, Fr::one());
    builder.add_term(Side::b, 0, three);
    builder.add_term(Side::c, at + 3, Fr::one());
    builder.end_constraint();
    const Fr next = (current + five * previous) * (current + three);
    previous = current;
    current = next;
    values[i + 3] = current.canonical();
  }
  return {std::move(builder).finish(), r1cs::Witness(std::move(values))};
}

Status make(unsigned log_size, const char* key_path, const char* witness_path) {
  Arena arena;
  Progress progress;
  const Chain chain = make_chain((std::size_t{1} << log_size) - 2);  // two rows are the inputs'
  CUZK_CHECK_OK(formats::write_wtns<Bn254>(witness_path, chain.witness));
  CUZK_TRY(const auto trapdoor, groth16::Trapdoor<Fr>::random());
  CUZK_TRY(const auto key,
           groth16::setup<Bn254>(arena, chain.circuit, trapdoor, groth16::QuotientBasis::odd_coset_lagrange,
                                 RootFamily::iden3, &progress));
  return formats::write_zkey<Bn254>(key_path, key, chain.circuit);
}

}  // namespace

int main(int argc, char** argv) {
  const int log_size = argc == 4 ? std::atoi(argv[1]) : 0;
  if (log_size < 2 || log_size > 27) {
    std::fprintf(stderr, "usage: %s LOG_SIZE(2..27) KEY.zkey WITNESS.wtns\n", argv[0]);
    return 2;
  }
  const Status made = make(static_cast<unsigned>(log_size), argv[2], argv[3]);
  if (made) return 0;
  std::fprintf(stderr, "%s\n", made.error().to_string().c_str());
  return exit_status(made.error().code());
}
