// A fault of a former evaluation: the witness was copied as a whole before the rows were.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "groth16/evaluate.h"
#include "r1cs/row_circuit.h"

namespace {

std::atomic<bool> watching = false;
std::atomic<std::size_t> largest = 0;

void* allocate(std::size_t size) {
  if (watching) {
    std::size_t seen = largest;
    while (seen < size && !largest.compare_exchange_weak(seen, size)) {
    }
  }
  if (void* const memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Of the whole test program; nothing but watched.
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace cuzk::groth16 {
namespace {

using Fr = bls12_381::Fr;

/// Rows of few terms and few coefficients, as real circuits have them.
r1cs::RowCircuit<Fr> long_circuit(std::uint32_t variables) {
  r1cs::CircuitBuilder<Fr> builder(variables, 1);
  using Side = r1cs::CircuitBuilder<Fr>::Side;
  for (std::uint32_t i = 0; i + 2 < variables; ++i) {
    builder.add_term(Side::a, i, Fr::one());
    builder.add_term(Side::a, i + 1, Fr::from_u64(2));
    builder.add_term(Side::b, i + 1, Fr::one());
    builder.add_term(Side::c, i + 2, Fr::one());
    builder.end_constraint();
  }
  return std::move(builder).finish();
}

TEST(EvaluateFaults, fault_B07_no_copy_of_the_witness_is_made) {
  constexpr std::uint32_t kVariables = 20'000;
  Arena arena(2);
  const auto circuit = long_circuit(kVariables);
  const std::vector<U256> witness(kVariables, U256::from_u64(3));
  std::vector<Fr> a(32'768), b(32'768), c(32'768);
  largest = 0;
  watching = true;
  evaluate<Fr>(arena, circuit, witness, a, b, c);
  watching = false;
  EXPECT_LT(largest, witness.size() * sizeof(U256) / 8);
  watching = true;
  const std::vector<U256> copy(witness.begin(), witness.end());
  watching = false;
  EXPECT_GE(largest, copy.size() * sizeof(U256)) << "a copy would have been seen";
}

}  // namespace
}  // namespace cuzk::groth16
