// filecoin/counts.json: blank circuits of all sizes; filecoin/circuits: their rows piece by piece, to find the first
// difference.
//
// Circuits above kMostConstraints take minutes: of those the names are compared here, and the rest by the benchmark
// that records them (bench/large).
#include <gtest/gtest.h>

#include "hash/sha256_compress.h"
#include "support/hex.h"
#include "support/sha256.h"
#include "tests/support/must.h"
#include "tests/vectors_runner/filecoin_facts.h"

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMostConstraints = 20'000'000;

filecoin::ProofKind kind_of(std::string_view name) {
  return name == "update" ? filecoin::ProofKind::snap : filecoin::proof_kind_from(name).value();
}

filecoin::Circuit circuit_of(const std::string& kind, const std::string& size) {
  return {kind_of(kind), filecoin::find_sector_shape(size)};
}

void expect_names(const filecoin::Circuit& circuit, const Json& facts) {
  EXPECT_EQ(circuit.key_file_stem(), "v28-" + facts.at("cache_identifier").get<std::string>());
  EXPECT_EQ(facts.at("num_inputs_with_one"), circuit.num_public() + 1);
  const filecoin::SectorShape& sector = *circuit.sector;
  if (circuit.kind == filecoin::ProofKind::porep) {
    EXPECT_EQ(facts.at("layers"), sector.layers);
    EXPECT_EQ(facts.at("partitions"), sector.porep_partitions);
    EXPECT_EQ(facts.at("challenges_per_partition"), sector.porep_challenges);
  }
  if (circuit.kind == filecoin::ProofKind::snap) {
    EXPECT_EQ(facts.at("partitions"), sector.update_partitions);
  }
  const auto key = filecoin::published_key(circuit);
  ASSERT_TRUE(key.has_value());
  const Json& lengths = facts.at("query_lengths");
  const auto points = [&](const char* query) { return lengths.at(query).get<std::uint64_t>(); };
  EXPECT_EQ(key->params_bytes,
            868 + 5 * 4 + 96 * (points("ic") + points("h") + points("l") + points("a")) + (96 + 192) * points("b"));
}

void run_counts(const Json& facts) {
  const filecoin::Circuit circuit = circuit_of(facts.at("kind"), facts.at("sector_size"));
  expect_names(circuit, facts);
  if (facts.at("num_constraints") > kMostConstraints) return;
  expect_circuit_facts(*record_circuit(circuit), facts, facts.at("density_bitmaps_sha256"),
                       facts.at("matrices_sha256"));
}

/// SHA-256 of a text that grows, with its digest at any time.
class GrowingHash {
 public:
  void update(Bytes bytes) {
    rest_.insert(rest_.end(), bytes.begin(), bytes.end());
    length_ += bytes.size();
    const std::size_t whole = rest_.size() / 64 * 64;
    hash::sha256_compress(state_, Bytes(rest_).first(whole));
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(whole));
  }
  std::string digest() const {
    std::vector<std::byte> end = rest_;
    end.push_back(std::byte{0x80});
    end.resize((end.size() + 8 + 63) / 64 * 64);
    store_be(end.data() + end.size() - 8, std::uint64_t{8 * length_});
    hash::Sha256State state = state_;
    hash::sha256_compress(state, end);
    std::array<std::byte, 32> bytes;
    for (std::size_t i = 0; i < state.size(); ++i) store_be(bytes.data() + 4 * i, state[i]);
    return encode_hex(bytes);
  }

 private:
  hash::Sha256State state_ = hash::kSha256Initial;
  std::vector<std::byte> rest_;  // less than a block
  std::size_t length_ = 0;
};

/// The first prefix that differs ends the case.
void expect_prefixes(const RecordedCircuit& circuit, const Json& prefixes) {
  GrowingHash hash;
  std::size_t done = 0;
  for (const Json& prefix : prefixes) {
    const auto end = prefix.at(0).get<std::size_t>();
    ASSERT_LE(end, circuit.num_constraints());
    hash.update(digest_body(circuit, done, end));
    done = end;
    ASSERT_EQ(hash.digest(), prefix.at(3)) << "of the constraints before " << end;
  }
}

void expect_namespaces(const RecordedCircuit& circuit, const Json& namespaces) {
  for (const Json& space : namespaces) {
    const auto begin = space.at(1).at(0).get<std::size_t>(), end = space.at(1).at(1).get<std::size_t>();
    EXPECT_EQ(encode_hex(sha256(digest_body(circuit, begin, end))), space.at(4)) << space.at(0);
  }
}

void run_rows(const fs::path& path) {
  const Json facts = Json::parse(text_of(read_vector(path)));
  const std::string name = facts.at("circuit");
  const std::size_t dash = name.rfind('-');
  const auto circuit = record_circuit(circuit_of(name.substr(0, dash), name.substr(dash + 1)));
  expect_prefixes(*circuit, facts.at("prefixes"));
  expect_namespaces(*circuit, facts.at("namespaces"));
}

}  // namespace

std::vector<RegisteredCase> filecoin_circuit_cases() {
  std::vector<RegisteredCase> cases;
  for (const fs::path& root : vector_roots()) {
    const fs::path folder = root / "filecoin";
    if (!fs::exists(folder / "counts.json")) continue;
    for (const Json& facts : Json::parse(read_text(folder / "counts.json")))
      cases.push_back({"filecoin_counts",
                       facts.at("kind").get<std::string>() + "-" + facts.at("sector_size").get<std::string>(),
                       [facts] { run_counts(facts); }});
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "circuits")) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".json.gz")) continue;
      const std::string stem = name.substr(0, name.size() - 8);
      cases.push_back({"filecoin_rows", stem, [path = folder / "circuits" / (stem + ".json")] { run_rows(path); }});
    }
    break;
  }
  return cases;
}

}  // namespace cuzk::test
