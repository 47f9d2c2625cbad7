// Decoders of vanilla proofs on damaged input: cut anywhere, each field wrong, counts beyond all memory, random
// changes.
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "filecoin/wire/base64.h"
#include "filecoin/wire/bincode.h"
#include "filecoin/wire/c1_bincode.h"
#include "filecoin/wire/c1_json.h"
#include "filecoin/wire/vanilla_list.h"
#include "tests/formats/damage.h"
#include "tests/gen/vanilla_proofs.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using Json = nlohmann::json;
using test::FileBytes;
using test::must;
using test::RandomVanillaProofs;

constexpr std::uint64_t kSeed = 5;

const SectorShape& shape(std::string_view name) { return *find_sector_shape(name); }
const SectorShape& small() { return shape("2KiB"); }

const PorepVanillaProof& small_porep() {
  static const PorepVanillaProof proof = RandomVanillaProofs(small(), kSeed).porep(must(seal_proof(5)));
  return proof;
}

// --- every shape

TEST(Wire, every_shape_reads_back) {
  for (const SectorShape& sector : sector_shapes()) {
    SCOPED_TRACE(sector.name);
    RandomVanillaProofs random(sector, test::run_seed());
    for (const ProofKind kind : {ProofKind::winning, ProofKind::window}) {
      const auto bytes = write_post_bincode(random.post(kind), sector, kind);
      EXPECT_EQ(write_post_bincode(must(read_post_bincode(bytes, sector, kind)), sector, kind), bytes);
    }
    if (sector.update_partitions == 0) {
      EXPECT_EQ(read_update_bincode({}, sector).error().code(), Code::unsupported);
      EXPECT_EQ(read_update_proofs(std::span<const Bytes>(), sector).error().code(), Code::unsupported);
      continue;
    }
    const auto bytes = write_update_bincode(random.update(), sector);
    EXPECT_EQ(write_update_bincode(must(read_update_bincode(bytes, sector)), sector), bytes);
  }
}

TEST(Wire, sizes_are_those_of_the_format) {
  RandomVanillaProofs random(shape("32GiB"), kSeed);
  const auto post = [&](ProofKind kind) { return write_post_bincode(random.post(kind), shape("32GiB"), kind).size(); };
  EXPECT_EQ(post(ProofKind::window), 24960U);
  EXPECT_EQ(post(ProofKind::winning), 164064U);
  EXPECT_EQ(write_update_bincode(random.update(), shape("32GiB")).size(), 561768U);
}

TEST(Wire, seals_of_small_sectors_read_back) {
  for (const std::uint32_t number : {0U, 1U, 2U, 6U, 10U, 15U}) {
    SCOPED_TRACE(number);
    const SealProof seal = must(seal_proof(number));
    const PorepVanillaProof proof = RandomVanillaProofs(*seal.sector, test::run_seed()).porep(seal);
    const std::string text = write_c1_json(proof, 77);
    const C1Output c1 = must(read_c1_json(text));
    EXPECT_EQ(c1.sector_number, 77U);
    EXPECT_EQ(write_c1_json(c1.proof, 77), text);
    const auto bytes = write_api_phase1_bincode(proof);
    EXPECT_EQ(write_api_phase1_bincode(must(read_api_phase1_bincode(bytes))), bytes);
    EXPECT_EQ(write_phase1_bincode(must(read_phase1_bincode(write_phase1_bincode(proof), seal))),
              write_phase1_bincode(proof));
  }
}

// --- cut anywhere

TEST(Wire, every_prefix_of_bincode_is_refused) {
  RandomVanillaProofs random(small(), kSeed);
  test::expect_prefixes_refused(write_post_bincode(random.post(ProofKind::window), small(), ProofKind::window),
                                [](const FileBytes& bytes) {
                                  const auto proof = read_post_bincode(bytes, small(), ProofKind::window);
                                  return proof.has_value() || proof.error().kind() != Kind::truncated;
                                });
  test::expect_prefixes_refused(write_update_bincode(random.update(), small()), [](const FileBytes& bytes) {
    const auto proof = read_update_bincode(bytes, small());
    return proof.has_value() || proof.error().kind() != Kind::truncated;
  });
}

