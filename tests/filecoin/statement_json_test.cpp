// Public data as JSON: what is required, what may be left out, and the name of every fault.
#include "filecoin/verify/statement_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "filecoin/primitives/prover_id.h"
#include "filecoin/primitives/public_inputs.h"
#include "filecoin/wire/base64.h"
#include "tests/filecoin/samples.h"

namespace cuzk::filecoin {
namespace {

using Json = nlohmann::json;
using test::hex_of;
using test::must;

Json seal() {
  const test::ExampleSector example;
  return {{"registered_proof", "StackedDrg2KiBV1_1"}, {"miner_id", example.actor},
          {"sector_number", example.sector_number},   {"ticket", encode_hex(example.ticket)},
          {"seed", encode_hex(example.seed)},         {"comm_d", hex_of(example.comm_d)},
          {"comm_r", hex_of(example.comm_r)}};
}

Json post(const char* registered_proof) {
  const Node randomness = Node::from_u64(7), comm_r = Node::from_u64(9);
  return {{"registered_proof", registered_proof},
          {"randomness", hex_of(randomness)},
          {"sectors", {{{"sector_number", 3}, {"comm_r", hex_of(comm_r)}}}}};
}

Json update() {
  const test::ExampleSector example;
  return {{"registered_proof", "StackedDrg2KiBV1"},
          {"comm_r_old", hex_of(example.comm_r)},
          {"comm_d_new", hex_of(example.comm_d_new)},
          {"comm_r_new", hex_of(example.comm_r_new)}};
}

Result<Statement> read(ProofKind kind, const Json& json) { return read_statement_json(kind, json.dump()); }

/// The fault of a file with one member changed (null: taken away).
std::string fault(ProofKind kind, Json json, const char* member, const Json& value) {
  if (value.is_null())
    json.erase(member);
  else
    json[member] = value;
  const auto statement = read(kind, json);
  return statement ? "none" : std::string(to_string(statement.error().kind()));
}

std::string section_of(const Result<Statement>& statement) {
  return statement || statement.error().where() == nullptr ? "" : statement.error().where()->section;
}

TEST(StatementJson, SealOfTheExample) {
  const auto statement = std::get<SealStatement>(must(read(ProofKind::porep, seal())));
  const test::ExampleSector example;
  EXPECT_EQ(statement.proof.number, 5u);
  EXPECT_EQ(statement.prover_id, prover_id(example.actor));
  EXPECT_EQ(statement.ticket, example.ticket);
  EXPECT_EQ(statement.comm_r, example.comm_r);
  const std::vector<U256> values = public_inputs(statement, 0);
  EXPECT_EQ(values[0], example.replica_id);
  EXPECT_EQ(values[3], U256::from_u64(12));
  EXPECT_EQ(values[21], U256::from_u64(47));
}

TEST(StatementJson, NamesNumbersAndBase64MeanTheSame) {
  const auto expected = public_inputs(must(read(ProofKind::porep, seal())), 0);
  Json other = seal();
  other["registered_proof"] = 5;
  other["registered_proof_number"] = 5;
  other["prover_id"] = encode_hex(prover_id(1000));
  other["ticket"] = encode_base64(test::ExampleSector().ticket);
  other["api_version"] = "V1_1_0";
  other["comment"] = {"anything", {{"a", 1}}};
  EXPECT_EQ(public_inputs(must(read(ProofKind::porep, other)), 0), expected);
  other.erase("miner_id");
  other.erase("sector_number");
  other["sector_id"] = 42;
  EXPECT_EQ(public_inputs(must(read(ProofKind::porep, other)), 0), expected);
}

TEST(StatementJson, UnregisteredSeals) {
  Json record = seal();
  record.erase("registered_proof");
  record["sector_size"] = 2048;
  record["api_version"] = "1.2.0";
  record["porep_id"] = std::string(64, '7');
  EXPECT_EQ(std::get<SealStatement>(must(read(ProofKind::porep, record))).proof.feature, PorepFeature::v1_1);
  record["api_features"] = {"SyntheticPoRep"};
  const auto statement = std::get<SealStatement>(must(read(ProofKind::porep, record)));
  EXPECT_EQ(statement.proof.feature, PorepFeature::synthetic);
  EXPECT_EQ(encode_hex(statement.porep_id), std::string(64, '7'));
  EXPECT_EQ(fault(ProofKind::porep, record, "porep_id", nullptr), "missing_field");
  EXPECT_EQ(fault(ProofKind::porep, record, "api_version", nullptr), "missing_field");
  EXPECT_EQ(fault(ProofKind::porep, record, "sector_size", 4095), "wrong_sector_size");
  EXPECT_EQ(fault(ProofKind::porep, record, "api_features", Json::array({"Other"})), "unknown_proof_type");
  EXPECT_EQ(fault(ProofKind::porep, record, "api_features", "SyntheticPoRep"), "bad_json");
  EXPECT_EQ(fault(ProofKind::porep, record, "api_version", "2.0.0"), "unknown_proof_type");
}

TEST(StatementJson, ANonInteractiveSealNeedsNoSeed) {
  Json json = seal();
  json["registered_proof"] = "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep";
  json.erase("seed");
  EXPECT_EQ(partitions_of(must(read(ProofKind::porep, json))), 13u);
}

TEST(StatementJson, FaultsOfSeals) {
  constexpr ProofKind kKind = ProofKind::porep;
  for (const char* member : {"registered_proof", "miner_id", "sector_number", "ticket", "seed", "comm_d", "comm_r"})
    EXPECT_EQ(fault(kKind, seal(), member, nullptr), "missing_field") << member;
  EXPECT_EQ(fault(kKind, seal(), "registered_proof", "StackedDrg2KiB"), "unknown_proof_type");
  EXPECT_EQ(fault(kKind, seal(), "registered_proof", 20), "unknown_proof_type");
  EXPECT_EQ(fault(kKind, seal(), "registered_proof", std::uint64_t{1} << 32 | 5), "unknown_proof_type");
  EXPECT_EQ(fault(kKind, seal(), "registered_proof", true), "bad_number");
  EXPECT_EQ(fault(kKind, seal(), "registered_proof_number", 6), "wrong_proof_type");
  EXPECT_EQ(fault(kKind, seal(), "api_version", "1.0.0"), "wrong_proof_type");
  EXPECT_EQ(fault(kKind, seal(), "porep_id", std::string(64, '0')), "wrong_proof_type");
  EXPECT_EQ(fault(kKind, seal(), "sector_size", 2049), "wrong_sector_size");
  EXPECT_EQ(fault(kKind, seal(), "sector_id", 42), "bad_json");
  EXPECT_EQ(fault(kKind, seal(), "prover_id", std::string(64, '1')), "bad_number");
  EXPECT_EQ(fault(kKind, seal(), "sector_number", -1), "bad_number");
  EXPECT_EQ(fault(kKind, seal(), "sector_number", 1.5), "bad_number");
  EXPECT_EQ(fault(kKind, seal(), "ticket", 5), "bad_json");
  EXPECT_EQ(fault(kKind, seal(), "ticket", "00"), "bad_length");
  EXPECT_EQ(fault(kKind, seal(), "ticket", std::string(64, 'g')), "bad_number");
  EXPECT_EQ(fault(kKind, seal(), "ticket", std::string(43, '!') + "="), "bad_base64");
  EXPECT_EQ(fault(kKind, seal(), "ticket", std::string(44, 'A')), "bad_length");
  EXPECT_EQ(fault(kKind, seal(), "comm_d", std::string(64, '0')), "zero_commitment");
  EXPECT_EQ(fault(kKind, seal(), "comm_r", std::string(64, 'f')), "non_canonical");
}

TEST(StatementJson, PublicDataOfAnotherKind) {
  const Json json = seal();
  for (const char* name : {"porep", "seal", "porep-ni", "anything"})
    EXPECT_EQ(fault(ProofKind::porep, json, "kind", name), "none") << name;
  for (const char* name : {"winning", "window", "snap", "update"})
    EXPECT_EQ(fault(ProofKind::porep, json, "kind", name), "wrong_proof_type") << name;
  EXPECT_EQ(fault(ProofKind::snap, update(), "kind", "update"), "none");
  EXPECT_EQ(fault(ProofKind::snap, update(), "kind", "porep"), "wrong_proof_type");
  const Json winning = post("StackedDrgWinning2KiBV1");
  EXPECT_EQ(fault(ProofKind::winning, winning, "partition_index", 0), "none");
  EXPECT_EQ(fault(ProofKind::winning, winning, "partition_index", 1), "bad_count");
}

TEST(StatementJson, ErrorsStayShort) {
  Json json = seal();
  json["registered_proof"] = std::string(100000, 'x');
  EXPECT_LT(read(ProofKind::porep, json).error().to_string().size(), 1000u);
  json["registered_proof"] = std::uint64_t{1} << 40;
  const auto large = read(ProofKind::porep, json);
  EXPECT_EQ(large.error().kind(), Kind::unknown_proof_type);
  EXPECT_EQ(large.error().where()->found, "1099511627776");
}

TEST(StatementJson, FaultsOfPosts) {
  constexpr ProofKind kKind = ProofKind::window;
  const Json json = post("StackedDrgWindow2KiBV1_2");
  must(read(kKind, json));
  must(read(ProofKind::winning, post("StackedDrgWinning2KiBV1")));
  EXPECT_EQ(fault(kKind, json, "registered_proof", "StackedDrgWinning2KiBV1"), "wrong_proof_type");
  EXPECT_EQ(fault(kKind, json, "api_version", "1.1.0"), "wrong_proof_type");
  EXPECT_EQ(fault(kKind, json, "randomness", std::string(64, 'f')), "non_canonical");
  EXPECT_EQ(fault(kKind, json, "sectors", nullptr), "missing_field");
  EXPECT_EQ(fault(kKind, json, "sectors", Json::object()), "bad_json");
  EXPECT_EQ(fault(kKind, json, "sectors", Json::array()), "bad_count");
  EXPECT_EQ(fault(kKind, json, "sectors", Json::array({5})), "bad_json");
  const Json sector = json.at("sectors").at(0);
  EXPECT_EQ(fault(kKind, json, "sectors", Json::array({sector, sector})), "duplicate_sector");
  EXPECT_EQ(fault(kKind, json, "partition_index", std::uint64_t{1} << 40), "bad_count");
  Json damaged = json;
  damaged["sectors"][0]["comm_r"] = "00";
  EXPECT_EQ(section_of(read(kKind, damaged)), "sectors[0].comm_r");
}

TEST(StatementJson, ThePartitionMovesChallengesOfOldVersions) {
  Json old = post("StackedDrgWindow2KiBV1");
  const auto first = public_inputs(must(read(ProofKind::window, old)), 0);
  old["partition_index"] = 1;
  EXPECT_NE(public_inputs(must(read(ProofKind::window, old)), 0), first);
}

TEST(StatementJson, FaultsOfUpdates) {
  constexpr ProofKind kKind = ProofKind::snap;
  must(read(kKind, update()));
  for (const char* member : {"registered_proof", "comm_r_old", "comm_d_new", "comm_r_new"}) {
    EXPECT_EQ(fault(kKind, update(), member, nullptr), "missing_field") << member;
    EXPECT_EQ(fault(kKind, update(), member, std::string(64, '0')),
              member == std::string("registered_proof") ? "unknown_proof_type" : "zero_commitment");
  }
  EXPECT_EQ(fault(kKind, update(), "registered_proof", 5), "unknown_proof_type");
}

TEST(StatementJson, SyntaxHasAnOffsetAndNumbersTheirMember) {
  const auto error_of = [](std::string_view text) {
    return std::move(read_statement_json(ProofKind::window, text)).error();
  };
  const Error cut = error_of(R"({"sectors": [{)");
  EXPECT_EQ(cut.kind(), Kind::bad_json);
  EXPECT_EQ(cut.where()->offset, 14u);
  const Error number = error_of(R"({"sectors": [{"sector_number": 007}]})");
  EXPECT_EQ(number.kind(), Kind::bad_number);
  EXPECT_EQ(number.where()->section, "sectors[0].sector_number");
  EXPECT_EQ(number.where()->offset, 31u);
}

TEST(StatementJson, TextsThatAreNoObject) {
  const auto kind_of = [](std::string_view text) {
    const auto statement = read_statement_json(ProofKind::snap, text);
    return statement ? Kind::none : statement.error().kind();
  };
  EXPECT_EQ(kind_of(""), Kind::bad_json);
  EXPECT_EQ(kind_of("[]"), Kind::bad_json);
  EXPECT_EQ(kind_of("{"), Kind::bad_json);
  EXPECT_EQ(kind_of(R"({"comm_r_old":"","comm_r_old":""})"), Kind::missing_field);  // registered_proof comes first
  EXPECT_EQ(kind_of(R"({"registered_proof":0,"comm_r_old":"","comm_r_old":""})"), Kind::bad_json);
  EXPECT_EQ(kind_of(std::string(40, '[')), Kind::bad_json);
  EXPECT_EQ(kind_of(std::string(kMaxStatementJsonBytes + 1, ' ')), Kind::bad_length);
}

}  // namespace
}  // namespace cuzk::filecoin
