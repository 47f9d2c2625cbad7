// groth16/: small circuits with key, witness and proofs of the reference implementation, over BLS12-381.
#include <unistd.h>

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/prover.h"
#include "formats/bellperson_params.h"
#include "formats/bellperson_proof.h"
#include "formats/bellperson_vk.h"
#include "formats/detect.h"
#include "formats/r1cs_file.h"
#include "formats/wtns_file.h"
#include "groth16/setup.h"
#include "groth16/verifier.h"
#include "r1cs/density.h"
#include "r1cs/digest.h"
#include "r1cs/satisfaction.h"
#include "support/hex.h"
#include "support/sha256.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"
#include "tests/vectors_runner/vector_case.h"

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;
using C = Bls12_381;
using Fr = C::Fr;
using Circuit = r1cs::RowCircuit<Fr>;

/// 64 digits: 32 bytes, little-endian.
U256 scalar(const nlohmann::json& hex) {
  std::array<std::byte, U256::bytes> raw;
  must(decode_hex(hex.get<std::string>(), raw));
  return U256::from_le_bytes(raw.data());
}

Fr field_element(const nlohmann::json& hex) { return Fr::from_canonical(scalar(hex)); }

struct Case {
  fs::path folder;
  nlohmann::json json;
  std::shared_ptr<const Circuit> circuit;
  std::shared_ptr<const r1cs::Witness> witness;

  FileBytes file(const char* name) const { return read_vector(folder / name); }
};

Case load(const fs::path& folder) {
  Case c{.folder = folder,
         .json =
             read_json(folder / "case.json", {"name", "description", "counts", "density_bitmaps_hex", "matrices_sha256",
                                              "witness_sha256", "abc_vectors_sha256", "exponents", "files"}),
         .circuit = nullptr,
         .witness = nullptr};
  c.circuit = std::make_shared<const Circuit>(must(formats::read_r1cs<C>(c.file("circuit.r1cs"))));
  c.witness = std::make_shared<const r1cs::Witness>(must(formats::read_wtns<C>(c.file("witness.wtns"))));
  return c;
}

/// Bit i of byte i / 8 is set for the i-th of `count` variables from `first` on, if it is in the list.
std::string bitmap(const std::vector<r1cs::Wire>& dense, std::size_t first, std::size_t count) {
  std::vector<std::byte> bits((count + 7) / 8);
  for (const r1cs::Wire v : dense) {
    if (v < first || v >= first + count) continue;
    const std::size_t i = v - first;
    bits[i / 8] |= std::byte{1} << (i % 8);
  }
  return encode_hex(bits);
}

void expect_circuit(const Case& c) {
  const auto& counts = c.json.at("counts");
  const auto& maps = c.json.at("density_bitmaps_hex");
  EXPECT_EQ(c.circuit->num_constraints(), counts.at("num_constraints").get<std::size_t>());
  EXPECT_EQ(c.circuit->num_inputs(), counts.at("num_inputs_with_one").get<std::size_t>());
  EXPECT_EQ(c.circuit->num_aux(), counts.at("num_aux").get<std::size_t>());
  EXPECT_EQ(c.circuit->a().terms.size(), counts.at("nonzeros").at("a").get<std::size_t>());
  EXPECT_EQ(c.circuit->b().terms.size(), counts.at("nonzeros").at("b").get<std::size_t>());
  EXPECT_EQ(c.circuit->c().terms.size(), counts.at("nonzeros").at("c").get<std::size_t>());
  EXPECT_EQ(groth16::domain_size_of(*c.circuit), counts.at("domain_size").get<std::size_t>());
  EXPECT_EQ(encode_hex(r1cs::matrices_digest(*c.circuit)), c.json.at("matrices_sha256").get<std::string>());
  const r1cs::Densities dense = r1cs::densities(*c.circuit);
  const std::size_t inputs = c.circuit->num_inputs(), aux = c.circuit->num_aux();
  EXPECT_EQ(bitmap(dense.a, inputs, aux), maps.at("a_aux").get<std::string>());
  EXPECT_EQ(bitmap(dense.b, inputs, aux), maps.at("b_aux").get<std::string>());
  EXPECT_EQ(bitmap(dense.b, 0, inputs), maps.at("b_input").get<std::string>());
}

