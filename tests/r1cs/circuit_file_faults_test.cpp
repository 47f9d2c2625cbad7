// A fault of a former cache of compiled circuits: files that were trusted, and written by several at once under one
// name.
#include <algorithm>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "r1cs/circuit_file.h"
#include "r1cs/digest.h"
#include "r1cs/recording_system.h"
#include "tests/gen/seed.h"
#include "tests/r1cs/random_statements.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vectors.h"

namespace cuzk::r1cs {
namespace {

using Fr = bls12_381::Fr;
using test::must;

BlockCircuit<Fr> recorded(std::mt19937_64& random) {
  RecordingSystem<Fr> cs;
  test::RandomStatements<Fr>(random()).write(cs, 20);
  return std::move(cs).finish();
}

TEST(CircuitFileFaults, fault_A28_no_changed_byte_is_taken) {
  std::mt19937_64 random(test::run_seed());
  const test::TemporaryFolder folder;
  must(save_circuit<Fr>(folder.file("c.circuit"), "c", recorded(random)));
  const test::FileBytes good = test::read_file(folder.file("c.circuit"));
  for (int round = 0; round < 300; ++round) {
    test::FileBytes bytes = good;
    const std::size_t at = random() % bytes.size();
    bytes[at] ^= static_cast<std::byte>(1U << random() % 8);
    const auto owned = std::make_shared<const test::FileBytes>(std::move(bytes));
    const auto opened = parse_circuit<Fr>(Bytes(*owned), owned);
    ASSERT_FALSE(opened) << "byte " << at;
    EXPECT_EQ(opened.error().code(), Code::malformed);
  }
}

// Two circuits saved again and again under one name: whoever opens it finds one of the two, whole.
TEST(CircuitFileFaults, fault_A28_writers_at_once_leave_whole_files) {
  std::mt19937_64 random(test::run_seed());
  const std::array circuits = {recorded(random), recorded(random)};
  const std::array digests = {matrices_digest<Fr>(circuits[0]), matrices_digest<Fr>(circuits[1])};
  const test::TemporaryFolder folder;
  const std::string path = folder.file("c.circuit");
  must(save_circuit<Fr>(path, "c", circuits[0]));
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> writers;
    for (const auto& circuit : circuits) {
      for (int i = 0; i < 2; ++i) {
        writers.emplace_back([&] {
          for (int n = 0; n < 20; ++n) failed += save_circuit<Fr>(path, "c", circuit) ? 0 : 1;
        });
      }
    }
    for (int n = 0; n < 200; ++n) {
      const auto opened = open_circuit<Fr>(path);
      ASSERT_TRUE(opened) << opened.error().to_string();
      EXPECT_TRUE(std::ranges::find(digests, opened->matrices_sha256) != digests.end());
      EXPECT_EQ(matrices_digest<Fr>(*opened->circuit), opened->matrices_sha256);
    }
  }
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace cuzk::r1cs
