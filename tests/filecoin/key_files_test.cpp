#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "filecoin/params/key_check.h"
#include "filecoin/params/proving_key.h"
#include "formats/bellperson_params_writer.h"
#include "formats/bellperson_vk.h"
#include "groth16/setup.h"
#include "support/atomic_file.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vectors.h"

namespace cuzk::filecoin {
namespace {

Circuit circuit(std::string_view id) { return test::must(find_circuit(id)); }

TEST(KeyFilesTest, HaveTheOfficialNames) {
  const KeyFiles files = key_files(circuit("porep-2k"), "/keys");
  EXPECT_EQ(files.params,
            "/keys/v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
            "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f.params");
  EXPECT_TRUE(files.vk.ends_with("032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f.vk"));
}

TEST(KeyFilesTest, SizesAndDigestsAreThePublished) {
  const KeyExpectation params = expected_key(circuit("porep-32g"), KeyPart::params, "/keys");
  EXPECT_EQ(params.bytes, 47'373'928'632u);
  EXPECT_EQ(params.digest, "6a388072a518cf46ebd661f5cc46900a");
  const KeyExpectation vk = expected_key(circuit("porep-32g"), KeyPart::vk, "/keys");
  EXPECT_EQ(vk.bytes, 868u + 328 * 96);
  EXPECT_EQ(vk.digest, "0c7b4aac1c40fdb7eb82bc355b41addf");
  const KeyExpectation unpublished = expected_key(circuit("porep-4k"), KeyPart::params, "/keys");
  EXPECT_EQ(unpublished.bytes, 0u);
  EXPECT_TRUE(unpublished.digest.empty());
}

/// One key for all tests: of the smallest circuit, from a trapdoor that nobody keeps.
class WindowKeyTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Arena arena{2};
    folder = std::make_unique<test::TemporaryFolder>();
    compiled = std::make_unique<CompiledCircuit>(record_circuit(circuit("wpost-2k")));
    const KeyFiles files = key_files(circuit("wpost-2k"), folder->path().string());
    auto writer = test::must(formats::ParamsWriter::create(arena, files.params));
    test::must(groth16::setup<Bls12_381>(arena, *compiled->matrices,
                                         test::must(groth16::Trapdoor<bls12_381::Fr>::random()),
                                         groth16::QuotientBasis::coset_monomials, RootFamily::bellperson, writer));
    test::must(writer.commit());
    test::must(write_file_atomically(files.vk, formats::write_bellperson_vk(writer.vk())));
  }
  static void TearDownTestSuite() {
    folder.reset();
    compiled.reset();
  }

  KeyVerdict check(KeyPart part, const std::string& where, const KeyCheckOptions& options = {}) {
    return check_key_file(arena, window, part, where, options);
  }
  static std::string where() { return folder->path().string(); }

  Arena arena{2};
  Circuit window = circuit("wpost-2k");
  inline static std::unique_ptr<test::TemporaryFolder> folder;
  inline static std::unique_ptr<CompiledCircuit> compiled;
};

TEST_F(WindowKeyTest, HasThePublishedSizeAndFitsItsCircuit) {
  const ProvingKey key = test::must(open_proving_key(arena, window, where()));
  EXPECT_TRUE(key.development);
  EXPECT_EQ(key.params.source().bytes().size(), expected_key(window, KeyPart::params, where()).bytes);
  test::must(check_key_fits(key.params, window, *compiled));
}

TEST_F(WindowKeyTest, DoesNotFitAnotherCircuit) {
  const ProvingKey key = test::must(open_proving_key(arena, window, where()));
  for (const char* other : {"wpost-4k", "winning-2k"}) {  // one has the same public inputs
    const Status fits = check_key_fits(key.params, circuit(other), record_circuit(circuit(other)));
    ASSERT_FALSE(fits) << other;
    EXPECT_EQ(fits.error().kind(), Kind::circuit_mismatch);
  }
}

TEST_F(WindowKeyTest, IsSoundButADevelopmentKey) {
  for (const KeyPart part : {KeyPart::params, KeyPart::vk}) {
    const KeyVerdict verdict = check(part, where(), {.digests = true, .points = false});
    EXPECT_FALSE(verdict.fault.has_value());
    EXPECT_TRUE(verdict.development);
    EXPECT_EQ(verdict.digest.size(), 32u);
  }
}

TEST_F(WindowKeyTest, WithoutItsMarkerItsDigestIsWrong) {
  const test::TemporaryFolder unmarked;
  const KeyFiles from = key_files(window, where());
  const KeyFiles to = key_files(window, unmarked.path().string());
  std::filesystem::copy_file(from.params, to.params);
  const KeyVerdict verdict = check(KeyPart::params, unmarked.path().string());
  ASSERT_TRUE(verdict.fault.has_value());
  EXPECT_EQ(verdict.fault->kind(), Kind::digest_mismatch);
  EXPECT_FALSE(check(KeyPart::params, unmarked.path().string(), {.digests = false}).fault.has_value());
  EXPECT_EQ(check(KeyPart::vk, unmarked.path().string()).fault->code(), Code::not_found);
}

TEST_F(WindowKeyTest, MissingKeysAreNamed) {
  const test::TemporaryFolder empty;
  const auto key = open_proving_key(arena, window, empty.path().string());
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code(), Code::not_found);
  EXPECT_NE(key.error().to_string().find("0170db1f394b35d995252228ee359194"), std::string::npos);
}

TEST_F(WindowKeyTest, DigestIsThatOfTheWholeFile) {
  const test::TemporaryFolder other;
  const std::string path = other.file("abc");
  test::must(write_file_atomically(path, text_bytes("abc")));  // RFC 7693, appendix A
  EXPECT_EQ(key_digest(test::must(MappedFile::open(path))), "ba80a53f981c4d0d6a2797b69f12f6e9");
}

TEST(CompiledCircuitTest, IsKeptAndOpenedAgain) {
  const test::TemporaryFolder folder;
  const Circuit window = circuit("wpost-2k");
  const auto first = test::must(compiled_circuit(window, folder.path().string()));
  const auto written = std::filesystem::last_write_time(circuit_path(window, folder.path().string()));
  const auto second = test::must(compiled_circuit(window, folder.path().string()));
  EXPECT_EQ(std::filesystem::last_write_time(circuit_path(window, folder.path().string())), written);
  EXPECT_EQ(first.densities, second.densities);
  EXPECT_EQ(second.matrices->num_constraints(), 21'866u);
  EXPECT_EQ(second.densities.a_aux, 16'770u);
  EXPECT_EQ(second.densities.b_aux, 16'028u);
  const auto other = compiled_circuit(circuit("winning-2k"), folder.path().string());
  EXPECT_TRUE(other.has_value());
  std::filesystem::copy_file(circuit_path(window, folder.path().string()),
                             circuit_path(circuit("wpost-4k"), folder.path().string()));
  const auto renamed = compiled_circuit(circuit("wpost-4k"), folder.path().string());
  ASSERT_FALSE(renamed);
  EXPECT_EQ(renamed.error().kind(), Kind::circuit_mismatch);
}

TEST(CompiledCircuitTest, AStopEndsTheRecording) {
  const test::TemporaryFolder folder;
  std::stop_source stop;
  stop.request_stop();
  for (const std::string& where : {folder.path().string(), std::string()}) {
    const auto stopped = compiled_circuit(circuit("wpost-2k"), where, {}, stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code(), Code::cancelled);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace cuzk::filecoin
