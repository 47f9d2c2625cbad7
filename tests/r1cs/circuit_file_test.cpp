#include "r1cs/circuit_file.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "r1cs/density.h"
#include "r1cs/digest.h"
#include "r1cs/recording_system.h"
#include "r1cs/row_circuit.h"
#include "tests/gen/seed.h"
#include "tests/r1cs/random_statements.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vectors.h"

namespace cuzk::r1cs {
namespace {

using test::FileBytes;
using test::must;

// Where the header keeps what the tests damage; docs/formats/circuit.md.
constexpr std::size_t kLabelLength = 12, kPrime = 16, kInputs = 112, kAux = 120, kNonZeros = 136, kDense = 160;
constexpr std::size_t kCounts = 184, kDigest = 232, kHeaderBytes = 320;

template <class F> class CircuitFileTest : public testing::Test {
 protected:
  BlockCircuit<F> recorded(std::size_t pieces = 40) {
    RecordingSystem<F> cs;
    test::RandomStatements<F>(random()).write(cs, pieces);
    return std::move(cs).finish();
  }
  FileBytes file_of(const BlockCircuit<F>& circuit, std::string_view label = "test-1") {
    const test::TemporaryFolder folder;
    must(save_circuit<F>(folder.file("c.circuit"), label, circuit));
    return test::read_file(folder.file("c.circuit"));
  }
  static Result<CircuitFile<F>> parse(FileBytes bytes, Checksum checksum = Checksum::check) {
    auto owned = std::make_shared<const FileBytes>(std::move(bytes));
    return parse_circuit<F>(Bytes(*owned), owned, checksum);
  }
  /// The kind of fault of a file whose bytes at `at` are replaced; the checksum is not asked.
  template <class T> static Kind kind_with(FileBytes file, std::size_t at, T value) {
    store_le(file.data() + at, value);
    const auto parsed = parse(std::move(file), Checksum::skip);
    return parsed ? Kind::none : parsed.error().kind();
  }
  /// Walks over everything that a circuit leads to.
  static void use(const CircuitFile<F>& file) {
    const auto& circuit = *file.circuit;
    if (circuit.num_constraints() > 1'000'000) return;
    std::size_t terms = 0;
    circuit.visit_rows(0, circuit.num_constraints(), [&](const Row& row) {
      for (const auto side : {row.a, row.b, row.c}) {
        for (const Term& term : side) ASSERT_LT(term.wire, circuit.num_variables());
        terms += side.size();
      }
    });
    EXPECT_EQ(terms, circuit.non_zeros().total());
  }

  std::mt19937_64 random{test::run_seed()};
};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(CircuitFileTest, Fields);

TYPED_TEST(CircuitFileTest, WhatWasSavedIsOpened) {
  using Fr = TypeParam;
  for (const std::size_t pieces : {0u, 1u, 300u}) {
    const auto circuit = this->recorded(pieces);
    const test::TemporaryFolder folder;
    const auto saved = must(save_circuit<Fr>(folder.file("c.circuit"), "porep-32g", circuit));
    const auto opened = must(open_circuit<Fr>(folder.file("c.circuit")));
    EXPECT_EQ(opened.label, "porep-32g");
    EXPECT_EQ(opened.matrices_sha256, matrices_digest<Fr>(circuit));
    EXPECT_EQ(opened.matrices_sha256, saved.matrices_sha256);
    EXPECT_EQ(matrices_digest<Fr>(*opened.circuit), opened.matrices_sha256);
    EXPECT_EQ(opened.circuit->num_inputs(), circuit.num_inputs());
    EXPECT_EQ(opened.circuit->num_aux(), circuit.num_aux());
    EXPECT_EQ(opened.circuit->non_zeros(), circuit.non_zeros());
    EXPECT_EQ(opened.densities, density_counts<Fr>(circuit));
    for (std::size_t i = 0; i < circuit.num_aux(); ++i) EXPECT_EQ(opened.circuit->is_bit(i), circuit.is_bit(i));
    using Entries = std::filesystem::directory_iterator;
    EXPECT_EQ(std::distance(Entries(folder.path()), Entries()), 1) << "nothing stays beside it";
    this->use(opened);
  }
}

TYPED_TEST(CircuitFileTest, SeveralMaySaveOneFileAtOnce) {
  using Fr = TypeParam;
  const auto circuit = this->recorded(4);
  const test::TemporaryFolder folder;
  std::vector<std::thread> threads;
  std::atomic<unsigned> saved = 0;
  constexpr unsigned kThreads = 4, kTimes = 20;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (unsigned i = 0; i < kTimes; ++i)
        saved += save_circuit<Fr>(folder.file("c.circuit"), "c", circuit).has_value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(saved, kThreads * kTimes);
  EXPECT_EQ(must(open_circuit<Fr>(folder.file("c.circuit"))).matrices_sha256, matrices_digest<Fr>(circuit));
}

TYPED_TEST(CircuitFileTest, UnalignedBytesAreCopied) {
  const auto file = this->file_of(this->recorded());
  FileBytes shifted(file.size() + 1);
  std::copy(file.begin(), file.end(), shifted.begin() + 1);
  const auto parsed = must(parse_circuit<TypeParam>(Bytes(shifted).subspan(1), nullptr));
  this->use(parsed);
}

TYPED_TEST(CircuitFileTest, ShortenedFilesAreRefused) {
  const auto file = this->file_of(this->recorded(4));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto parsed = this->parse(FileBytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
    ASSERT_FALSE(parsed) << size;
    if (size >= 8) {
      EXPECT_EQ(parsed.error().kind(), Kind::truncated) << size;
    } else {
      EXPECT_EQ(parsed.error().kind(), Kind::bad_magic) << size;
    }
  }
  FileBytes longer(file);
  longer.push_back(std::byte{0});
  EXPECT_EQ(this->parse(longer).error().kind(), Kind::trailing_bytes);
}

TYPED_TEST(CircuitFileTest, EveryChangedByteIsNoticed) {
  const auto file = this->file_of(this->recorded(4));
  for (int round = 0; round < 300; ++round) {
    FileBytes damaged(file);
    damaged[this->random() % file.size()] ^= static_cast<std::byte>(1 + this->random() % 255);
    EXPECT_FALSE(this->parse(std::move(damaged)));
  }
}

TYPED_TEST(CircuitFileTest, WithoutTheChecksumNothingLeavesItsArrays) {
  const auto file = this->file_of(this->recorded(20));
  for (int round = 0; round < 5000; ++round) {
    FileBytes damaged(file);
    for (std::uint64_t change = 1 + this->random() % 3; change > 0; --change) {
      damaged[this->random() % file.size()] = static_cast<std::byte>(this->random());
    }
    const auto parsed = this->parse(std::move(damaged), Checksum::skip);
    if (parsed) this->use(*parsed);
  }
}

TYPED_TEST(CircuitFileTest, FaultsAreNamed) {
  const auto file = this->file_of(this->recorded(40));
  const auto kind = [&](std::size_t at, auto value) { return this->kind_with(file, at, value); };
  const auto number = [&](std::size_t at) { return load_le<std::uint64_t>(file.data() + at); };
  EXPECT_EQ(kind(0, u64{0}), Kind::bad_magic);
  EXPECT_EQ(kind(8, std::uint32_t{2}), Kind::bad_version);
  EXPECT_EQ(kind(kLabelLength, std::uint32_t{65}), Kind::bad_length);
  EXPECT_EQ(kind(kPrime, number(kPrime) + 2), Kind::curve_mismatch);
  EXPECT_EQ(kind(kInputs, u64{0}), Kind::bad_count);
  EXPECT_EQ(kind(kInputs, u64{1} << 40), Kind::bad_count);
  EXPECT_NE(kind(kInputs, u64{1}), Kind::none);  // other dense inputs, or a port out of range
  EXPECT_EQ(kind(kAux, u64{1} << 40), Kind::bad_count);
  EXPECT_EQ(kind(kNonZeros, number(kNonZeros) + 1), Kind::bad_count);
  EXPECT_EQ(kind(kDense, number(kDense) + 1), Kind::bad_count);
  for (std::size_t count = 0; count < 6; ++count) {
    EXPECT_EQ(kind(kCounts + 8 * count, u64{1} << 60), Kind::truncated) << count;
  }
  EXPECT_EQ(kind(kHeaderBytes, u64{2}), Kind::bad_count);  // the first coefficient is 1
  EXPECT_EQ(kind(kHeaderBytes + 24, ~u64{0}), Kind::non_canonical);
  EXPECT_EQ(kind(kDigest, number(kDigest) ^ 1), Kind::none);  // the digest itself is not recomputed
}

TYPED_TEST(CircuitFileTest, AnotherFieldIsRefused) {
  using Other = std::conditional_t<std::is_same_v<TypeParam, bn254::Fr>, bls12_381::Fr, bn254::Fr>;
  const auto file = this->file_of(this->recorded());
  const auto parsed = parse_circuit<Other>(Bytes(file), nullptr);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind(), Kind::curve_mismatch);
}

TYPED_TEST(CircuitFileTest, LabelsAreShortAndPrintable) {
  const test::TemporaryFolder folder;
  const auto circuit = this->recorded();
  for (const std::string& label : {std::string(65, 'x'), std::string("two\nlines")}) {
    const auto saved = save_circuit<TypeParam>(folder.file("c.circuit"), label, circuit);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code(), Code::invalid_argument);
    EXPECT_FALSE(std::filesystem::exists(folder.file("c.circuit")));
  }
}

