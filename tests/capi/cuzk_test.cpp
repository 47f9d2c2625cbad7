#include "cuzk/cuzk.h"

#include <filesystem>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/capi/statement.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::test {
namespace {

using ::testing::HasSubstr;

/// The C objects of one test, freed at its end.
struct Objects {
  cuzk_prover* prover = nullptr;
  cuzk_error* error = nullptr;
  cuzk_string proof{nullptr, 0}, public_inputs{nullptr, 0}, vkey{nullptr, 0};

  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects() {
    cuzk_string_free(&proof);
    cuzk_string_free(&public_inputs);
    cuzk_string_free(&vkey);
    cuzk_error_free(error);
    cuzk_prover_free(prover);
  }

  cuzk_code open(const FileBytes& zkey, const cuzk_options* options = nullptr) {
    return cuzk_prover_open_buffer(zkey.data(), zkey.size(), options, &prover, &error);
  }
  cuzk_code prove(const FileBytes& wtns) {
    return cuzk_prover_prove(prover, wtns.data(), wtns.size(), &proof, &public_inputs, &error);
  }
  std::string message() const { return cuzk_error_message(error); }
  std::string kind() const { return cuzk_error_kind(error); }
};

cuzk_code verify(const std::string& vkey, const std::string& public_inputs, const std::string& proof,
                 cuzk_error** error = nullptr) {
  return cuzk_verify(vkey.data(), vkey.size(), public_inputs.data(), public_inputs.size(), proof.data(), proof.size(),
                     error);
}

std::string text(const cuzk_string& string) { return {string.data, string.length}; }

class CuzkOnCurve : public ::testing::TestWithParam<const char*> {
 protected:
  Statement statement_{GetParam()};
  Objects objects_;

