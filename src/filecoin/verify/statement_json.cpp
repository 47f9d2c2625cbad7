#include "filecoin/verify/statement_json.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>

#include "field/fp.h"
#include "filecoin/primitives/prover_id.h"
#include "filecoin/wire/base64.h"
#include "formats/json_fault.h"
#include "support/hex.h"

namespace cuzk::filecoin {
namespace {

using Element = simdjson::dom::element;
using Fr = bls12_381::Fr;

Error wrong(const std::string& path, Code code, Kind kind, std::string message, std::string expected = {},
            std::string found = {}) {
  return Error(code, kind, std::move(message))
      .at({.file = {}, .section = path, .offset = 0, .expected = std::move(expected), .found = std::move(found)});
}
Error malformed(const std::string& path, Kind kind, std::string message, std::string expected = {},
                std::string found = {}) {
  return wrong(path, Code::malformed, kind, std::move(message), std::move(expected), std::move(found));
}

/// The members of one object, each taken by its name; `path` is what errors call the object.
class Members {
 public:
  static Result<Members> of(Element value, std::string path) {
    simdjson::dom::object object;
    if (value.get(object) != simdjson::SUCCESS) return fail(malformed(path, Kind::bad_json, "not an object"));
    return Members(object, std::move(path));
  }

  std::string path_of(std::string_view name) const { return path_ + std::string(name); }

  /// None where the member is absent or null. Error: it is there twice.
  Result<std::optional<Element>> find(std::string_view name) const {
    std::optional<Element> found;
    for (const auto [key, value] : object_) {
      if (key != name) continue;
      if (found) return fail(malformed(path_of(name), Kind::bad_json, "the member is there twice"));
      found = value;
    }
    if (found && found->is_null()) found.reset();
    return found;
  }
  Result<Element> require(std::string_view name) const {
    CUZK_TRY(const std::optional<Element> found, find(name));
    if (!found) return fail(malformed(path_of(name), Kind::missing_field, "the member is missing"));
    return *found;
  }

 private:
  Members(simdjson::dom::object object, std::string path) : object_(object), path_(std::move(path)) {}

