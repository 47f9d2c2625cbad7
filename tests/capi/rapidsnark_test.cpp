#include "cuzk/rapidsnark.h"

#include <filesystem>
#include <limits>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/capi/statement.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::test {
namespace {

using ::testing::HasSubstr;
using Size = unsigned long long;

/// The buffers of one call.
struct Buffers {
  std::vector<char> proof, public_inputs;
  Size proof_size, public_size;
  char error[512] = {};

  Buffers(Size for_proof, Size for_public)
      : proof(for_proof, '?'), public_inputs(for_public, '?'), proof_size(for_proof), public_size(for_public) {}

  int prove(void* prover, const FileBytes& wtns) {
    return groth16_prover_prove(prover, wtns.data(), wtns.size(), proof.data(), &proof_size, public_inputs.data(),
                                &public_size, error, sizeof error);
  }
  /// The texts end where the sizes say.
  bool terminated() const { return proof[proof_size] == '\0' && public_inputs[public_size] == '\0'; }
};

Size proof_capacity() {
  Size size = 0;
  groth16_proof_size(&size);
  return size;
}

Buffers buffers_for(const Statement& statement) {
  Size public_size = 0;
  EXPECT_EQ(groth16_public_size_for_zkey_buf(statement.zkey.data(), statement.zkey.size(), &public_size, nullptr, 0),
            PROVER_OK);
  return {proof_capacity(), public_size};
}

int verify(const Statement& statement, const Buffers& made) {
  return groth16_verify(made.proof.data(), made.public_inputs.data(), statement.vkey.c_str(), nullptr, 0);
}

class RapidsnarkOnCurve : public ::testing::TestWithParam<const char*> {
 protected:
  ~RapidsnarkOnCurve() override { groth16_prover_destroy(prover_); }

  void create() {
    char error[512] = {};
    ASSERT_EQ(groth16_prover_create(&prover_, statement_.zkey.data(), statement_.zkey.size(), error, sizeof error),
              PROVER_OK)
        << error;
  }
  void expect_proof() {
    Buffers made = buffers_for(statement_);
    ASSERT_EQ(made.prove(prover_, statement_.wtns), PROVER_OK) << made.error;
    EXPECT_TRUE(made.terminated());
    EXPECT_EQ(verify(statement_, made), VERIFIER_VALID_PROOF);
  }

  Statement statement_{GetParam()};
  void* prover_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Tiny, RapidsnarkOnCurve, ::testing::ValuesIn(kTinyOfEachCurve), test_name);

TEST_P(RapidsnarkOnCurve, ProvesWithAKeyInMemory) {
  create();
  expect_proof();
}

TEST_P(RapidsnarkOnCurve, OutlivesThePathOfItsFile) {
  const TemporaryFolder folder;
  const std::string copy = folder.file("circuit.zkey");
  std::filesystem::copy_file(statement_.zkey_path, copy);
  ASSERT_EQ(groth16_prover_create_zkey_file(&prover_, copy.c_str(), nullptr, 0), PROVER_OK);
  std::filesystem::remove(copy);
  expect_proof();
}

TEST_P(RapidsnarkOnCurve, ProvesInOneCall) {
  Buffers memory = buffers_for(statement_), file = buffers_for(statement_);
  EXPECT_EQ(groth16_prover(statement_.zkey.data(), statement_.zkey.size(), statement_.wtns.data(),
                           statement_.wtns.size(), memory.proof.data(), &memory.proof_size, memory.public_inputs.data(),
                           &memory.public_size, memory.error, sizeof memory.error),
            PROVER_OK)
      << memory.error;
  EXPECT_EQ(verify(statement_, memory), VERIFIER_VALID_PROOF);
  EXPECT_EQ(groth16_prover_zkey_file(statement_.zkey_path.c_str(), statement_.wtns.data(), statement_.wtns.size(),
                                     file.proof.data(), &file.proof_size, file.public_inputs.data(), &file.public_size,
                                     file.error, sizeof file.error),
            PROVER_OK)
      << file.error;
  EXPECT_EQ(verify(statement_, file), VERIFIER_VALID_PROOF);
}

TEST_P(RapidsnarkOnCurve, FourThreadsProveWithOneObject) {
  create();
  std::vector<Buffers> made(4, buffers_for(statement_));
  std::vector<int> codes(made.size(), -1);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < made.size(); ++i)
      threads.emplace_back([&, i] { codes[i] = made[i].prove(prover_, statement_.wtns); });
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(codes[i], PROVER_OK) << made[i].error;
    EXPECT_EQ(verify(statement_, made[i]), VERIFIER_VALID_PROOF);
  }
}

