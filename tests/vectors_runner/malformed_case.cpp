// circom/malformed/: damaged files, each with the kind of error it must give and the stage by which it must be refused.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/prover.h"
#include "formats/bellperson_params.h"
#include "formats/bellperson_proof.h"
#include "formats/bellperson_vk.h"
#include "formats/detect.h"
#include "formats/r1cs_file.h"
#include "formats/snarkjs_json.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "groth16/verifier.h"
#include "tests/support/must.h"
#include "tests/vectors_runner/vector_case.h"

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;

struct Case {
  fs::path folder;
  nlohmann::json json;

  std::string file_name() const { return json.at("file"); }
  FileBytes bytes() const { return read_file(folder / file_name()); }
  std::string stage() const { return json.at("stage"); }
  bool has(const char* member) const { return json.contains(member) && !json.at(member).is_null(); }
  /// The companion whose name ends like this; empty without one.
  fs::path with(std::string_view ending) const {
    if (!has("with")) return {};
    for (const std::string name : json.at("with")) {
      if (std::string_view(name).ends_with(ending)) return folder / name;
    }
    return {};
  }
};

/// Drops the value: what matters is whether there is one.
template <class T> Status status_of(Result<T> result) {
  if (!result) return fail(std::move(result).error());
  return {};
}

template <class C> Result<groth16::VerifyingKey<C>> read_vk(const fs::path& path) {
  return formats::read_verification_key_json<C>(arena(), read_text(path));
}

/// Everything that proving with this key and this witness checks.
template <class C> Status prove(formats::KeySource key_bytes, const FileBytes& witness_bytes, const fs::path& vk_path) {
  CUZK_TRY(const auto key, formats::ZkeyFile<C>::open(arena(), std::move(key_bytes)));
  CUZK_CHECK_OK(key.check_points(arena()));
  CUZK_TRY(r1cs::Witness witness, formats::read_wtns<C>(witness_bytes));
  groth16::VerifyingKey<C> vk = key.view().vk;
  if (!vk_path.empty()) {
    CUZK_TRY(vk, read_vk<C>(vk_path));
  }
  const groth16::PreparedVerifyingKey<C> verifying(vk);
  backend::CpuBackend<C> backend(arena());
  CUZK_TRY(auto loaded, backend.load_key(key.view()));
  CUZK_TRY(auto blinding, backend::Blinding<C>::random());
  const backend::ProvingContext<C> context{.key = std::move(loaded), .circuit = nullptr, .verifying_key = verifying};
  return status_of(backend::prove_verified(
      arena(), backend, context,
      {.witness = std::make_shared<const r1cs::Witness>(std::move(witness)), .blinding = std::move(blinding)}));
}

template <class C> Status open_zkey(const Case& c) {
  CUZK_TRY(const auto key, formats::ZkeyFile<C>::open(arena(), memory_source(c.bytes())));
  if (c.stage() == "open") return {};
  CUZK_CHECK_OK(key.check_points(arena()));
  if (c.stage() == "points") return {};
  return prove<C>(memory_source(c.bytes()), read_file(c.with(".wtns")), c.with(".json"));
}

Status read_zkey(const Case& c) {
  const FileBytes bytes = c.bytes();
  CUZK_TRY(const auto header, formats::read_zkey_header(bytes));
  return with_curve(header.curve, [&]<class C>() { return open_zkey<C>(c); });
}

Status read_r1cs(const Case& c) {
  const FileBytes bytes = c.bytes();
  CUZK_TRY(const auto header, formats::read_r1cs_header(bytes));
  return with_curve(header.curve, [&]<class C>() { return status_of(formats::read_r1cs<C>(bytes)); });
}

Status read_wtns(const Case& c) {
  const FileBytes bytes = c.bytes();
  if (c.stage() == "prove") {
    const FileBytes key = read_file(c.with(".zkey"));
    CUZK_TRY(const auto header, formats::read_zkey_header(key));
    return with_curve(header.curve, [&]<class C>() { return prove<C>(memory_source(key), bytes, c.with(".json")); });
  }
  CUZK_TRY(const auto header, formats::read_wtns_header(bytes));
  return with_curve(header.curve, [&]<class C>() { return status_of(formats::read_wtns<C>(bytes)); });
}

Status read_params(const Case& c) {
  CUZK_TRY(const auto params, formats::ParamsFile::open(arena(), memory_source(c.bytes())));
  return c.stage() == "open" ? Status() : params.check_points(arena());
}

Status read_proof(const Case& c) {
  CUZK_TRY(const auto proof, formats::read_bellperson_proof(c.bytes()));
  if (!c.has("with")) return {};
  const auto vk = must(formats::read_bellperson_vk(arena(), read_file(c.with(".vk"))));
  const auto values = must(formats::read_public_json<Bls12_381>(read_text(c.with("public.json"))));
  return groth16::verify<Bls12_381>(arena(), groth16::PreparedVerifyingKey<Bls12_381>(vk), values, proof);
}

