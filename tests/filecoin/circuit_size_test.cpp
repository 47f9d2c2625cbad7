// A fault of a former compiled circuit: 36 bytes for each non-zero of the matrices.
#include <filesystem>

#include <gtest/gtest.h>

#include "filecoin/params/compiled_circuit.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::filecoin {
namespace {

TEST(CircuitSizeTest, fault_B06_a_compiled_circuit_is_a_small_part_of_its_matrices) {
  constexpr std::uint64_t kPlainBytes = 4 + 32;  // of a non-zero: its column, its coefficient
  const test::TemporaryFolder folder;
  for (const char* id : {"winning-2k", "wpost-2k"}) {
    const Circuit circuit = test::must(find_circuit(id));
    const CompiledCircuit compiled = test::must(compiled_circuit(circuit, folder.path().string()));
    const std::uint64_t plain = compiled.matrices->non_zeros().total() * kPlainBytes;
    EXPECT_LT(std::filesystem::file_size(circuit_path(circuit, folder.path().string())), plain / 50) << id;
  }
}

}  // namespace
}  // namespace cuzk::filecoin