TEST_P(RapidsnarkOnCurve, ShortBuffersAreToldWhatSuffices) {
  create();
  for (const auto& [proof, public_inputs] : {std::pair<Size, Size>{1, 1}, {proof_capacity(), 1}, {1, 1000}}) {
    Buffers made(proof, public_inputs);
    ASSERT_EQ(made.prove(prover_, statement_.wtns), PROVER_ERROR_SHORT_BUFFER);
    EXPECT_THAT(made.error, HasSubstr("short"));
    EXPECT_EQ(made.proof, std::vector<char>(proof, '?')) << "nothing is written";
    EXPECT_EQ(made.public_inputs, std::vector<char>(public_inputs, '?'));
    // Proofs are random and so are their lengths: what is asked for suffices for each of them.
    for (int repetition = 0; repetition < 4; ++repetition) {
      Buffers enough(made.proof_size, made.public_size);
      ASSERT_EQ(enough.prove(prover_, statement_.wtns), PROVER_OK) << enough.error;
      EXPECT_EQ(verify(statement_, enough), VERIFIER_VALID_PROOF);
    }
  }
}

TEST_P(RapidsnarkOnCurve, NoBuffersAskForSizes) {
  create();
  Size proof_size = 0, public_size = 0;
  EXPECT_EQ(groth16_prover_prove(prover_, statement_.wtns.data(), statement_.wtns.size(), nullptr, &proof_size, nullptr,
                                 &public_size, nullptr, 0),
            PROVER_ERROR_SHORT_BUFFER);
  EXPECT_EQ(proof_size, proof_capacity());
  EXPECT_GT(public_size, 2U);
}

TEST_P(RapidsnarkOnCurve, ExactBuffersSuffice) {
  create();
  Buffers first = buffers_for(statement_);
  ASSERT_EQ(first.prove(prover_, statement_.wtns), PROVER_OK);
  Buffers exact(proof_capacity(), first.public_size + 1), less(proof_capacity(), first.public_size);
  EXPECT_EQ(exact.prove(prover_, statement_.wtns), PROVER_OK) << "the text and its NUL";
  EXPECT_EQ(less.prove(prover_, statement_.wtns), PROVER_ERROR_SHORT_BUFFER);
  EXPECT_EQ(less.public_size, first.public_size + 1);
}

TEST_P(RapidsnarkOnCurve, AWitnessOfAnotherLengthHasItsOwnCode) {
  create();
  const char* const other = std::string(GetParam()) == "tiny-bn254" ? "nopub-bn254" : "mimc8-bls12-381";
  Buffers made = buffers_for(statement_);
  EXPECT_EQ(made.prove(prover_, Statement(other).wtns), PROVER_INVALID_WITNESS_LENGTH);
  EXPECT_STRNE(made.error, "");
}

TEST_P(RapidsnarkOnCurve, VerifierCodes) {
  const Statement& s = statement_;
  char error[512] = {};
  const auto verdict = [&](const std::string& proof, const std::string& inputs, const std::string& vkey) {
    return groth16_verify(proof.c_str(), inputs.c_str(), vkey.c_str(), error, sizeof error);
  };
  EXPECT_EQ(verdict(s.proof, s.public_inputs, s.vkey), VERIFIER_VALID_PROOF);
  EXPECT_EQ(verdict(s.proof, R"(["7"])", s.vkey), VERIFIER_INVALID_PROOF);
  EXPECT_STRNE(error, "");
  EXPECT_EQ(verdict(s.proof, "[]", s.vkey), VERIFIER_ERROR);
  EXPECT_EQ(verdict(s.proof, R"([" 7"])", s.vkey), VERIFIER_ERROR);
  EXPECT_EQ(verdict("{}", s.public_inputs, s.vkey), VERIFIER_ERROR);
  EXPECT_EQ(verdict(s.proof, s.public_inputs, ""), VERIFIER_ERROR);
}

TEST(Rapidsnark, ThePublicSizeHoldsForTheLargestValues) {
  // A value has at most 77 digits, and there are two quotes and a comma; the file form says the same as the buffer
  // form.
  const Statement statement("elim-bn254");
  Size of_buffer = 0, of_file = 0;
  EXPECT_EQ(groth16_public_size_for_zkey_buf(statement.zkey.data(), statement.zkey.size(), &of_buffer, nullptr, 0),
            PROVER_OK);
  EXPECT_EQ(groth16_public_size_for_zkey_file(statement.zkey_path.c_str(), &of_file, nullptr, 0), PROVER_OK);
  EXPECT_EQ(of_buffer, of_file);
  EXPECT_GE(of_buffer, 3U * (77 + 3) + 2);
  EXPECT_LE(of_buffer, 1024U);
}

TEST(Rapidsnark, AnEmptyPublicListIsAnEmptyArray) {
  const Statement statement("nopub-bn254");
  Buffers made = buffers_for(statement);
  ASSERT_EQ(groth16_prover_zkey_file(statement.zkey_path.c_str(), statement.wtns.data(), statement.wtns.size(),
                                     made.proof.data(), &made.proof_size, made.public_inputs.data(), &made.public_size,
                                     nullptr, 0),
            PROVER_OK);
  EXPECT_STREQ(made.public_inputs.data(), "[]");
  EXPECT_EQ(made.public_size, 2U);
}

