// real-proofs/: public data and proofs of a running network, whose keys are not at hand: up to the public inputs that
// they determine, and that the proofs are canonical points of the subgroup.
#include <gtest/gtest.h>

#include "field/fp.h"
#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/public_inputs.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/verify/statement_json.h"
#include "filecoin/verify/verify.h"
#include "formats/bellperson_proof.h"
#include "support/hex.h"
#include "tests/support/must.h"
#include "tests/vectors_runner/vector_case.h"

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;
using namespace filecoin;
using Json = nlohmann::json;

FileBytes proof_bytes(const Json& text) { return must(read_proof_file(text_bytes(text.get<std::string>()))); }

void expect_points(const FileBytes& proof, std::uint64_t partitions) {
  must(formats::read_bellperson_proofs(proof, partitions));
  for_sample_of_bits(proof.size(), 16, [&](std::size_t bit) {
    FileBytes damaged = proof;
    flip(damaged, bit);
    if (bit % 8 == 5 && bit / 8 % 48 == 0) return;  // the sign of a point: another point of the subgroup
    EXPECT_FALSE(formats::read_bellperson_proofs(damaged, partitions).has_value()) << "bit " << bit;
  });
}

// --- seals

/// What the circuit of a partition sees: its own id and commitments, and nodes of the sector.
void expect_seal_inputs(const SealStatement& seal, std::uint64_t partition) {
  const std::vector<U256> values = public_inputs(Statement(seal), partition);
  ASSERT_EQ(values.size(), circuit_of(seal).num_public());
  EXPECT_EQ(values[0], replica_id(seal.prover_id, seal.sector_number, seal.ticket, seal.comm_d, seal.porep_id));
  EXPECT_EQ(values[1], seal.comm_d);
  EXPECT_EQ(values[2], seal.comm_r);
  EXPECT_LT(values[0], bls12_381::Fr::modulus);
  const U256 nodes = U256::from_u64(seal.proof.sector->nodes());
  for (std::size_t i = 3; i < values.size(); ++i) EXPECT_LT(values[i], nodes) << i;
  for (std::size_t i = 3; i < values.size(); i += 18) EXPECT_FALSE(values[i].is_zero()) << "a challenge is node 0";
}

/// The derivation depends on every member.
void expect_seal_inputs_differ(const Json& record, const std::vector<U256>& values) {
  for (const char* member : {"porep_id", "prover_id", "ticket", "comm_d", "comm_r", "seed"}) {
    FileBytes bytes = must(decode_hex(record.at(member).get<std::string>()));
    flip(bytes, 3);
    Json damaged = record;
    damaged[member] = encode_hex(bytes);
    EXPECT_NE(public_inputs(must(read_statement_json(ProofKind::porep, damaged.dump())), 0), values) << member;
  }
  Json damaged = record;
  damaged["sector_id"] = record.at("sector_id").get<std::uint64_t>() ^ 1;
  EXPECT_NE(public_inputs(must(read_statement_json(ProofKind::porep, damaged.dump())), 0), values);
}

void run_seal(const Json& record) {
  const Statement statement = must(read_statement_json(ProofKind::porep, record.dump()));
  EXPECT_EQ(partitions_of(statement), record.at("partitions"));
  EXPECT_EQ(circuit_of(statement).sector->bytes, record.at("sector_size"));
  for (std::uint64_t k = 0; k < partitions_of(statement); ++k)
    expect_seal_inputs(std::get<SealStatement>(statement), k);
  expect_seal_inputs_differ(record, public_inputs(statement, 0));
  expect_points(proof_bytes(record.at("proof")), partitions_of(statement));
}

std::vector<Json> records(const fs::path& path) {
  std::vector<Json> all;
  std::istringstream in(read_text(path));
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) all.push_back(Json::parse(line));
  return all;
}

// --- proofs of spacetime