TYPED_TEST(CircuitFileTest, ErrorsOfSavingNameTheFileThatWasAskedFor) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("no/such/folder/c.circuit");
  const auto saved = save_circuit<TypeParam>(path, "c", this->recorded());
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), Code::not_found);
  ASSERT_NE(saved.error().where(), nullptr);
  EXPECT_EQ(saved.error().where()->file, path);
  EXPECT_EQ(saved.error().message().find("unchecked"), std::string::npos) << saved.error().message();
}

TYPED_TEST(CircuitFileTest, TheMagicTellsTheFieldToo) {
  const auto file = this->file_of(this->recorded());
  EXPECT_TRUE(is_circuit_file(file));
  EXPECT_TRUE(is_circuit_over(file, TypeParam::modulus));
  EXPECT_FALSE(is_circuit_over(file, U256::from_u64(7)));
  EXPECT_FALSE(is_circuit_over(Bytes(file).first(20), TypeParam::modulus));
  EXPECT_FALSE(is_circuit_file(Bytes(file).first(7)));
}

TYPED_TEST(CircuitFileTest, DensitiesAreThoseOfTheRows) {
  using Fr = TypeParam;
  for (const std::size_t pieces : {0u, 3u, 200u}) {
    const auto circuit = this->recorded(pieces);
    const auto rows = to_rows<Fr>(circuit);
    const auto found = densities<Fr>(circuit);
    const auto expected = densities<Fr>(rows);
    EXPECT_EQ(found.a, expected.a);
    EXPECT_EQ(found.b, expected.b);
    EXPECT_EQ(density_counts<Fr>(circuit), density_counts<Fr>(rows));
  }
}

}  // namespace
}  // namespace cuzk::r1cs