TEST(Wire, bytes_behind_the_end_are_refused) {
  auto bytes =
      write_post_bincode(RandomVanillaProofs(small(), kSeed).post(ProofKind::window), small(), ProofKind::window);
  const std::uint64_t size = bytes.size();
  bytes.push_back(std::byte{0});
  const auto proof = read_post_bincode(bytes, small(), ProofKind::window);
  ASSERT_FALSE(proof);
  EXPECT_EQ(proof.error().kind(), Kind::trailing_bytes);
  EXPECT_EQ(proof.error().where()->offset, size);
  auto c1 = write_phase1_bincode(small_porep());
  c1.push_back(std::byte{0});
  EXPECT_EQ(read_phase1_bincode(c1, must(seal_proof(5))).error().kind(), Kind::trailing_bytes);
  EXPECT_EQ(read_phase1_json(write_phase1_json(small_porep()) + " x").error().kind(), Kind::trailing_bytes);
  EXPECT_EQ(read_c1_json(write_c1_json(small_porep(), 1) + "1").error().kind(), Kind::trailing_bytes);
}

/// Lengths of prefixes to try: all at both ends, some between.
template <class Try> void at_lengths(std::size_t size, Try attempt) {
  constexpr std::size_t kEnds = 800, kStep = 997;
  for (std::size_t length = 0; length < size; length += length < kEnds || length + kEnds > size ? 1 : kStep)
    attempt(length);
}

TEST(Wire, prefixes_of_a_seal_are_refused) {
  const std::string inner = write_phase1_json(small_porep());
  at_lengths(inner.size(), [&](std::size_t length) {
    const auto proof = read_phase1_json(std::string(inner, 0, length));
    ASSERT_FALSE(proof) << length;
    EXPECT_EQ(proof.error().kind(), Kind::truncated) << length << " " << proof.error().to_string();
  });
  const std::string text = write_c1_json(small_porep(), 1);
  at_lengths(text.size(),
             [&](std::size_t length) { EXPECT_FALSE(read_c1_json(std::string(text, 0, length))) << length; });
  // The base64 itself cut: whole groups or not, the inner text ends too soon.
  const std::string packed = encode_base64(text_bytes(inner));
  at_lengths(packed.size(), [&](std::size_t length) {
    const std::string cut = "{\"SectorNum\":1,\"Phase1Out\":\"" + packed.substr(0, length) + "\",\"SectorSize\":2048}";
    const auto c1 = read_c1_json(cut);
    ASSERT_FALSE(c1) << length;
    if (length % 4 != 0) {
      EXPECT_EQ(c1.error().kind(), Kind::bad_base64) << length;
    }
    EXPECT_TRUE(c1.error().where()->section.starts_with("Phase1Out")) << c1.error().to_string();
  });
}

// --- each field of the JSON

struct JsonFault {
  std::string pointer;  // into the inner text
  Json value;           // what stands there instead; discarded: the member is removed
  Kind kind;
  std::string section;
};

const Json kRemoved = Json(Json::value_t::discarded);

Json bytes_of(const U256& number) {
  Bytes32 bytes;
  number.to_le_bytes(bytes.data());
  Json json = Json::array();
  for (const std::byte byte : bytes) json.push_back(std::to_integer<int>(byte));
  return json;
}