void expect_witness(const Case& c) {
  EXPECT_EQ(encode_hex(sha256(std::as_bytes(c.witness->values()))), c.json.at("witness_sha256").get<std::string>());
  EXPECT_EQ(r1cs::first_unsatisfied<Fr>(arena(), *c.circuit, c.witness->values()), std::nullopt);
  const nlohmann::json values = nlohmann::json::parse(read_text(c.folder / "public.json"));
  const auto inputs = c.witness->public_inputs(c.circuit->num_public());
  ASSERT_EQ(values.size(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(scalar(values[i]), inputs[i]) << i;
}

/// The circuit and witness files as our own writers make them.
void expect_rewritten_inputs(const Case& c, const TemporaryFolder& folder) {
  must(formats::write_r1cs<C>(folder.file("circuit.r1cs"), *c.circuit));
  EXPECT_EQ(read_file(folder.file("circuit.r1cs")), c.file("circuit.r1cs"));
  must(formats::write_wtns<C>(folder.file("witness.wtns"), *c.witness));
  EXPECT_EQ(read_file(folder.file("witness.wtns")), c.file("witness.wtns"));
}

/// A query with its identities put back: points[k] belongs to variable present[k].
template <class G, class Decode>
std::vector<G> dense_query(Bytes points, const std::vector<r1cs::Wire>& present, std::size_t size, Decode decode) {
  EXPECT_EQ(points.size(), present.size() * sizeof(G));
  std::vector<G> dense(size, G::identity());
  for (std::size_t k = 0; k < present.size(); ++k) {
    dense[present[k]] = must(decode(points.subspan(k * sizeof(G), sizeof(G)), Validation::on_curve));
  }
  return dense;
}

std::vector<r1cs::Wire> all_below(std::size_t count) {
  std::vector<r1cs::Wire> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<r1cs::Wire>(i);
  return all;
}

groth16::ProvingKey<C> owned_key(const groth16::ProvingKeyView<C>& view, const Circuit& circuit) {
  const auto g1 = [](Bytes raw, Validation v) { return zcash::decode_g1_uncompressed(raw, v); };
  const auto g2 = [](Bytes raw, Validation v) { return zcash::decode_g2_uncompressed(raw, v); };
  const r1cs::Densities present = r1cs::densities(circuit);
  const std::size_t m = view.num_variables, aux = m - view.vk.ic.size();
  groth16::ProvingKey<C> key;
  key.vk = view.vk;
  key.num_variables = m;
  key.domain_size = view.domain_size;
  key.basis = view.basis;
  key.roots = view.roots;
  key.a = dense_query<C::G1Affine>(view.a, present.a, m, g1);
  key.b_g1 = dense_query<C::G1Affine>(view.b_g1, present.b, m, g1);
  key.b_g2 = dense_query<C::G2Affine>(view.b_g2, present.b, m, g2);
  key.l = dense_query<C::G1Affine>(view.l, all_below(aux), aux, g1);
  key.h = dense_query<C::G1Affine>(view.h, all_below(view.domain_size - 1), view.domain_size - 1, g1);
  return key;
}

void expect_written_key(const Case& c, const groth16::ProvingKey<C>& key, const TemporaryFolder& folder) {
  must(formats::write_params(folder.file("key.params"), key));
  EXPECT_TRUE(read_file(folder.file("key.params")) == c.file("params.params"));
  EXPECT_TRUE(formats::has_development_marker(folder.file("key.params")));
}

void expect_key(const Case& c, const formats::ParamsFile& params, const TemporaryFolder& folder) {
  must(params.check_points(arena()));
  const groth16::VerifyingKey<C> vk = must(formats::read_bellperson_vk(arena(), c.file("verifying.vk")));
  EXPECT_EQ(groth16::digest(vk), groth16::digest(params.view().vk));
  EXPECT_EQ(formats::write_bellperson_vk(vk), c.file("verifying.vk"));
  EXPECT_EQ(params.view().num_variables, c.circuit->num_variables());
  EXPECT_EQ(params.view().domain_size, c.json.at("counts").at("domain_size").get<std::size_t>());
  expect_written_key(c, owned_key(params.view(), *c.circuit), folder);
}

void expect_setup(const Case& c, const TemporaryFolder& folder) {
  const nlohmann::json t = read_json(c.folder / "trapdoor.json", {"alpha", "beta", "gamma", "delta", "tau"});
  const auto trapdoor = groth16::Trapdoor<Fr>::given({.tau = field_element(t.at("tau")),
                                                      .alpha = field_element(t.at("alpha")),
                                                      .beta = field_element(t.at("beta")),
                                                      .gamma = field_element(t.at("gamma")),
                                                      .delta = field_element(t.at("delta"))});
  expect_written_key(c,
                     must(groth16::setup<C>(arena(), *c.circuit, trapdoor, groth16::QuotientBasis::coset_monomials,
                                            RootFamily::bellperson)),
                     folder);
}

void expect_proofs(const Case& c, const formats::ParamsFile& params) {
  const nlohmann::json fixed = read_json(c.folder / "r_s.json", {"r", "s"});
  const groth16::PreparedVerifyingKey<C> verifying(params.view().vk);
  backend::CpuBackend<C> backend(arena());
  const backend::ProvingContext<C> context{.key = must(backend.load_key(params.view())),
                                           .circuit = must(backend.load_circuit(c.circuit)),
                                           .verifying_key = verifying,
                                           .compiled = c.circuit.get()};
  const struct {
    const char* file;
    U256 r, s;
  } proofs[] = {{"proof.bin", scalar(fixed.at("r")), scalar(fixed.at("s"))},
                {"proof-r0-s0.bin", U256::zero(), U256::zero()}};
  for (const auto& expected : proofs) {
    const FileBytes bytes = c.file(expected.file);
    const groth16::Proof<C> given = must(formats::read_bellperson_proof(bytes));
    EXPECT_EQ(formats::write_bellperson_proof(given), bytes);
    must(groth16::verify(arena(), verifying, c.witness->public_inputs(c.circuit->num_public()), given));
    backend::ProvingInput<C> input{.witness = c.witness,
                                   .blinding = backend::Blinding<C>::fixed(expected.r, expected.s)};
    const auto ours = must(backend::prove_verified(arena(), backend, context, std::move(input)));
    EXPECT_EQ(formats::write_bellperson_proof(ours), bytes) << expected.file;
  }
}

void expect_detected(const Case& c) {
  EXPECT_EQ(formats::detect(c.file("circuit.r1cs")).kind, formats::FileKind::r1cs);
  EXPECT_EQ(formats::detect(c.file("witness.wtns")).curve, CurveId::bls12_381);
  EXPECT_EQ(formats::detect(c.file("params.params")).kind, formats::FileKind::bellperson_params);
  EXPECT_EQ(formats::detect(c.file("verifying.vk")).kind, formats::FileKind::bellperson_vk);
  EXPECT_EQ(formats::detect(c.file("proof.bin")).kind, formats::FileKind::bellperson_proof);
}

void run(const fs::path& folder) {
  const Case c = load(folder);
  const TemporaryFolder temporary;
  expect_listed_files(c.json, folder);
  expect_detected(c);
  expect_circuit(c);
  expect_witness(c);
  expect_rewritten_inputs(c, temporary);
  const auto params = must(formats::ParamsFile::open(arena(), (folder / "params.params").string()));
  expect_key(c, params, temporary);
  expect_setup(c, temporary);
  expect_proofs(c, params);
}

}  // namespace

std::vector<RegisteredCase> groth16_cases() {
  std::vector<RegisteredCase> cases;
  for (const VectorCase& found : find_cases("groth16")) {
    cases.push_back({"groth16", found.name, [folder = found.folder] { run(folder); }});
  }
  return cases;
}

}  // namespace cuzk::test