  void expect_proof() {
    ASSERT_EQ(objects_.prove(statement_.wtns), CUZK_OK) << objects_.message();
    EXPECT_EQ(objects_.proof.data[objects_.proof.length], '\0');
    EXPECT_EQ(objects_.public_inputs.data[objects_.public_inputs.length], '\0');
    EXPECT_EQ(verify(statement_.vkey, text(objects_.public_inputs), text(objects_.proof)), CUZK_OK);
    EXPECT_EQ(verify(statement_.vkey, statement_.public_inputs, text(objects_.proof)), CUZK_OK);
  }
};

INSTANTIATE_TEST_SUITE_P(Tiny, CuzkOnCurve, ::testing::ValuesIn(kTinyOfEachCurve), test_name);

TEST_P(CuzkOnCurve, ProvesWithAKeyInMemory) {
  ASSERT_EQ(objects_.open(statement_.zkey), CUZK_OK) << objects_.message();
  expect_proof();
}

TEST_P(CuzkOnCurve, ProvesWithAKeyFile) {
  ASSERT_EQ(cuzk_prover_open_file(statement_.zkey_path.c_str(), nullptr, &objects_.prover, &objects_.error), CUZK_OK)
      << objects_.message();
  expect_proof();
}

TEST_P(CuzkOnCurve, OutlivesThePathOfItsFile) {
  const TemporaryFolder folder;
  const std::string copy = folder.file("circuit.zkey");
  std::filesystem::copy_file(statement_.zkey_path, copy);
  ASSERT_EQ(cuzk_prover_open_file(copy.c_str(), nullptr, &objects_.prover, &objects_.error), CUZK_OK);
  std::filesystem::remove(copy);
  expect_proof();
}

TEST_P(CuzkOnCurve, SaysWhatTheKeyIs) {
  ASSERT_EQ(objects_.open(statement_.zkey), CUZK_OK);
  EXPECT_EQ("tiny-" + std::string(cuzk_prover_curve(objects_.prover)), GetParam());
  EXPECT_EQ(cuzk_prover_num_public(objects_.prover), 1U);
  EXPECT_EQ(cuzk_prover_num_variables(objects_.prover), 4U);
}

TEST_P(CuzkOnCurve, GivesItsVerificationKey) {
  ASSERT_EQ(objects_.open(statement_.zkey), CUZK_OK);
  ASSERT_EQ(cuzk_prover_verification_key(objects_.prover, &objects_.vkey, &objects_.error), CUZK_OK);
  EXPECT_EQ(verify(text(objects_.vkey), statement_.public_inputs, statement_.proof), CUZK_OK);
}

TEST_P(CuzkOnCurve, OutputsMayBeNull) {
  ASSERT_EQ(objects_.open(statement_.zkey), CUZK_OK);
  const auto prove = [&](cuzk_string* proof, cuzk_string* public_inputs) {
    return cuzk_prover_prove(objects_.prover, statement_.wtns.data(), statement_.wtns.size(), proof, public_inputs,
                             nullptr);
  };
  EXPECT_EQ(prove(nullptr, nullptr), CUZK_OK);
  EXPECT_EQ(prove(&objects_.proof, nullptr), CUZK_OK);
  EXPECT_EQ(prove(nullptr, &objects_.public_inputs), CUZK_OK);
  EXPECT_EQ(verify(statement_.vkey, text(objects_.public_inputs), text(objects_.proof)), CUZK_OK);
}

TEST_P(CuzkOnCurve, FourThreadsProveWithOneKey) {
  ASSERT_EQ(objects_.open(statement_.zkey), CUZK_OK);
  std::vector<std::string> proofs(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 2 * t; i < 2 * t + 2; ++i) {
          cuzk_string proof{nullptr, 0};
          const cuzk_code code = cuzk_prover_prove(objects_.prover, statement_.wtns.data(), statement_.wtns.size(),
                                                   &proof, nullptr, nullptr);
          if (code == CUZK_OK) proofs[i] = text(proof);
          cuzk_string_free(&proof);
        }
      });
    }
  }
  std::sort(proofs.begin(), proofs.end());
  EXPECT_EQ(std::unique(proofs.begin(), proofs.end()), proofs.end()) << "each proof has randomness of its own";
  for (const std::string& proof : proofs) EXPECT_EQ(verify(statement_.vkey, statement_.public_inputs, proof), CUZK_OK);
}

TEST_P(CuzkOnCurve, RefusesAProofForOtherInputs) {
  Objects& o = objects_;
  EXPECT_EQ(verify(statement_.vkey, R"(["7"])", statement_.proof, &o.error), CUZK_UNSATISFIED);
  EXPECT_EQ(cuzk_error_code(o.error), CUZK_UNSATISFIED);
  EXPECT_EQ(o.kind(), "invalid_proof");
}

TEST_P(CuzkOnCurve, RefusesWhatIsNoStatement) {
  EXPECT_EQ(verify("{", statement_.public_inputs, statement_.proof), CUZK_MALFORMED);
  EXPECT_EQ(verify(statement_.vkey, "[]", statement_.proof), CUZK_MALFORMED);
  EXPECT_EQ(verify(statement_.vkey, R"(["-1"])", statement_.proof), CUZK_MALFORMED);
  EXPECT_EQ(verify(statement_.vkey, statement_.public_inputs, ""), CUZK_MALFORMED);
}

TEST_P(CuzkOnCurve, RefusesAKeyWithoutContributionUnlessTold) {
  const std::size_t g2_bytes = std::string(GetParam()) == "tiny-bn254" ? 128 : 192;
  const FileBytes insecure = without_contribution(statement_.zkey, g2_bytes);
  EXPECT_NE(objects_.open(insecure), CUZK_OK);
  EXPECT_EQ(objects_.prover, nullptr);
  EXPECT_THAT(objects_.message(), HasSubstr("contribution"));

  Objects told;
  cuzk_options options = CUZK_OPTIONS_INIT;
  options.allow_insecure_key = 1;
  EXPECT_EQ(told.open(insecure, &options), CUZK_OK) << told.message();
}