std::vector<JsonFault> json_faults() {
  const std::string proof = "/vanilla_proofs/StackedDrg2KiBV1/0/1", at = "vanilla_proofs.StackedDrg2KiBV1[0][1]";
  const std::string data = "/comm_d_proofs/data/Single", d = ".comm_d_proofs.data.Single";
  const std::string column = "/replica_column_proofs/c_x/column", c = ".replica_column_proofs.c_x.column";
  const std::string parents = "/replica_column_proofs/exp_parents", e = ".replica_column_proofs.exp_parents";
  const std::string label = "/labeling_proofs/0", l = ".labeling_proofs[0]";
  const U256 r = bls12_381::Fr::modulus;
  const Json node = bytes_of(U256::from_u64(1)), nodes36 = Json(std::vector<Json>(36, node));
  const Json level = {{"hashes", {node}}, {"index", 0}};
  return {
      {"/registered_proof", "StackedDrg3KiBV1", Kind::unknown_proof_type, "registered_proof"},
      {"/registered_proof", 5, Kind::bad_json, "registered_proof"},
      {"/registered_proof", "StackedDrg8MiBV1_1", Kind::wrong_proof_type, ""},
      {"/registered_proof", "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep", Kind::bad_count, ""},
      {"/registered_proof", kRemoved, Kind::missing_field, ""},
      {"/vanilla_proofs", Json::array(), Kind::bad_json, "vanilla_proofs"},
      {"/vanilla_proofs", Json::object(), Kind::bad_json, "vanilla_proofs"},
      {"/vanilla_proofs", {{"StackedDrg2KiBV1_1", Json::array()}}, Kind::wrong_proof_type, "vanilla_proofs"},
      {"/vanilla_proofs", {{"Drg", Json::array()}}, Kind::unknown_proof_type, "vanilla_proofs"},
      {"/vanilla_proofs/StackedDrg2KiBV1", Json::array(), Kind::bad_count, ""},
      {"/vanilla_proofs/StackedDrg2KiBV1/0", Json::array(), Kind::bad_count, "vanilla_proofs.StackedDrg2KiBV1[0]"},
      {"/comm_r", bytes_of(r), Kind::non_canonical, "comm_r"},
      {"/comm_d", kRemoved, Kind::missing_field, ""},
      {"/replica_id", "00", Kind::bad_json, "replica_id"},
      {"/seed/31", 256, Kind::bad_number, "seed"},
      {"/ticket", Json::array(), Kind::bad_length, "ticket"},
      {proof + "/comm_d_proofs/data", {{"Sub", Json::object()}}, Kind::bad_tree_shape, at + ".comm_d_proofs.data"},
      {proof + data + "/root", bytes_of(r), Kind::non_canonical, at + d + ".root"},
      {proof + data + "/leaf/0", -1, Kind::bad_number, at + d + ".leaf"},
      {proof + data + "/leaf", kRemoved, Kind::missing_field, at + d},
      {proof + data + "/path/path", Json::array(), Kind::bad_tree_shape, at + d + ".path.path"},
      {proof + data + "/path/path", Json(std::vector<Json>(7, level)), Kind::bad_tree_shape, at + d + ".path.path"},
      {proof + data + "/path/path/2/hashes", {node, node}, Kind::bad_tree_shape, at + d + ".path.path[2].hashes"},
      {proof + data + "/path/path/2/hashes", Json::array(), Kind::bad_tree_shape, at + d + ".path.path[2].hashes"},
      {proof + data + "/path/path/2/index", 2, Kind::index_out_of_range, at + d + ".path.path[2].index"},
      {proof + data + "/path/path/2/index", 1.5, Kind::bad_number, at + d + ".path.path[2].index"},
      {proof + column + "/index", std::uint64_t{1} << 32, Kind::bad_number, at + c + ".index"},
      {proof + column + "/rows", {node}, Kind::bad_count, at + c + ".rows"},
      {proof + column + "/rows", {node, node, node}, Kind::bad_count, at + c + ".rows"},
      {proof + column + "/_h", 1, Kind::bad_json, at + c + "._h"},
      {proof + parents, Json::array(), Kind::bad_count, at + e},
      {proof + parents + "/7/column/rows/1", bytes_of(r), Kind::non_canonical, at + e + "[7].column.rows[1]"},
      {proof + label + "/parents", nodes36, Kind::bad_count, at + l + ".parents"},
      {proof + label + "/layer_index", -1, Kind::bad_number, at + l + ".layer_index"},
      {proof + label + "/node", kRemoved, Kind::missing_field, at + l},
      {proof + "/labeling_proofs", Json::array(), Kind::bad_count, at + ".labeling_proofs"},
      {proof + "/encoding_proof", nullptr, Kind::bad_json, at + ".encoding_proof"},
  };
}

TEST(Wire, each_wrong_member_of_a_seal_has_its_name_and_place) {
  const Json whole = Json::parse(write_phase1_json(small_porep()));
  for (const JsonFault& fault : json_faults()) {
    Json damaged = whole;
    const Json::json_pointer pointer(fault.pointer);
    if (fault.value.is_discarded()) {
      damaged.at(pointer.parent_pointer()).erase(pointer.back());
    } else {
      damaged.at(pointer) = fault.value;
    }
    for (const std::string& text : {damaged.dump(), damaged.dump(2)}) {
      const auto proof = read_phase1_json(text);
      ASSERT_FALSE(proof) << fault.pointer;
      SCOPED_TRACE(fault.pointer + ": " + proof.error().to_string());
      EXPECT_EQ(to_string(proof.error().kind()), to_string(fault.kind));
      EXPECT_EQ(proof.error().where()->section, fault.section);
    }
  }
}

