// circom/: circuits, keys, witnesses, proofs and JSON of circom and snarkjs, over both curves; and one published
// parameter file with a transcript behind it.
#include <algorithm>

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/prover.h"
#include "formats/bellperson_params.h"
#include "formats/bellperson_vk.h"
#include "formats/detect.h"
#include "formats/r1cs_file.h"
#include "formats/snarkjs_json.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "groth16/verifier.h"
#include "r1cs/satisfaction.h"
#include "tests/gen/circuits.h"
#include "tests/support/must.h"
#include "tests/vectors_runner/vector_case.h"

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;

bool has_file(const fs::path& path) { return fs::exists(path) || fs::exists(path.string() + ".zst"); }

/// A text file without the line break that some tools put behind the last bracket.
std::string read_json_text(const fs::path& path) {
  std::string text = read_text(path);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Records of 44 bytes in ascending order: files differ in the order of a row's terms.
std::vector<std::array<std::byte, 44>> sorted_records(Bytes bytes) {
  std::vector<std::array<std::byte, 44>> records(bytes.size() / 44);
  std::memcpy(records.data(), bytes.data(), records.size() * 44);
  std::sort(records.begin(), records.end());
  return records;
}

template <class C> struct Case {
  fs::path folder;
  nlohmann::json json;
  formats::ZkeyFile<C> zkey;
  std::shared_ptr<const r1cs::Witness> witness;
  groth16::VerifyingKey<C> vk;

  std::size_t num_public() const { return vk.num_public(); }
};

template <class C> Case<C> load(const fs::path& folder, nlohmann::json json) {
  return {.folder = folder,
          .json = std::move(json),
          .zkey = must(formats::ZkeyFile<C>::open(arena(), memory_source(read_vector(folder / "circuit.zkey")))),
          .witness =
              std::make_shared<const r1cs::Witness>(must(formats::read_wtns<C>(read_vector(folder / "witness.wtns")))),
          .vk = must(formats::read_verification_key_json<C>(arena(), read_text(folder / "verification_key.json")))};
}

template <class C> void expect_key(const Case<C>& c) {
  const auto& counts = c.json.at("counts");
  const groth16::ProvingKeyView<C>& view = c.zkey.view();
  EXPECT_EQ(view.num_variables, counts.at("nVars").template get<std::size_t>());
  EXPECT_EQ(view.num_public(), counts.at("nPublic").template get<std::size_t>());
  EXPECT_EQ(view.domain_size, counts.at("domainSize").template get<std::size_t>());
  ASSERT_TRUE(view.coefficients.has_value());
  EXPECT_EQ(view.coefficients->size(), counts.at("nCoefficients").template get<std::size_t>());
  EXPECT_TRUE(view.coefficients->sorted_by_row());
  must(c.zkey.check_points(arena()));
  EXPECT_EQ(must(c.zkey.contributions()).size(), counts.at("nContributions").template get<std::size_t>());
  EXPECT_FALSE(c.zkey.is_development());
  EXPECT_EQ(groth16::digest(view.vk), groth16::digest(c.vk));
  EXPECT_EQ(formats::write_verification_key_json(view.vk), read_json_text(c.folder / "verification_key.json"));
}

template <class C> void expect_circuit(const Case<C>& c) {
  using Fr = typename C::Fr;
  if (!has_file(c.folder / "circuit.r1cs")) return;
  const auto circuit = must(formats::read_r1cs<C>(read_vector(c.folder / "circuit.r1cs")));
  EXPECT_EQ(circuit.num_variables(), c.witness->size());
  EXPECT_EQ(r1cs::first_unsatisfied<Fr>(arena(), circuit, c.witness->values()), std::nullopt);
  EXPECT_TRUE(sorted_records(coefficient_records(circuit)) == sorted_records(c.zkey.view().coefficients->bytes()));
}

template <class C> void expect_given_proof(const Case<C>& c, const groth16::PreparedVerifyingKey<C>& verifying) {
  const std::string proof_text = read_json_text(c.folder / "proof.json");
  const std::string public_text = read_json_text(c.folder / "public.json");
  const auto proof = must(formats::read_proof_json<C>(proof_text));
  const auto values = must(formats::read_public_json<C>(public_text, c.num_public()));
  const auto inputs = c.witness->public_inputs(c.num_public());
  EXPECT_TRUE(std::equal(values.begin(), values.end(), inputs.begin(), inputs.end()));
  must(groth16::verify<C>(arena(), verifying, values, proof));
  EXPECT_EQ(formats::write_proof_json<C>(proof), proof_text);
  EXPECT_EQ(formats::write_public_json(values), public_text);
}

/// The last wire changed by one: of the right form, and no witness of the circuit any more (unless the wire is in no
/// constraint, which holds for none of the cases).
r1cs::Witness spoiled(const r1cs::Witness& witness) {
  std::vector<U256> values(witness.values().begin(), witness.values().end());
  values.back().limb[0] ^= 1;
  return r1cs::Witness(std::move(values));
}

template <class C> void expect_own_proof(const Case<C>& c, const groth16::PreparedVerifyingKey<C>& verifying) {
  backend::CpuBackend<C> backend(arena());
  const backend::ProvingContext<C> context{
      .key = must(backend.load_key(c.zkey.view())), .circuit = nullptr, .verifying_key = verifying};
  const auto prove = [&](std::shared_ptr<const r1cs::Witness> witness) {
    return backend::prove_verified(arena(), backend, context,
                                   {.witness = std::move(witness), .blinding = must(backend::Blinding<C>::random())});
  };
  const auto proof = must(prove(c.witness));
  must(groth16::verify<C>(arena(), verifying, c.witness->public_inputs(c.num_public()),
                          must(formats::read_proof_json<C>(formats::write_proof_json<C>(proof)))));
  const auto refused = prove(std::make_shared<const r1cs::Witness>(spoiled(*c.witness)));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), Code::unsatisfied) << refused.error().to_string();
}