TEST(Cuzk, ProvesWithoutPublicInputs) {
  const Statement statement("nopub-bn254");
  Objects o;
  ASSERT_EQ(o.open(statement.zkey), CUZK_OK);
  ASSERT_EQ(o.prove(statement.wtns), CUZK_OK) << o.message();
  EXPECT_EQ(text(o.public_inputs), statement.public_inputs);
  EXPECT_EQ(verify(statement.vkey, "[]", text(o.proof)), CUZK_OK);
}

TEST(Cuzk, RefusesWitnessesOfOtherCircuits) {
  const Statement statement("tiny-bn254");
  for (const auto& [other, kind] :
       {std::pair("nopub-bn254", "witness_length_mismatch"), {"tiny-bls12-381", "curve_mismatch"}}) {
    Objects o;
    ASSERT_EQ(o.open(statement.zkey), CUZK_OK);
    EXPECT_EQ(o.prove(Statement(other).wtns), CUZK_MALFORMED);
    EXPECT_EQ(o.kind(), kind);
    EXPECT_EQ(o.proof.data, nullptr);
    EXPECT_EQ(o.public_inputs.data, nullptr);
  }
}

TEST(Cuzk, RefusesAWitnessThatDoesNotSatisfy) {
  Objects o;
  const Statement statement("tiny-bn254");
  ASSERT_EQ(o.open(statement.zkey), CUZK_OK);
  EXPECT_EQ(o.prove(malformed("w-unsatisfied.wtns")), CUZK_UNSATISFIED);
  EXPECT_EQ(o.proof.data, nullptr);
}

TEST(Cuzk, TheErrorOfAMissingFileNamesIt) {
  Objects o;
  EXPECT_EQ(cuzk_prover_open_file("no/such/circuit.zkey", nullptr, &o.prover, &o.error), CUZK_NOT_FOUND);
  EXPECT_EQ(cuzk_error_code(o.error), CUZK_NOT_FOUND);
  EXPECT_THAT(o.message(), HasSubstr("no/such/circuit.zkey"));
  EXPECT_EQ(o.kind(), "");
  EXPECT_EQ(o.prover, nullptr);
}

TEST(Cuzk, TheErrorOfADamagedFileNamesFileAndKind) {
  Objects o;
  const std::string path = vector_path("circom/malformed/z-cut-s5.zkey").string();
  EXPECT_EQ(cuzk_prover_open_file(path.c_str(), nullptr, &o.prover, &o.error), CUZK_MALFORMED);
  EXPECT_EQ(o.kind(), "truncated");
  EXPECT_THAT(o.message(), HasSubstr("z-cut-s5.zkey"));
}

TEST(Cuzk, ChecksEveryPointWhenTold) {
  const FileBytes zkey = malformed("z-bn-g2-subgroup.zkey");
  Objects o;
  cuzk_options options = CUZK_OPTIONS_INIT;
  options.check_points = 1;
  EXPECT_EQ(o.open(zkey, &options), CUZK_MALFORMED);
  EXPECT_EQ(o.kind(), "not_in_subgroup");
}

TEST(Cuzk, OptionsOfAnotherSizeOrWithTooManyThreadsAreRefused) {
  const Statement statement("tiny-bn254");
  Objects size, threads, allowed;
  cuzk_options options = CUZK_OPTIONS_INIT;
  options.size = 4;
  EXPECT_EQ(size.open(statement.zkey, &options), CUZK_INVALID_ARGUMENT);
  EXPECT_THAT(size.message(), HasSubstr("CUZK_OPTIONS_INIT"));
  options = CUZK_OPTIONS_INIT;
  options.threads = CUZK_MAX_THREADS + 1;
  EXPECT_EQ(threads.open(statement.zkey, &options), CUZK_INVALID_ARGUMENT);
  EXPECT_THAT(threads.message(), HasSubstr("4097"));
  options.threads = 3;
  ASSERT_EQ(allowed.open(statement.zkey, &options), CUZK_OK);
  EXPECT_EQ(allowed.prove(statement.wtns), CUZK_OK);
}