TEST(Wire, members_in_any_order_and_unknown_ones) {
  const std::string inner = write_phase1_json(small_porep());
  Json sorted = Json::parse(inner);  // nlohmann's objects are sorted: another order than serde's
  sorted["zzz"] = {{"a", {1, 2.5, "x"}}, {"b", nullptr}};
  sorted["vanilla_proofs"]["StackedDrg2KiBV1"][0][0]["comm_d_proofs"]["more"] = "ignored";
  sorted["vanilla_proofs"]["StackedDrg2KiBV1"][0][0]["replica_column_proofs"]["c_x"]["column"].erase("_h");
  for (const std::string& text : {sorted.dump(), sorted.dump(4)})
    EXPECT_EQ(write_phase1_json(must(read_phase1_json(text))), inner);
  // The registered proof behind the proofs.
  std::string moved = inner;
  const std::string name = "\"registered_proof\":\"StackedDrg2KiBV1_1\"";
  moved.replace(1, name.size() + 1, "");
  moved.insert(moved.size() - 1, "," + name);
  EXPECT_EQ(write_phase1_json(must(read_phase1_json(moved))), inner);
  // A member twice.
  moved.insert(moved.size() - 1, "," + name);
  const auto twice = read_phase1_json(moved);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().kind(), Kind::bad_json);
  EXPECT_EQ(twice.error().where()->section, "registered_proof");
}

TEST(Wire, the_wrapper_is_checked) {
  const std::string packed = encode_base64(text_bytes(write_phase1_json(small_porep())));
  const auto fault_of = [](const std::string& text) {
    const auto c1 = read_c1_json(text);
    return c1 ? std::string() : std::string(to_string(c1.error().kind()));
  };
  const auto wrapper = [&](std::string_view number, std::string_view out, std::string_view size) {
    return "{\"SectorNum\":" + std::string(number) + ",\"Phase1Out\":" + std::string(out) +
           ",\"SectorSize\":" + std::string(size) + "}";
  };
  const std::string out = "\"" + packed + "\"";
  EXPECT_EQ(fault_of(wrapper("1", out, "2048")), "");
  EXPECT_EQ(fault_of("{\"SectorSize\":2048 , \"Phase1Out\":" + out + " , \"More\":[], \"SectorNum\" : 1}"), "");
  EXPECT_EQ(fault_of(wrapper("1", out, "8388608")), "wrong_sector_size");
  EXPECT_EQ(fault_of(wrapper("-1", out, "2048")), "bad_number");
  EXPECT_EQ(fault_of(wrapper("1", "\"\"", "2048")), "truncated");
  EXPECT_EQ(fault_of(wrapper("1", "null", "2048")), "bad_json");
  EXPECT_EQ(fault_of(wrapper("1", "\"" + packed + "*\"", "2048")), "bad_base64");
  EXPECT_EQ(fault_of(wrapper("1", "\"" + packed.substr(0, 400) + "\\n" + packed.substr(400) + "\"", "2048")),
            "bad_base64");
  EXPECT_EQ(fault_of("{\"Phase1Out\":" + out + ",\"SectorSize\":2048}"), "missing_field");
  EXPECT_EQ(fault_of("{\"Phase1Out\":" + out + ",\"Phase1Out\":" + out + "}"), "bad_json");
}

// --- each field of bincode

struct BincodeFault {
  std::size_t offset;
  std::uint64_t value;  // eight bytes there
  Kind kind;
  std::string section;
};

template <class Read>
void expect_bincode_faults(const std::vector<std::byte>& good, const std::vector<BincodeFault>& faults, Read read) {
  for (const BincodeFault& fault : faults) {
    std::vector<std::byte> bad = good;
    store_le(bad.data() + fault.offset, fault.value);
    const auto proof = read(bad);
    ASSERT_FALSE(proof) << fault.offset;
    SCOPED_TRACE(std::to_string(fault.offset) + ": " + proof.error().to_string());
    EXPECT_EQ(to_string(proof.error().kind()), to_string(fault.kind));
    EXPECT_EQ(proof.error().where()->section, fault.section);
  }
}

constexpr std::uint64_t kHuge = ~std::uint64_t{0}, kHalf = std::uint64_t{1} << 60;

