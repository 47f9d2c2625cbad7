// filecoin/<kind>-<size>/<seed>: what follows from the public data alone (ids, challenges, parents, public inputs), and
// that the proof verifies for these data and no others.
#include <gtest/gtest.h>

#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/graph.h"
#include "filecoin/primitives/public_inputs.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/primitives/update.h"
#include "filecoin/verify/statement_json.h"
#include "filecoin/verify/verify.h"
#include "filecoin/wire/base64.h"
#include "formats/bellperson_vk.h"
#include "support/hex.h"
#include "tests/filecoin/samples.h"
#include "tests/support/must.h"
#include "tests/vectors_runner/filecoin_request.h"

namespace cuzk::test {
namespace {

using namespace filecoin;
using Json = nlohmann::json;

Node node(const Json& hex) { return node_from_hex(hex.get<std::string>()); }

struct Case {
  FilecoinRequest request;
  Json facts;
  Statement statement;
  filecoin::VerifyingKey key;
  FileBytes proof;
  std::vector<unsigned> partitions;

  Status verify(const Statement& stated, Bytes bytes) const {
    if (partitions.size() == partitions_of(stated)) return verify_proof(arena(), key, stated, bytes);
    return verify_proof(arena(), key, stated, bytes.first(192), partitions.front());
  }
};

Case load(const FilecoinRequest& request) {
  Json facts = request.facts();
  Statement statement = must(read_statement_json(request.kind(), facts.dump()));
  return {request,
          std::move(facts),
          std::move(statement),
          must(formats::read_bellperson_vk(arena(), read_file(request.key_file(".vk")))),
          read_file(request.folder / "proof.bin"),
          request.partitions()};
}

// --- what follows from the public data

void expect_parents(const Graph& graph, const Json& listed) {
  for (const Json& entry : listed) {
    const auto number = entry.at("node").get<std::uint32_t>();
    EXPECT_EQ(graph.drg_parents(number), entry.at("drg").get<DrgParents>()) << "node " << number;
    EXPECT_EQ(graph.expander_parents(number), entry.at("expander").get<ExpanderParents>()) << "node " << number;
  }
}

void expect_derived(const Case& c, const SealStatement& seal) {
  const Node id = replica_id(seal.prover_id, seal.sector_number, seal.ticket, seal.comm_d, seal.porep_id);
  EXPECT_EQ(id, node(c.facts.at("replica_id")));
  EXPECT_EQ(comm_r_of(node(c.facts.at("comm_c")), node(c.facts.at("comm_r_last"))), seal.comm_r);
  EXPECT_EQ(c.facts.at("partitions"), seal.proof.partitions());
  EXPECT_EQ(c.facts.at("layers"), seal.proof.sector->layers);
  EXPECT_EQ(c.facts.at("challenges_per_partition"), seal.proof.sector->porep_challenges);
  for (unsigned k = 0; k < seal.proof.partitions(); ++k)
    EXPECT_EQ(porep_challenges(seal.proof, {id, seal.comm_r, seal.seed}, k), c.facts.at("challenges").at(k)) << k;
  expect_parents(Graph(seal.proof), c.facts.at("debug").at("parents"));
}

Challenges challenges_of(const PostStatement& post, std::size_t position) {
  const PostSectorStatement& sector = post.sectors[position];
  if (post.proof.kind == ProofKind::winning)
    return winning_challenges(*post.proof.sector, post.randomness, sector.sector_number);
  return window_challenges(post.proof, post.randomness, sector.sector_number, position);
}

void expect_derived(const Case& c, const PostStatement& post) {
  const Json& sectors = c.facts.at("sectors");
  ASSERT_EQ(sectors.size(), post.sectors.size());
  for (std::size_t i = 0; i < sectors.size(); ++i) {
    EXPECT_EQ(challenges_of(post, i), sectors[i].at("challenges")) << "sector " << i;
    EXPECT_EQ(comm_r_of(node(sectors[i].at("comm_c")), node(sectors[i].at("comm_r_last"))), post.sectors[i].comm_r);
  }
  EXPECT_EQ(c.facts.at("partitions").size(), partitions_of(post));
  const Json choices = c.facts.value("winning_sector_challenges", Json());
  if (choices.is_null()) return;
  const Node prover = node(c.facts.at("prover_id"));
  Bytes32 prover_bytes;
  prover.to_le_bytes(prover_bytes.data());
  for (const Json& choice : choices)
    for (std::size_t n = 0; n < choice.at("indices").size(); ++n)
      EXPECT_EQ(winning_sector(prover_bytes, post.randomness, n, choice.at("sector_set_len")),
                choice.at("indices").at(n));
}

void expect_derived(const Case& c, const UpdateStatement& update) {
  const SectorShape& sector = *update.sector;
  EXPECT_EQ(c.facts.at("partitions"), sector.update_partitions);
  EXPECT_EQ(c.facts.at("challenges_per_partition"), sector.update_challenges);
  EXPECT_EQ(c.facts.at("h"), sector.update_h);
  EXPECT_EQ(c.facts.at("h_select"), sector.update_h_select);
  for (unsigned k = 0; k < sector.update_partitions; ++k)
    EXPECT_EQ(update_challenges(sector, update.comm_r_new, k), c.facts.at("challenges").at(k)) << k;
  const Node phi = update_phi(update.comm_d_new, update.comm_r_old);
  EXPECT_EQ(phi, node(c.facts.at("phi")));
  for (const Json& rho : c.facts.at("rho")) EXPECT_EQ(update_rho(phi, rho.at(0)), node(rho.at(1)));
  const Node comm_c = node(c.facts.at("comm_c"));
  EXPECT_EQ(comm_r_of(comm_c, node(c.facts.at("comm_r_last_old"))), update.comm_r_old);
  EXPECT_EQ(comm_r_of(comm_c, node(c.facts.at("comm_r_last_new"))), update.comm_r_new);
}

/// `place`: of the partition among those that are there.
void expect_partition(const Case& c, std::size_t place) {
  const unsigned partition = c.partitions[place];
  const Json facts = Json::parse(read_text(c.request.folder / ("partition-" + std::to_string(partition) + ".json")));
  const std::vector<U256> values = public_inputs(c.statement, partition);
  const Json& expected = facts.at("public_inputs");
  ASSERT_EQ(values.size(), expected.size());
  EXPECT_EQ(values.size(), c.request.circuit().num_public());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], node(expected[i])) << i;
  EXPECT_EQ(facts.at("proof"), encode_hex(Bytes(c.proof).subspan(192 * place, 192)));
  EXPECT_EQ(c.request.key_file(".vk").stem(), facts.at("circuit").get<std::string>());
}