  simdjson::dom::object object_;
  std::string path_;
};

// --- values

Result<std::uint64_t> as_u64(Element value, const std::string& path) {
  std::uint64_t number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;
  return fail(malformed(path, Kind::bad_number, "not an integer from 0 to 2^64 - 1"));
}

Result<std::string_view> as_text(Element value, const std::string& path) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return text;
  return fail(malformed(path, Kind::bad_json, "not a string"));
}

Result<Bytes32> as_bytes32(Element value, const std::string& path) {
  CUZK_TRY(const std::string_view text, as_text(value, path));
  Bytes32 bytes;
  constexpr std::size_t kHexDigits = 2 * sizeof(bytes), kBase64Digits = 44;
  if (text.size() == kHexDigits) {
    if (Status decoded = decode_hex(text, bytes); !decoded)
      return fail(malformed(path, Kind::bad_number, decoded.error().message()));
    return bytes;
  }
  if (text.size() != kBase64Digits)
    return fail(malformed(path, Kind::bad_length, "not 32 bytes", "64 hexadecimal digits, or 44 of base64",
                          std::to_string(text.size()) + " characters"));
  auto decoded = decode_base64(text);
  if (!decoded) return fail(malformed(path, Kind::bad_base64, decoded.error().message()));
  if (decoded->size() != bytes.size())
    return fail(malformed(path, Kind::bad_length, "not 32 bytes", "32", std::to_string(decoded->size())));
  std::copy(decoded->begin(), decoded->end(), bytes.begin());
  return bytes;
}

Result<Node> as_node(Element value, const std::string& path) {
  CUZK_TRY(const Bytes32 bytes, as_bytes32(value, path));
  const Node node = Node::from_le_bytes(bytes.data());
  if (node < Fr::modulus) return node;
  return fail(malformed(path, Kind::non_canonical, "the value is not below the field's modulus"));
}

Result<std::uint64_t> require_u64(const Members& members, std::string_view name) {
  CUZK_TRY(const Element value, members.require(name));
  return as_u64(value, members.path_of(name));
}

Result<Bytes32> require_bytes32(const Members& members, std::string_view name) {
  CUZK_TRY(const Element value, members.require(name));
  return as_bytes32(value, members.path_of(name));
}

Result<Node> require_node(const Members& members, std::string_view name) {
  CUZK_TRY(const Element value, members.require(name));
  return as_node(value, members.path_of(name));
}

/// No commitment is zero: nobody knows what hashes to it, and it is what an empty field looks like.
Result<Node> require_commitment(const Members& members, std::string_view name) {
  CUZK_TRY(const Node node, require_node(members, name));
  if (!node.is_zero()) return node;
  return fail(malformed(members.path_of(name), Kind::zero_commitment, "the commitment is zero"));
}

// --- members that all kinds share

constexpr std::size_t kMaxNameShown = 64;  // no registered proof's name is as long

/// "1.1.0" or "V1_1_0"
std::optional<ApiVersion> api_version_from(std::string_view text) noexcept {
  if (text == "1.0.0" || text == "V1_0_0") return ApiVersion::v1_0_0;
  if (text == "1.1.0" || text == "V1_1_0") return ApiVersion::v1_1_0;
  if (text == "1.2.0" || text == "V1_2_0") return ApiVersion::v1_2_0;
  return std::nullopt;
}

Result<std::optional<ApiVersion>> find_api_version(const Members& members) {
  CUZK_TRY(const std::optional<Element> value, members.find("api_version"));
  if (!value) return std::optional<ApiVersion>();
  CUZK_TRY(const std::string_view text, as_text(*value, members.path_of("api_version")));
  const std::optional<ApiVersion> version = api_version_from(text);
  if (version) return version;
  return fail(wrong("api_version", Code::unsupported, Kind::unknown_proof_type, "no version of the interface",
                    "1.0.0, 1.1.0 or 1.2.0", std::string(text.substr(0, kMaxNameShown))));
}

std::uint32_t number_of(const SealProof& proof) noexcept { return proof.number; }
std::uint32_t number_of(const PostProof& proof) noexcept { return proof.number; }
std::uint32_t number_of(const SectorShape* sector) noexcept { return sector->log2_nodes(); }

template <class T> Result<T> in_member(Result<T>&& result, const std::string& path) {
  if (result) return std::move(result);
  return fail(std::move(result).error().at({.file = {}, .section = path, .offset = 0, .expected = {}, .found = {}}));
}

/// registered_proof (a name or a number) and registered_proof_number; none where neither is there. `lookup` takes both.
template <class Lookup>
auto find_registered(const Members& members, Lookup lookup)
    -> Result<std::optional<typename decltype(lookup(std::uint32_t{0}))::value_type>> {
  using Proof = typename decltype(lookup(std::uint32_t{0}))::value_type;
  std::optional<Proof> found;
  for (const std::string_view name : {"registered_proof", "registered_proof_number"}) {
    CUZK_TRY(const std::optional<Element> value, members.find(name));
    if (!value) continue;
    const std::string path = members.path_of(name);
    std::optional<Proof> proof;
    if (value->is_string() && name == "registered_proof") {
      CUZK_TRY(const std::string_view text, as_text(*value, path));
      CUZK_TRY(proof, in_member(lookup(text.substr(0, kMaxNameShown)), path));
    } else {
      CUZK_TRY(const std::uint64_t number, as_u64(*value, path));
      if (number > 0xffffffff)
        return fail(wrong(path, Code::unsupported, Kind::unknown_proof_type, "no registered proof has this number", {},
                          std::to_string(number)));
      CUZK_TRY(proof, in_member(lookup(static_cast<std::uint32_t>(number)), path));
    }
    if (found && number_of(*found) != number_of(*proof))
      return fail(malformed(path, Kind::wrong_proof_type, "the two names of the registered proof differ"));
    found = proof;
  }
  return found;
}

template <class Lookup> auto require_registered(const Members& members, Lookup lookup) {
  using Proof = typename decltype(lookup(std::uint32_t{0}))::value_type;
  return find_registered(members, lookup).and_then([&](std::optional<Proof>&& found) -> Result<Proof> {
    if (!found) return fail(malformed("registered_proof", Kind::missing_field, "the member is missing"));
    return *found;
  });
}

/// "kind", where it names a kind of proof, names this one.
Status check_kind(const Members& members, ProofKind kind) {
  CUZK_TRY(const std::optional<Element> value, members.find("kind"));
  std::string_view text;
  if (!value || value->get(text) != simdjson::SUCCESS) return {};
  const std::optional<ProofKind> named = text == "seal"     ? ProofKind::porep
                                         : text == "update" ? ProofKind::snap
                                                            : proof_kind_from(text);
  if (!named || *named == kind) return {};
  return fail(malformed("kind", Kind::wrong_proof_type, "public data of another kind of proof",
                        std::string(name_of(kind)), std::string(text)));
}

Status check_sector_size(const Members& members, const SectorShape& sector) {
  CUZK_TRY(const std::optional<Element> value, members.find("sector_size"));
  if (!value) return {};
  CUZK_TRY(const std::uint64_t bytes, as_u64(*value, "sector_size"));
  if (bytes == sector.bytes) return {};
  return fail(malformed("sector_size", Kind::wrong_sector_size, "another sector size than the registered proof's",
                        std::to_string(sector.bytes), std::to_string(bytes)));
}

Status check_api_version(const Members& members, ApiVersion api) {
  CUZK_TRY(const std::optional<ApiVersion> version, find_api_version(members));
  if (!version || *version == api) return {};
  return fail(malformed("api_version", Kind::wrong_proof_type, "another version than the registered proof's"));
}

/// prover_id, or miner_id, or both if they agree; none where neither is there.
Result<std::optional<Bytes32>> find_prover_id(const Members& members) {
  std::optional<Bytes32> found;
  CUZK_TRY(const std::optional<Element> bytes, members.find("prover_id"));
  if (bytes) {
    CUZK_TRY(found, as_bytes32(*bytes, "prover_id"));
  }
  CUZK_TRY(const std::optional<Element> actor, members.find("miner_id"));
  if (!actor) return found;
  CUZK_TRY(const std::uint64_t number, as_u64(*actor, "miner_id"));
  const Bytes32 id = prover_id(number);
  if (found && *found != id)
    return fail(malformed("miner_id", Kind::bad_number, "the miner's id and the prover_id differ"));
  return std::optional(id);
}

Result<std::uint64_t> require_sector_number(const Members& members) {
  CUZK_TRY(const std::optional<Element> other_name, members.find("sector_id"));
  CUZK_TRY(const std::optional<Element> number, members.find("sector_number"));
  if (other_name && number)
    return fail(malformed(members.path_of("sector_id"), Kind::bad_json, "sector_number is there too"));
  return other_name ? as_u64(*other_name, members.path_of("sector_id")) : require_u64(members, "sector_number");
}

// --- seals

Result<PorepFeature> feature_of(const Members& members, ApiVersion api) {
  CUZK_TRY(const std::optional<Element> value, members.find("api_features"));
  std::optional<PorepFeature> feature;
  if (value) {
    simdjson::dom::array names;
    if (value->get(names) != simdjson::SUCCESS) return fail(malformed("api_features", Kind::bad_json, "not an array"));
    for (const Element element : names) {
      CUZK_TRY(const std::string_view name, as_text(element, "api_features"));
      if (feature || (name != "SyntheticPoRep" && name != "NonInteractivePoRep"))
        return fail(wrong("api_features", Code::unsupported, Kind::unknown_proof_type, "no such set of features", {},
                          std::string(name.substr(0, kMaxNameShown))));
      feature = name == "SyntheticPoRep" ? PorepFeature::synthetic : PorepFeature::non_interactive;
    }
  }
  // Without features version 1.2.0 seals as 1.1.0 does.
  return feature.value_or(api == ApiVersion::v1_0_0 ? PorepFeature::v1 : PorepFeature::v1_1);
}

/// A seal of a sector size, version and features, whatever its porep_id.
Result<SealProof> unregistered_seal_proof(const Members& members) {
  CUZK_TRY(const std::uint64_t bytes, require_u64(members, "sector_size"));
  CUZK_TRY(const std::optional<ApiVersion> api, find_api_version(members));
  if (!api)
    return fail(malformed("registered_proof", Kind::missing_field,
                          "neither a registered proof nor the version of the interface is given"));
  CUZK_TRY(const PorepFeature feature, feature_of(members, *api));
  const SectorShape* const sector = find_sector_shape(bytes);
  if (sector == nullptr)
    return fail(wrong("sector_size", Code::unsupported, Kind::wrong_sector_size, "no such sector size", {},
                      std::to_string(bytes)));
  return SealProof{0, sector, feature};
}

struct ProofAndId {
  SealProof proof;
  Bytes32 porep_id;
};

Result<ProofAndId> read_seal_proof(const Members& members) {
  CUZK_TRY(const auto registered, find_registered(members, [](auto key) { return seal_proof(key); }));
  CUZK_TRY(const std::optional<Element> value, members.find("porep_id"));
  if (!registered) {
    CUZK_TRY(const SealProof proof, unregistered_seal_proof(members));
    CUZK_TRY(const Bytes32 porep_id, require_bytes32(members, "porep_id"));
    return ProofAndId{proof, porep_id};
  }
  CUZK_CHECK_OK(check_sector_size(members, *registered->sector));
  CUZK_CHECK_OK(check_api_version(members, registered->api()));
  const ProofAndId both{*registered, registered->porep_id()};
  if (!value) return both;
  CUZK_TRY(const Bytes32 porep_id, as_bytes32(*value, "porep_id"));
  if (porep_id == both.porep_id) return both;
  return fail(malformed("porep_id", Kind::wrong_proof_type, "another porep_id than the registered proof's"));
}

/// Challenges of a non-interactive proof need no seed.
Result<Bytes32> read_seed(const Members& members, const SealProof& proof) {
  CUZK_TRY(const std::optional<Element> seed, members.find("seed"));
  if (!seed && proof.feature == PorepFeature::non_interactive) return Bytes32{};
  return require_bytes32(members, "seed");
}

Result<Statement> read_seal(const Members& members) {
  CUZK_TRY(const ProofAndId seal, read_seal_proof(members));
  SealStatement statement{seal.proof, {}, 0, {}, {}, {}, {}, seal.porep_id};
  CUZK_TRY(const std::optional<Bytes32> prover, find_prover_id(members));
  if (!prover) return fail(malformed("prover_id", Kind::missing_field, "neither prover_id nor miner_id is there"));
  statement.prover_id = *prover;
  CUZK_TRY(statement.sector_number, require_sector_number(members));
  CUZK_TRY(statement.ticket, require_bytes32(members, "ticket"));
  CUZK_TRY(statement.seed, read_seed(members, seal.proof));
  CUZK_TRY(statement.comm_d, require_commitment(members, "comm_d"));
  CUZK_TRY(statement.comm_r, require_commitment(members, "comm_r"));
  return statement;
}

// --- proofs of spacetime

Result<PostSectorStatement> read_sector(Element value, std::size_t index) {
  CUZK_TRY(const Members members, Members::of(value, "sectors[" + std::to_string(index) + "]."));
  PostSectorStatement sector{};
  CUZK_TRY(sector.sector_number, require_sector_number(members));
  CUZK_TRY(sector.comm_r, require_commitment(members, "comm_r"));
  return sector;
}

Status check_distinct_sectors(const std::vector<PostSectorStatement>& sectors) {
  std::vector<std::uint64_t> numbers;
  for (const PostSectorStatement& sector : sectors) numbers.push_back(sector.sector_number);
  std::sort(numbers.begin(), numbers.end());
  const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
  if (twice == numbers.end()) return {};
  return fail(malformed("sectors", Kind::duplicate_sector, "a sector is there twice", {}, std::to_string(*twice)));
}

Result<std::vector<PostSectorStatement>> read_sectors(const Members& members, ProofKind kind) {
  CUZK_TRY(const Element value, members.require("sectors"));
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return fail(malformed("sectors", Kind::bad_json, "not an array"));
  const std::size_t most = kind == ProofKind::winning ? 1 : kMaxStatementSectors;
  std::vector<PostSectorStatement> sectors;
  for (const Element element : array) {
    if (sectors.size() == most)
      return fail(malformed("sectors", Kind::bad_count, "too many sectors", "at most " + std::to_string(most)));
    CUZK_TRY(const PostSectorStatement sector, read_sector(element, sectors.size()));
    sectors.push_back(sector);
  }
  if (sectors.empty()) return fail(malformed("sectors", Kind::bad_count, "no sector", "one or more", "0"));
  CUZK_CHECK_OK(check_distinct_sectors(sectors));
  return sectors;
}

Result<Statement> read_post(const Members& members, ProofKind kind) {
  CUZK_TRY(const PostProof proof, require_registered(members, [](auto key) { return post_proof(key); }));
  if (proof.kind != kind)
    return fail(malformed("registered_proof", Kind::wrong_proof_type, "a registered proof of another kind",
                          std::string(name_of(kind)), proof.name()));
  CUZK_CHECK_OK(check_sector_size(members, *proof.sector));
  CUZK_CHECK_OK(check_api_version(members, proof.api));
  CUZK_CHECK_OK(find_prover_id(members));  // the proof does not depend on it; two that differ are a mistake
  PostStatement statement{proof, {}, {}};
  CUZK_TRY(statement.randomness, require_node(members, "randomness"));
  CUZK_TRY(statement.sectors, read_sectors(members, kind));
  CUZK_TRY(const std::optional<Element> first, members.find("partition_index"));
  if (first) {
    CUZK_TRY(statement.first_partition, as_u64(*first, "partition_index"));
    if (statement.first_partition > (kind == ProofKind::winning ? 0 : kMaxStatementSectors))
      return fail(malformed("partition_index", Kind::bad_count, "no such partition"));
  }
  return statement;
}

// --- updates

Result<Statement> read_update(const Members& members) {
  CUZK_TRY(const SectorShape* const sector, require_registered(members, [](auto key) { return update_proof(key); }));
  CUZK_CHECK_OK(check_sector_size(members, *sector));
  UpdateStatement statement{sector, {}, {}, {}};
  CUZK_TRY(statement.comm_r_old, require_commitment(members, "comm_r_old"));
  CUZK_TRY(statement.comm_d_new, require_commitment(members, "comm_d_new"));
  CUZK_TRY(statement.comm_r_new, require_commitment(members, "comm_r_new"));
  return statement;
}

Result<simdjson::dom::parser> parse(std::string_view text) {
  constexpr std::size_t kMaxDepth = 16;
  if (text.size() > kMaxStatementJsonBytes)
    return fail(malformed("", Kind::bad_length, "the text is too long",
                          "at most " + std::to_string(kMaxStatementJsonBytes), std::to_string(text.size())));
  if (text.empty()) return fail(malformed("", Kind::bad_json, "the text is empty"));  // and may have no address
  simdjson::dom::parser parser;
  simdjson::error_code error = parser.allocate(text.size(), kMaxDepth);
  if (error == simdjson::SUCCESS) error = parser.parse(text.data(), text.size()).error();
  if (error == simdjson::SUCCESS) return parser;
  if (error == simdjson::MEMALLOC) return fail(Code::exhausted, "no memory for a JSON document");
  return fail(formats::json_fault(text, kMaxDepth, simdjson::error_message(error)));
}

}  // namespace

Result<Statement> read_statement_json(ProofKind kind, std::string_view text) {
  CUZK_TRY(const simdjson::dom::parser parser, parse(text));
  CUZK_TRY(const Members members, Members::of(parser.doc.root(), ""));
  CUZK_CHECK_OK(check_kind(members, kind));
  switch (kind) {
    case ProofKind::porep:
      return read_seal(members);
    case ProofKind::snap:
      return read_update(members);
    case ProofKind::winning:
    case ProofKind::window:
      break;
  }
  return read_post(members, kind);
}

}  // namespace cuzk::filecoin