TEST(Rapidsnark, ErrorTextsAreCutToFit) {
  void* prover = nullptr;
  char whole[512];
  EXPECT_EQ(groth16_prover_create_zkey_file(&prover, "no/such/circuit.zkey", whole, sizeof whole), PROVER_ERROR);
  EXPECT_THAT(whole, HasSubstr("no/such/circuit.zkey"));
  for (const Size capacity : {Size{0}, Size{1}, Size{2}, Size{10}}) {
    std::string cut(32, '?');
    EXPECT_EQ(groth16_prover_create_zkey_file(&prover, "no/such/circuit.zkey", cut.data(), capacity), PROVER_ERROR);
    const std::string kept = capacity == 0 ? "" : std::string(whole).substr(0, capacity - 1) + '\0';
    EXPECT_EQ(cut, kept + std::string(32 - kept.size(), '?')) << capacity;
  }
  EXPECT_EQ(groth16_prover_create_zkey_file(&prover, "no/such/circuit.zkey", nullptr, 100), PROVER_ERROR);
  EXPECT_EQ(prover, nullptr);
}

TEST(Rapidsnark, NullArgumentsAreErrors) {
  const Statement s("tiny-bn254");
  const void* const zkey = s.zkey.data();
  const Size zkey_size = s.zkey.size();
  Size size = 0;
  void* prover = nullptr;
  char text[64] = {};
  EXPECT_EQ(groth16_public_size_for_zkey_buf(nullptr, 1, &size, nullptr, 0), PROVER_ERROR);
  EXPECT_EQ(groth16_public_size_for_zkey_buf(zkey, zkey_size, nullptr, nullptr, 0), PROVER_ERROR);
  EXPECT_EQ(groth16_public_size_for_zkey_file(nullptr, &size, nullptr, 0), PROVER_ERROR);
  EXPECT_EQ(groth16_prover_create(nullptr, zkey, zkey_size, nullptr, 0), PROVER_ERROR);
  EXPECT_EQ(groth16_prover_create(&prover, nullptr, 0, text, sizeof text), PROVER_ERROR);
  EXPECT_THAT(text, HasSubstr("NULL"));
  EXPECT_EQ(groth16_prover_create_zkey_file(&prover, nullptr, nullptr, 0), PROVER_ERROR);
  EXPECT_EQ(groth16_prover_prove(nullptr, s.wtns.data(), s.wtns.size(), text, &size, text, &size, nullptr, 0),
            PROVER_ERROR);
  EXPECT_EQ(groth16_prover(zkey, zkey_size, nullptr, 0, text, &size, text, &size, nullptr, 0), PROVER_ERROR);
  EXPECT_EQ(groth16_prover(zkey, zkey_size, s.wtns.data(), s.wtns.size(), text, nullptr, text, &size, nullptr, 0),
            PROVER_ERROR);
  EXPECT_EQ(groth16_prover_zkey_file(nullptr, s.wtns.data(), s.wtns.size(), text, &size, text, &size, nullptr, 0),
            PROVER_ERROR);
  EXPECT_EQ(groth16_verify(nullptr, "[]", "{}", nullptr, 0), VERIFIER_ERROR);
  EXPECT_EQ(groth16_verify("{}", nullptr, "{}", nullptr, 0), VERIFIER_ERROR);
  EXPECT_EQ(groth16_verify("{}", "[]", nullptr, nullptr, 0), VERIFIER_ERROR);
  groth16_proof_size(nullptr);
  groth16_prover_destroy(nullptr);
}

TEST(Rapidsnark, DamagedKeysAndWitnessesAreErrors) {
  void* prover = nullptr;
  char error[512] = {};
  const FileBytes cut = malformed("z-cut-s5.zkey");
  EXPECT_EQ(groth16_prover_create(&prover, cut.data(), cut.size(), error, sizeof error), PROVER_ERROR);
  EXPECT_STRNE(error, "");
  const std::string path = vector_path("circom/malformed/z-cut-s5.zkey").string();
  EXPECT_EQ(groth16_prover_create_zkey_file(&prover, path.c_str(), error, sizeof error), PROVER_ERROR);
  EXPECT_THAT(error, HasSubstr("z-cut-s5.zkey"));
  EXPECT_EQ(prover, nullptr);

  const Statement statement("tiny-bn254");
  for (const char* name : {"w-cut.wtns", "w-geq-r.wtns", "w-one-not-1.wtns", "w-unsatisfied.wtns"}) {
    Buffers made = buffers_for(statement);
    EXPECT_EQ(groth16_prover_zkey_file(statement.zkey_path.c_str(), malformed(name).data(), malformed(name).size(),
                                       made.proof.data(), &made.proof_size, made.public_inputs.data(),
                                       &made.public_size, nullptr, 0),
              PROVER_ERROR)
        << name;
    EXPECT_EQ(made.proof[0], '?');
  }
}

}  // namespace
}  // namespace cuzk::test