TEST(Wire, each_wrong_field_of_a_post_proof_has_its_name_and_place) {
  const auto good =
      write_post_bincode(RandomVanillaProofs(small(), kSeed).post(ProofKind::window), small(), ProofKind::window);
  // sector_id 8, comm_r 32, sectors 8, proofs 8; a proof of 556: variant 4, root 32, leaf 32, levels 8, then for each
  // level hashes 8, 7 * 32, index 8; comm_c 32, comm_r_last 32
  const std::string in = "v.vanilla_proof.sectors", first = in + "[0].inclusion_proofs[0].data";
  const std::size_t proof = 56, levels = proof + 68, level = levels + 8, index = level + 8 + 7 * 32;
  const std::size_t comm_c = proof + 10 * 556;
  const std::vector<BincodeFault> faults = {
      {32, kHuge, Kind::non_canonical, "v.comm_r"},
      {40, 0, Kind::bad_count, in},
      {40, 2, Kind::bad_count, in},
      {40, kHuge, Kind::bad_count, in},
      {48, 11, Kind::bad_count, in + "[0].inclusion_proofs"},
      {48, kHalf, Kind::bad_count, in + "[0].inclusion_proofs"},
      {proof, 1, Kind::bad_tree_shape, first},
      {proof, 3, Kind::bad_tree_shape, first},
      {proof + 4 + 24, kHuge, Kind::non_canonical, first + ".Single.root"},
      {proof + 36 + 24, kHuge, Kind::non_canonical, first + ".Single.leaf"},
      {levels, 3, Kind::bad_tree_shape, first + ".Single.path.path"},
      {levels, kHuge, Kind::bad_tree_shape, first + ".Single.path.path"},
      {level, 1, Kind::bad_tree_shape, first + ".Single.path.path[0].hashes"},
      {level, kHalf, Kind::bad_tree_shape, first + ".Single.path.path[0].hashes"},
      {level + 8 + 24, kHuge, Kind::non_canonical, first + ".Single.path.path[0].hashes[0]"},
      {index, 8, Kind::index_out_of_range, first + ".Single.path.path[0].index"},
      {index, 256, Kind::index_out_of_range, first + ".Single.path.path[0].index"},
      {comm_c + 24, kHuge, Kind::non_canonical, in + "[0].comm_c"},
      {comm_c + 56, kHuge, Kind::non_canonical, in + "[0].comm_r_last"},
  };
  ASSERT_EQ(good.size(), comm_c + 64);
  expect_bincode_faults(good, faults,
                        [](Bytes bytes) { return read_post_bincode(bytes, small(), ProofKind::window, "v"); });
  EXPECT_EQ(read_post_bincode(good, small(), ProofKind::winning).error().kind(), Kind::bad_count);
  EXPECT_FALSE(read_post_bincode(good, shape("32GiB"), ProofKind::window));
}

TEST(Wire, each_wrong_field_of_an_update_has_its_name_and_place) {
  const auto good = write_update_bincode(RandomVanillaProofs(small(), kSeed).update(), small());
  const std::size_t apex = 32, challenges = apex + 8 + 8 * 32, old = challenges + 8, data = old + 556,
                    fresh = data + 364;
  const std::vector<BincodeFault> faults = {
      {24, kHuge, Kind::non_canonical, "comm_c"},
      {apex, 128, Kind::bad_count, "apex_leafs"},
      {apex, kHuge, Kind::bad_count, "apex_leafs"},
      {apex + 8 + 7 * 32 + 24, kHuge, Kind::non_canonical, "apex_leafs[7]"},
      {challenges, 86, Kind::bad_count, "challenge_proofs"},
      {challenges, kHalf, Kind::bad_count, "challenge_proofs"},
      {old, 2, Kind::bad_tree_shape, "challenge_proofs[0].proof_r_old.data"},
      {data + 68, 2, Kind::bad_tree_shape, "challenge_proofs[0].proof_d_new.data.Single.path.path"},
      {data + 76, 7, Kind::bad_tree_shape, "challenge_proofs[0].proof_d_new.data.Single.path.path[0].hashes"},
      {data + 76 + 40, 2, Kind::index_out_of_range, "challenge_proofs[0].proof_d_new.data.Single.path.path[0].index"},
      {fresh + 4 + 24, kHuge, Kind::non_canonical, "challenge_proofs[0].proof_r_new.data.Single.root"},
  };
  expect_bincode_faults(good, faults, [](Bytes bytes) { return read_update_bincode(bytes, small()); });
}