// --- the proof

void expect_proof(const Case& c) {
  if (c.partitions.size() == partitions_of(c.statement)) must(verify_proof(arena(), c.key, c.statement, c.proof));
  for (std::size_t i = 0; i < c.partitions.size(); ++i) {
    const Bytes one = Bytes(c.proof).subspan(192 * i, 192);
    must(verify_proof(arena(), c.key, c.statement, one, c.partitions[i]));
  }
}

void expect_text_forms(const Case& c) {
  const auto read = [](const std::string& text) { return must(read_proof_file(text_bytes(text))); };
  EXPECT_EQ(must(read_proof_file(c.proof)), c.proof);
  EXPECT_EQ(read(encode_hex(c.proof) + "\n"), c.proof);
  EXPECT_EQ(read(" " + encode_base64(c.proof)), c.proof);
}

/// A bit of a proof is refused by the decoder or by the pairing; of several partitions, any will do.
void expect_refused_when_flipped(const Case& c) {
  for_sample_of_bits(c.proof.size(), 40, [&](std::size_t bit) {
    if (c.partitions.size() != partitions_of(c.statement) && bit >= 192 * 8) return;
    FileBytes damaged = c.proof;
    flip(damaged, bit);
    EXPECT_FALSE(c.verify(c.statement, damaged).has_value()) << "bit " << bit << " of the proof";
  });
}

Kind fault_of(const Status& status) { return status ? Kind::none : status.error().kind(); }

void expect_other_lengths_refused(const Case& c) {
  FileBytes longer = c.proof;
  longer.insert(longer.end(), c.proof.begin(), c.proof.begin() + 192);
  EXPECT_EQ(fault_of(verify_proof(arena(), c.key, c.statement, longer)), Kind::bad_length);
  const Bytes shorter = Bytes(c.proof).first(c.proof.size() - 1);
  EXPECT_EQ(fault_of(verify_proof(arena(), c.key, c.statement, shorter)), Kind::bad_length);
  EXPECT_EQ(fault_of(verify_proof(arena(), c.key, c.statement, {})), Kind::bad_length);
  const auto beyond = verify_proof(arena(), c.key, c.statement, c.proof, partitions_of(c.statement));
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().code(), Code::invalid_argument);
}

void expect_swapped_partitions_refused(const Case& c) {
  if (c.partitions.size() < 2 || c.partitions.size() != partitions_of(c.statement)) return;
  FileBytes swapped = c.proof;
  std::swap_ranges(swapped.begin(), swapped.begin() + 192, swapped.begin() + 192);
  const Status status = c.verify(c.statement, swapped);
  ASSERT_EQ(fault_of(status), Kind::invalid_proof);
  EXPECT_NE(status.error().to_string().find("partitions 0, 1 of"), std::string::npos) << status.error().to_string();
}

