#include "formats/detect.h"

#include <gtest/gtest.h>

#include "formats/bellperson_proof.h"
#include "formats/bellperson_vk.h"
#include "formats/snarkjs_json.h"
#include "tests/formats/damage.h"
#include "tests/formats/samples.h"

namespace cuzk::formats {
namespace {

Bytes bytes_of(const std::string& text) { return text_bytes(text); }

void expect(Bytes file, FileKind kind, std::optional<CurveId> curve) {
  const Detected found = detect(file);
  EXPECT_EQ(to_string(found.kind), to_string(kind));
  EXPECT_EQ(found.curve, curve) << to_string(kind);
}

TEST(Detect, KnowsEveryKindThatWeWrite) {
  using C = Bls12_381;
  Arena arena(2);
  expect(test::Sample<Bn254>::r1cs(), FileKind::r1cs, CurveId::bn254);
  expect(test::Sample<C>::wtns(), FileKind::wtns, CurveId::bls12_381);
  expect(test::Sample<Bn254>::zkey(arena), FileKind::zkey, CurveId::bn254);
  expect(test::sample_params(arena), FileKind::bellperson_params, CurveId::bls12_381);
  const auto vk = test::sample_params_key(arena).vk;
  expect(write_bellperson_vk(vk), FileKind::bellperson_vk, CurveId::bls12_381);
  const groth16::Proof<C> proof{.a = vk.alpha_g1, .b = vk.beta_g2, .c = vk.delta_g1};
  const groth16::Proof<C> two[] = {proof, proof};
  expect(write_bellperson_proofs(two), FileKind::bellperson_proof, CurveId::bls12_381);
  expect(bytes_of(write_verification_key_json(vk)), FileKind::verification_key_json, CurveId::bls12_381);
  expect(bytes_of(write_proof_json<C>(proof, JsonForm::rapidsnark)), FileKind::proof_json, std::nullopt);
  expect(bytes_of("  [\"1\"]"), FileKind::public_json, std::nullopt);
  expect(bytes_of("ptau...."), FileKind::ptau, std::nullopt);
  expect(bytes_of("cuzkcirc"), FileKind::circuit, std::nullopt);
  expect(bytes_of("zkey"), FileKind::zkey, std::nullopt);
  expect({}, FileKind::unknown, std::nullopt);
  expect(bytes_of("plain text"), FileKind::unknown, std::nullopt);
}

TEST(Detect, SurvivesFlips) {
  Arena arena(1);
  const auto any = [](const test::FileBytes& file) { return detect(file).kind != FileKind::unknown; };
  test::survive_flips(test::sample_params(arena), 500, any);
  test::survive_flips(test::Sample<Bn254>::zkey(arena), 500, any);
}

}  // namespace
}  // namespace cuzk::formats