TEST(Wire, wrong_heads_of_binary_seals) {
  const auto good = write_api_phase1_bincode(small_porep());
  const std::uint64_t partitions_low = 1;  // the low half of the eight bytes at 4 is the variant
  const std::vector<BincodeFault> faults = {
      {0, 20, Kind::unknown_proof_type, "registered_proof"},
      {0, 6, Kind::wrong_proof_type, ""},
      {0, 0xfffffff0, Kind::unknown_proof_type, "registered_proof"},
      {4, partitions_low, Kind::wrong_proof_type, ""},
      {8, 14, Kind::bad_count, "vanilla_proofs"},
      {8, kHuge, Kind::bad_count, "vanilla_proofs"},
      {16, 3, Kind::bad_count, "vanilla_proofs[0]"},
      {16, kHalf, Kind::bad_count, "vanilla_proofs[0]"},
  };
  expect_bincode_faults(good, faults, [](Bytes bytes) { return read_api_phase1_bincode(bytes); });
}

// --- lists

TEST(Wire, lists) {
  const auto element =
      write_post_bincode(RandomVanillaProofs(small(), kSeed).post(ProofKind::window), small(), ProofKind::window);
  const auto kind_of = [](std::string_view json) {
    const auto proofs = read_post_proofs(json, small(), ProofKind::window);
    return proofs ? std::to_string(proofs->size()) : std::string(to_string(proofs.error().kind()));
  };
  const ByteStrings one{element}, two{element, element}, three{element, element, element};
  EXPECT_EQ(kind_of(write_vanilla_list(one)), "1");
  EXPECT_EQ(kind_of(write_vanilla_list(two)), "2");
  EXPECT_EQ(kind_of(write_vanilla_list(three)), "bad_count");
  EXPECT_EQ(kind_of("[]"), "bad_count");
  EXPECT_EQ(kind_of("{}"), "bad_json");
  EXPECT_EQ(kind_of("[1]"), "bad_json");
  EXPECT_EQ(kind_of("[\"Zg\"]"), "bad_base64");
  EXPECT_EQ(kind_of("[\"Zg==\"]"), "truncated");
  EXPECT_EQ(kind_of("[\"Zg==\","), "truncated");
  EXPECT_EQ(kind_of("[\"" + std::string(1500000, 'A') + "\"]"), "bad_length");
  const auto cut = read_post_proofs(write_vanilla_list(ByteStrings{element, {element.begin(), element.end() - 1}}),
                                    small(), ProofKind::window);
  EXPECT_EQ(cut.error().where()->section, "[1].vanilla_proof.sectors[0].comm_r_last");
  const auto both = read_post_proofs(write_vanilla_list(ByteStrings{{}, {element.begin(), element.end() - 1}}), small(),
                                     ProofKind::window);
  EXPECT_EQ(both.error().where()->section, "[0].sector_id");
  EXPECT_NE(both.error().to_string().find("2 of 2 vanilla proofs cannot be decoded, counted from 0: 0 1"),
            std::string::npos)
      << both.error().to_string();
  EXPECT_EQ(read_post_proofs(write_vanilla_list(two), small(), ProofKind::winning).error().kind(), Kind::bad_count);
  EXPECT_EQ(read_update_proofs(write_vanilla_list(two), small()).error().kind(), Kind::bad_count);
}

TEST(Wire, random_changes_are_survived) {
  RandomVanillaProofs random(small(), kSeed);
  test::survive_flips(write_post_bincode(random.post(ProofKind::window), small(), ProofKind::window), 3000,
                      [](const FileBytes& b) { return read_post_bincode(b, small(), ProofKind::window).has_value(); });
  test::survive_flips(write_update_bincode(random.update(), small()), 3000,
                      [](const FileBytes& b) { return read_update_bincode(b, small()).has_value(); });
  const auto text_of = [](const FileBytes& bytes) { return std::string(bytes_text(bytes)); };
  const auto bytes_of_text = [](const std::string& text) {
    const Bytes bytes = text_bytes(text);
    return FileBytes(bytes.begin(), bytes.end());
  };
  test::survive_flips(bytes_of_text(write_phase1_json(small_porep())), 500,
                      [&](const FileBytes& b) { return read_phase1_json(text_of(b)).has_value(); });
  test::survive_flips(bytes_of_text(write_c1_json(small_porep(), 1)), 500,
                      [&](const FileBytes& b) { return read_c1_json(text_of(b)).has_value(); });
}

}  // namespace
}  // namespace cuzk::filecoin