template <class C> void expect_detected(const Case<C>& c) {
  const auto kind = [&](const char* file) { return formats::detect(read_vector(c.folder / file)); };
  EXPECT_EQ(kind("circuit.zkey").kind, formats::FileKind::zkey);
  EXPECT_EQ(kind("circuit.zkey").curve, C::id);
  EXPECT_EQ(kind("witness.wtns").kind, formats::FileKind::wtns);
  EXPECT_EQ(kind("verification_key.json").kind, formats::FileKind::verification_key_json);
  EXPECT_EQ(kind("proof.json").kind, formats::FileKind::proof_json);
  EXPECT_EQ(kind("proof.json").curve, C::id);
  EXPECT_EQ(kind("public.json").kind, formats::FileKind::public_json);
}

template <class C> void run_with(const fs::path& folder, nlohmann::json json) {
  const Case<C> c = load<C>(folder, std::move(json));
  const groth16::PreparedVerifyingKey<C> verifying(c.vk);
  expect_detected(c);
  expect_key(c);
  expect_circuit(c);
  expect_given_proof(c, verifying);
  expect_own_proof(c, verifying);
}

/// Parameters alone, a record of the ceremony behind them.
void run_published_params(const fs::path& folder, const nlohmann::json& json) {
  const auto& counts = json.at("counts");
  const std::string path = (folder / "sapling-output.params").string();
  const auto strict = formats::ParamsFile::open(arena(), path);
  ASSERT_FALSE(strict.has_value());
  EXPECT_EQ(strict.error().kind(), Kind::trailing_bytes);
  ASSERT_NE(strict.error().where(), nullptr);
  EXPECT_EQ(strict.error().where()->offset, counts.at("endOfParameters").get<std::uint64_t>());

  const auto params = must(formats::ParamsFile::open(arena(), path, formats::ParamsTail::zcash_transcript));
  const auto& view = params.view();
  EXPECT_EQ(params.transcript_entries(), counts.at("transcriptContributions").get<std::uint64_t>());
  EXPECT_EQ(view.vk.ic.size(), counts.at("ic").get<std::size_t>());
  EXPECT_EQ(view.domain_size, counts.at("domainSize").get<std::size_t>());
  EXPECT_EQ(view.h.size(), counts.at("h").get<std::size_t>() * 96);
  EXPECT_EQ(view.l.size(), counts.at("l").get<std::size_t>() * 96);
  EXPECT_EQ(view.a.size(), counts.at("a").get<std::size_t>() * 96);
  EXPECT_EQ(view.b_g1.size(), counts.at("b_g1").get<std::size_t>() * 96);
  EXPECT_EQ(view.b_g2.size(), counts.at("b_g2").get<std::size_t>() * 192);
  must(params.check_points(arena()));
  EXPECT_EQ(formats::write_bellperson_vk(view.vk), read_file(folder / "sapling-output.vk"));
  const std::string text = read_text(folder / "verification_key.json");
  const auto vk = must(formats::read_verification_key_json<Bls12_381>(arena(), text));
  EXPECT_EQ(groth16::digest(vk), groth16::digest(view.vk));
}

void run(const fs::path& folder) {
  nlohmann::json json =
      read_json(folder / "case.json", {"name", "origin", "license", "curve", "counts", "tools", "files", "note",
                                       "about", "witness_wasm_sha256", "verification_key_equals_shipped_one"});
  expect_listed_files(json, folder);
  if (!has_file(folder / "circuit.zkey")) return run_published_params(folder, json);
  const bool bn254 = json.at("curve") == "bn254";
  return bn254 ? run_with<Bn254>(folder, std::move(json)) : run_with<Bls12_381>(folder, std::move(json));
}

}  // namespace

std::vector<RegisteredCase> circom_cases() {
  std::vector<RegisteredCase> cases;
  for (const VectorCase& found : find_cases("circom")) {
    cases.push_back({"circom", found.name, [folder = found.folder] { run(folder); }});
  }
  return cases;
}

}  // namespace cuzk::test