/// Members on which the statement depends.
std::vector<Json::json_pointer> hex_members(const Case& c) {
  using Pointer = Json::json_pointer;
  switch (c.request.kind()) {
    case ProofKind::porep: {
      std::vector<Pointer> all{Pointer("/comm_d"), Pointer("/comm_r"), Pointer("/prover_id"), Pointer("/ticket"),
                               Pointer("/porep_id")};
      if (c.request.group != "porep-ni") all.emplace_back("/seed");
      return all;
    }
    case ProofKind::snap:
      return {Pointer("/comm_r_old"), Pointer("/comm_d_new"), Pointer("/comm_r_new")};
    case ProofKind::winning:
    case ProofKind::window:
      break;
  }
  std::vector<Pointer> all{Pointer("/randomness"), Pointer("/sectors/0/comm_r")};
  if (c.facts.contains("miner_id")) all.emplace_back("/prover_id");  // otherwise nothing says that it is wrong
  return all;
}

Status verify_json(const Case& c, const Json& facts) {
  CUZK_TRY(const Statement statement, read_statement_json(c.request.kind(), facts.dump()));
  return c.verify(statement, c.proof);
}

void expect_public_data_refused_when_flipped(const Case& c) {
  for (const Json::json_pointer& member : hex_members(c)) {
    for_sample_of_bits(32, 8, [&](std::size_t bit) {
      FileBytes bytes = must(decode_hex(c.facts.at(member).get<std::string>()));
      flip(bytes, bit);
      Json damaged = c.facts;
      damaged[member] = encode_hex(bytes);
      EXPECT_FALSE(verify_json(c, damaged).has_value()) << member.to_string() << " bit " << bit;
    });
  }
}

void expect_refused_with(const Case& c, const char* member, const Json& value, Kind kind) {
  Json damaged = c.facts;
  damaged[Json::json_pointer(member)] = value;
  const Status status = verify_json(c, damaged);
  ASSERT_FALSE(status.has_value()) << member;
  EXPECT_EQ(to_string(status.error().kind()), to_string(kind)) << member << ": " << status.error().to_string();
}

void expect_other_numbers_refused(const Case& c) {
  if (c.request.kind() != ProofKind::snap) {
    const char* const member = c.request.kind() == ProofKind::porep ? "/sector_number" : "/sectors/0/sector_number";
    const auto number = c.facts.at(Json::json_pointer(member)).get<std::uint64_t>();
    expect_refused_with(c, member, number ^ 1, Kind::invalid_proof);
  }
  expect_refused_with(c, "/sector_size", c.request.sector->bytes * 2, Kind::wrong_sector_size);
  if (c.request.kind() == ProofKind::porep)
    expect_refused_with(c, "/miner_id", c.facts.at("miner_id").get<std::uint64_t>() + 1, Kind::bad_number);
}

void expect_named_faults(const Case& c) {
  const std::string zeros(64, '0'), ones(64, 'f');
  const bool post = c.request.kind() == ProofKind::winning || c.request.kind() == ProofKind::window;
  const char* const comm_r = post                                   ? "/sectors/0/comm_r"
                             : c.request.kind() == ProofKind::porep ? "/comm_r"
                                                                    : "/comm_r_old";
  expect_refused_with(c, comm_r, zeros, Kind::zero_commitment);
  expect_refused_with(c, comm_r, ones, Kind::non_canonical);
  expect_refused_with(c, comm_r, zeros.substr(2), Kind::bad_length);
  expect_refused_with(c, comm_r, "0x" + zeros.substr(2), Kind::bad_number);
  expect_refused_with(c, comm_r, Json(), Kind::missing_field);
  expect_refused_with(c, "/registered_proof", "StackedDrg3KiBV1", Kind::unknown_proof_type);
  if (!post) return;
  expect_refused_with(c, "/randomness", ones, Kind::non_canonical);
  expect_refused_with(c, "/sectors", Json::array(), Kind::bad_count);
  const Json first = c.facts.at("sectors").at(0);
  expect_refused_with(c, "/sectors", Json::array({first, first}),
                      c.request.kind() == ProofKind::winning ? Kind::bad_count : Kind::duplicate_sector);
}

void run(const FilecoinRequest& request) {
  const Case c = load(request);
  EXPECT_EQ(c.facts.at("kind"), request.group);
  EXPECT_EQ(circuit_of(c.statement), request.circuit());
  ASSERT_EQ(c.proof.size(), 192 * c.partitions.size());
  std::visit([&](const auto& statement) { expect_derived(c, statement); }, c.statement);
  for (std::size_t place = 0; place < c.partitions.size(); ++place) expect_partition(c, place);
  expect_proof(c);
  expect_text_forms(c);
  expect_refused_when_flipped(c);
  expect_other_lengths_refused(c);
  expect_swapped_partitions_refused(c);
  expect_public_data_refused_when_flipped(c);
  expect_other_numbers_refused(c);
  expect_named_faults(c);
}

}  // namespace

std::vector<RegisteredCase> filecoin_statement_cases() {
  std::vector<RegisteredCase> cases;
  for (const FilecoinRequest& request : filecoin_requests())
    cases.push_back({"filecoin_statement", request.name, [request] { run(request); }});
  return cases;
}

}  // namespace cuzk::test