TEST(Cuzk, NullArgumentsAreRefused) {
  const Statement statement("tiny-bn254");
  Objects o;
  const std::byte* const zkey = statement.zkey.data();
  EXPECT_EQ(cuzk_prover_open_file(nullptr, nullptr, &o.prover, nullptr), CUZK_INVALID_ARGUMENT);
  EXPECT_EQ(cuzk_prover_open_file(statement.zkey_path.c_str(), nullptr, nullptr, nullptr), CUZK_INVALID_ARGUMENT);
  EXPECT_EQ(cuzk_prover_open_buffer(nullptr, 1, nullptr, &o.prover, nullptr), CUZK_INVALID_ARGUMENT);
  EXPECT_EQ(cuzk_prover_open_buffer(zkey, statement.zkey.size(), nullptr, nullptr, nullptr), CUZK_INVALID_ARGUMENT);
  ASSERT_EQ(o.open(statement.zkey), CUZK_OK);
  EXPECT_EQ(cuzk_prover_prove(nullptr, statement.wtns.data(), 1, &o.proof, nullptr, nullptr), CUZK_INVALID_ARGUMENT);
  EXPECT_EQ(cuzk_prover_prove(o.prover, nullptr, 1, &o.proof, nullptr, nullptr), CUZK_INVALID_ARGUMENT);
  EXPECT_EQ(cuzk_prover_verification_key(nullptr, &o.vkey, nullptr), CUZK_INVALID_ARGUMENT);
  EXPECT_EQ(cuzk_prover_verification_key(o.prover, nullptr, nullptr), CUZK_INVALID_ARGUMENT);
  EXPECT_EQ(cuzk_verify(nullptr, 1, "[]", 2, "{}", 2, nullptr), CUZK_INVALID_ARGUMENT);
  EXPECT_EQ(cuzk_verify("{}", 2, nullptr, 1, "{}", 2, nullptr), CUZK_INVALID_ARGUMENT);
  EXPECT_EQ(cuzk_verify("{}", 2, "[]", 2, nullptr, 1, &o.error), CUZK_INVALID_ARGUMENT);
  EXPECT_THAT(o.message(), HasSubstr("proof_json"));
}

TEST(Cuzk, NothingHasNoPropertiesAndIsFreedWithoutHarm) {
  EXPECT_STREQ(cuzk_prover_curve(nullptr), "");
  EXPECT_EQ(cuzk_prover_num_public(nullptr), 0U);
  EXPECT_EQ(cuzk_prover_num_variables(nullptr), 0U);
  EXPECT_STREQ(cuzk_error_message(nullptr), "");
  EXPECT_STREQ(cuzk_error_kind(nullptr), "");
  EXPECT_EQ(cuzk_error_code(nullptr), CUZK_OK);
  cuzk_prover_free(nullptr);
  cuzk_error_free(nullptr);
  cuzk_string_free(nullptr);
  cuzk_string empty{nullptr, 0};
  cuzk_string_free(&empty);
}

TEST(Cuzk, AnEmptyKeyIsMalformed) {
  Objects o;
  EXPECT_EQ(cuzk_prover_open_buffer(nullptr, 0, nullptr, &o.prover, &o.error), CUZK_MALFORMED);
  EXPECT_EQ(o.kind(), "truncated");
}

TEST(Cuzk, NamesItsVersionAndCodes) {
  EXPECT_THAT(cuzk_version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_STREQ(cuzk_code_name(CUZK_OK), "ok");
  EXPECT_STREQ(cuzk_code_name(CUZK_UNSATISFIED), "unsatisfied");
  EXPECT_STREQ(cuzk_code_name(CUZK_INTERNAL), "internal");
}

}  // namespace
}  // namespace cuzk::test