/// One of the three texts is the damaged one; the others come from the companions. All JSON cases are BN254.
Status verify_texts(const Case& c) {
  using C = Bn254;
  const std::string damaged = c.json.at("format");
  const auto path = [&](const char* format, const char* ending) {
    return damaged == format ? c.folder / c.file_name() : c.with(ending);
  };
  CUZK_TRY(const auto vk, read_vk<C>(path("vkey.json", "verification_key.json")));
  CUZK_TRY(const auto proof, formats::read_proof_json<C>(read_text(path("proof.json", "proof.json"))));
  CUZK_TRY(const auto values,
           formats::read_public_json<C>(read_text(path("public.json", "public.json")), vk.num_public()));
  return groth16::verify<C>(arena(), groth16::PreparedVerifyingKey<C>(vk), values, proof);
}

Status read_case(const Case& c) {
  const std::string format = c.json.at("format");
  if (format == "zkey") return read_zkey(c);
  if (format == "r1cs") return read_r1cs(c);
  if (format == "wtns") return read_wtns(c);
  if (format == "params") return read_params(c);
  if (format == "vk") return status_of(formats::read_bellperson_vk(arena(), c.bytes()));
  if (format == "proof") return read_proof(c);
  if (format.ends_with(".json")) return verify_texts(c);
  throw std::runtime_error("unknown format " + format);
}

/// Where the list says that the fault is. A fault inside a point is reported at the point or at one of its coordinates.
void expect_place(const Case& c, const Error& error) {
  if (error.kind() == Kind::invalid_proof) return;  // no single place
  const bool has_offset = c.has("offset");
  if (!has_offset && !c.has("section")) return;
  ASSERT_NE(error.where(), nullptr) << error.to_string();
  if (has_offset) {
    constexpr std::uint64_t kLargestPoint = 192;
    const bool in_point = error.kind() == Kind::not_on_curve || error.kind() == Kind::not_in_subgroup;
    const auto stated = c.json.at("offset").get<std::uint64_t>();
    const std::uint64_t found = error.where()->offset;
    EXPECT_TRUE(found == stated || (in_point && found < stated && stated < found + kLargestPoint))
        << "stated " << stated << ": " << error.to_string();
  }
  // A count and a length that contradict each other may be named at either place.
  if (c.has("section") && (has_offset || error.kind() != Kind::bad_section_length)) {
    EXPECT_EQ(error.where()->section, c.json.at("section").dump()) << error.to_string();
  }
}

void run(const Case& c) {
  const Status status = read_case(c);
  const std::string expected = c.json.at("expect");
  static_cast<void>(formats::detect(c.bytes()));
  if (expected == "ok_or_bad_vkey") {
    EXPECT_TRUE(status.has_value() || status.error().kind() == Kind::bad_vkey);
    return;
  }
  ASSERT_FALSE(status.has_value()) << "accepted: " << c.json.at("what");
  const Error& error = status.error();
  const std::string found(to_string(error.kind()));
  if (found == expected) return expect_place(c, error);
  bool as_right = false;
  if (c.has("also")) {
    for (const std::string kind : c.json.at("also")) as_right = as_right || kind == found;
  }
  EXPECT_TRUE(as_right) << "expected " << expected << ": " << error.to_string();
}

/// The undamaged BLS12-381 files beside the damaged ones, in both families of formats.
void run_base(const fs::path& base) {
  using C = Bls12_381;
  const auto params = must(formats::ParamsFile::open(arena(), memory_source(read_file(base / "mimc8.params"))));
  must(params.check_points(arena()));
  const FileBytes vk_bytes = read_file(base / "mimc8.vk"), proof_bytes = read_file(base / "mimc8.proof");
  const auto vk = must(formats::read_bellperson_vk(arena(), vk_bytes));
  const auto json_vk = must(read_vk<C>(base / "mimc8.vk.json"));
  EXPECT_EQ(groth16::digest(vk), groth16::digest(params.view().vk));
  EXPECT_EQ(groth16::digest(vk), groth16::digest(json_vk));
  EXPECT_EQ(formats::write_bellperson_vk(vk), vk_bytes);
  const auto proof = must(formats::read_bellperson_proof(proof_bytes));
  EXPECT_EQ(formats::write_bellperson_proof(proof), proof_bytes);
  EXPECT_EQ(formats::write_proof_json<C>(proof),
            formats::write_proof_json<C>(must(formats::read_proof_json<C>(read_text(base / "mimc8.proof.json")))));
  const auto values = must(formats::read_public_json<C>(read_text(base / "mimc8.public.json"), vk.num_public()));
  must(groth16::verify<C>(arena(), groth16::PreparedVerifyingKey<C>(vk), values, proof));
}

}  // namespace

std::vector<RegisteredCase> malformed_cases() {
  std::vector<RegisteredCase> cases;
  for (const fs::path& root : vector_roots()) {
    const fs::path folder = root / "circom" / "malformed";
    if (!fs::exists(folder / "cases.json")) continue;
    const nlohmann::json list = read_json(folder / "cases.json", {"error_kinds", "cases"});
    for (const auto& entry : list.at("cases")) {
      cases.push_back({"malformed", entry.at("file"), [c = Case{folder, entry}] { run(c); }});
    }
    cases.push_back({"malformed", "base", [base = folder / "base"] { run_base(base); }});
    break;
  }
  return cases;
}

}  // namespace cuzk::test