/// One sector: the challenges of all versions of the interface agree, so that the proof is one of each.
void run_window(const fs::path& path) {
  Json facts = read_json(
      path, {"source", "registered_proofs", "sector_size", "sectors", "randomness", "prover_id", "proof", "expect"});
  std::vector<U256> values;
  for (const Json& name : facts.at("registered_proofs")) {
    facts["registered_proof"] = name;
    const Statement statement = must(read_statement_json(ProofKind::window, facts.dump()));
    EXPECT_EQ(partitions_of(statement), 1u);
    const std::vector<U256> derived = public_inputs(statement, 0);
    EXPECT_EQ(derived.size(), circuit_of(statement).num_public());
    EXPECT_TRUE(values.empty() || derived == values) << name;
    values = derived;
  }
  expect_points(proof_bytes(facts.at("proof")), 1);
}

/// A JSON text inside a JSON text.
Json inner(const Json& text) { return Json::parse(text.get<std::string>()); }

std::string hex_of(const Json& bytes) {
  std::vector<std::byte> raw;
  for (const Json& byte : bytes) raw.push_back(static_cast<std::byte>(byte.get<unsigned>()));
  return encode_hex(raw);
}

std::uint64_t leaf_index(const Json& inclusion) {
  std::uint64_t index = 0, stride = 1;
  for (const Json& level : inclusion.at("data").at("Single").at("path").at("path")) {
    index += level.at("index").get<std::uint64_t>() * stride;
    stride *= level.at("hashes").size() + 1;
  }
  return index;
}

/// comm_r and the challenges, sector by sector, as the vanilla proof opens them.
std::vector<U256> opened_inputs(const Json& sectors, const std::string& comm_r) {
  std::vector<U256> values;
  FileBytes bytes = must(decode_hex(comm_r));
  for (const Json& sector : sectors) {
    values.push_back(U256::from_le_bytes(bytes.data()));
    for (const Json& inclusion : sector.at("inclusion_proofs")) values.push_back(U256::from_u64(leaf_index(inclusion)));
  }
  return values;
}

void run_vanilla(const fs::path& path, ProofKind kind, std::uint32_t registered_proof) {
  const Json proof = inner(read_json(path, {"algorithm", "proof", "vk"}).at("proof"));
  const Json config = inner(proof.at("post_config"));
  const Json inputs = inner(proof.at("pub_inputs"));
  const Json vanilla = inner(proof.at("vanilla_proofs"));
  const Json& sector = inputs.at("sectors").at(0);
  const std::string comm_r = hex_of(sector.at("comm_r"));
  const Json facts = {{"registered_proof", registered_proof},
                      {"sector_size", config.at("sector_size")},
                      {"randomness", hex_of(inputs.at("randomness"))},
                      {"prover_id", hex_of(inputs.at("prover_id"))},
                      {"sectors", {{{"sector_number", sector.at("id")}, {"comm_r", comm_r}}}}};
  const Statement statement = must(read_statement_json(kind, facts.dump()));
  EXPECT_EQ(public_inputs(statement, 0), opened_inputs(vanilla.at(0).at("sectors"), comm_r));
  const Json& first = vanilla.at(0).at("sectors").at(0);
  const auto node = [](const Json& bytes) { return Node::from_le_bytes(must(decode_hex(hex_of(bytes))).data()); };
  EXPECT_EQ(comm_r_of(node(first.at("comm_c")), node(first.at("comm_r_last"))), node(sector.at("comm_r")));
  expect_points(proof_bytes(proof.at("proof")), 1);
}

}  // namespace

std::vector<RegisteredCase> real_statement_cases() {
  std::vector<RegisteredCase> cases;
  for (const fs::path& root : vector_roots()) {
    const fs::path folder = root / "real-proofs";
    if (!fs::is_directory(folder)) continue;
    std::size_t number = 0;
    for (const Json& record : records(folder / "seal-proofs.jsonl"))
      cases.push_back({"real_seals", std::to_string(number++), [record] { run_seal(record); }});
    cases.push_back(
        {"real_posts", "window-32GiB", [path = folder / "window-post-32GiB-1sector.json"] { run_window(path); }});
    cases.push_back({"real_posts", "window-512MiB", [path = folder / "window-512MiB-vanilla-and-proof.json"] {
                       run_vanilla(path, ProofKind::window, 7);
                     }});
    cases.push_back({"real_posts", "winning-512MiB", [path = folder / "winning-512MiB-vanilla-and-proof.json"] {
                       run_vanilla(path, ProofKind::winning, 2);
                     }});
    break;
  }
  return cases;
}

}  // namespace cuzk::test
