#include "cli/request_input.h"

#include <limits>
#include <span>

#include "cli/files.h"
#include "filecoin/verify/statement_json.h"
#include "filecoin/wire/vanilla_list.h"
#include "support/hex.h"

namespace cuzk::cli {
namespace {

constexpr std::uint64_t kDefaultMiner = 1000;
constexpr std::uint64_t kDefaultSector = 1;

client::Kind kind_of(filecoin::ProofKind kind) {
  switch (kind) {
    case filecoin::ProofKind::porep:
      return client::Kind::porep;
    case filecoin::ProofKind::winning:
      return client::Kind::winning;
    case filecoin::ProofKind::window:
      return client::Kind::window;
    case filecoin::ProofKind::snap:
      break;
  }
  return client::Kind::snap;
}

client::Priority priority_of(const std::string& name) {
  if (name == "low") return client::Priority::low;
  if (name == "normal") return client::Priority::normal;
  if (name == "high") return client::Priority::high;
  return name == "critical" ? client::Priority::critical : client::Priority::of_kind;
}

std::uint64_t stated_deadline_ms(const ProofInput& input) { return static_cast<std::uint64_t>(input.deadline.count()); }

std::string bytes_of(const filecoin::Node& node) {
  std::string bytes(sizeof(filecoin::Node), '\0');
  node.to_le_bytes(std::as_writable_bytes(std::span(bytes)).data());
  return bytes;
}

/// Inverse of filecoin::prover_id: unsigned LEB128.
std::uint64_t actor_of(const filecoin::Bytes32& prover_id) {
  std::uint64_t actor = 0;
  for (unsigned i = 0; i < 10; ++i) {
    const auto byte = std::to_integer<std::uint64_t>(prover_id[i]);
    actor |= (byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) break;
  }
  return actor;
}

std::uint64_t number_of(const filecoin::SectorShape* sector) {
  for (std::uint32_t number = 0;; ++number) {
    const auto known = filecoin::update_proof(number);
    if (!known || *known == sector) return number;
  }
}

/// Fills a request from public data.
struct Stated {
  client::FilecoinProof& proof;

  void operator()(const filecoin::SealStatement& seal) const {
    proof.registered_proof = seal.proof.number;
    proof.sector_size = seal.proof.sector->bytes;
    proof.sector_number = seal.sector_number;
    proof.miner_id = actor_of(seal.prover_id);
  }
  void operator()(const filecoin::PostStatement& post) const {
    proof.registered_proof = post.proof.number;
    proof.sector_size = post.proof.sector->bytes;
    proof.randomness = bytes_of(post.randomness);
  }
  void operator()(const filecoin::UpdateStatement& update) const {
    proof.registered_proof = number_of(update.sector);
    proof.sector_size = update.sector->bytes;
    proof.comm_r_old = bytes_of(update.comm_r_old);
    proof.comm_r_new = bytes_of(update.comm_r_new);
    proof.comm_d_new = bytes_of(update.comm_d_new);
  }
};

Status set_node(const std::string& hex, std::string& to) {
  if (hex.empty()) return {};
  CUZK_TRY(const auto bytes, decode_hex(hex));
  to = bytes_text(bytes);
  return {};
}

/// What the command line says goes before the public data.
Status set_fields(const ProofInput& input, client::FilecoinProof& proof) {
  proof.registered_proof = input.registered_proof.value_or(proof.registered_proof);
  proof.miner_id = input.miner_id.value_or(proof.miner_id);
  proof.sector_number = input.sector_number.value_or(proof.sector_number);
  proof.sector_size = input.sector_size.value_or(proof.sector_size);
  const std::uint64_t partition = input.partition.value_or(0);
  if (partition > std::numeric_limits<std::uint32_t>::max()) {
    return fail(Code::invalid_argument, "--partition is above 2^32 - 1");
  }
  proof.partition_index = static_cast<std::uint32_t>(partition);
  CUZK_CHECK_OK(set_node(input.randomness, proof.randomness));
  CUZK_CHECK_OK(set_node(input.comm_r_old, proof.comm_r_old));
  CUZK_CHECK_OK(set_node(input.comm_r_new, proof.comm_r_new));
  return set_node(input.comm_d_new, proof.comm_d_new);
}

bool is_list(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '[';
}

}  // namespace

Result<RequestInput> RequestInput::read(const ProofInput& input) {
  RequestInput request;
  request.kind_ = input.kind.empty() ? "circom" : input.kind;
  CUZK_CHECK_OK(input.kind.empty() ? request.read_circom(input) : request.read_filecoin(input));
  return request;
}

Status RequestInput::read_circom(const ProofInput& input) {
  CUZK_TRY(MappedFile file, open_input(input.witness));
  files_.push_back(std::move(file));
  request_ = client::CircomProof{.key = input.key,
                                 .label = input.label,
                                 .priority = priority_of(input.priority),
                                 .wtns = files_.back().bytes(),
                                 .deadline_ms = stated_deadline_ms(input)};
  return {};
}

Status RequestInput::read_filecoin(const ProofInput& input) {
  const auto kind = filecoin::proof_kind_from(input.kind);
  CUZK_REQUIRE(kind.has_value());  // the parser took no other names
  client::FilecoinProof proof{.kind = kind_of(*kind),
                              .label = input.label,
                              .priority = priority_of(input.priority),
                              .sector_number = kDefaultSector,
                              .miner_id = kDefaultMiner};
  const bool is_post = *kind == filecoin::ProofKind::winning || *kind == filecoin::ProofKind::window;
  if (is_post) proof.randomness = std::string(sizeof(filecoin::Node), '\0');
  if (!input.public_data.empty()) {
    CUZK_TRY(const MappedFile file, open_input(input.public_data));
    CUZK_TRY(const auto statement, in_file(input.public_data, filecoin::read_statement_json(*kind, text_of(file))));
    std::visit(Stated{proof}, statement);
  }
  proof.deadline_ms = stated_deadline_ms(input);
  CUZK_CHECK_OK(set_fields(input, proof));
  CUZK_CHECK_OK(read_payloads(input, proof));
  request_ = std::move(proof);
  return {};
}

Status RequestInput::read_payloads(const ProofInput& input, client::FilecoinProof& proof) {
  CUZK_TRY(MappedFile file, open_input(input.vanilla));
  if (proof.kind == client::Kind::porep || !is_list(text_of(file))) {
    files_.push_back(std::move(file));
    proof.payloads.push_back(files_.back().bytes());
    return {};
  }
  CUZK_TRY(elements_, in_file(input.vanilla, filecoin::read_vanilla_list(text_of(file))));
  proof.payloads.assign(elements_.begin(), elements_.end());
  return {};
}

std::uint64_t RequestInput::deadline_ms() const noexcept {
  return std::visit([](const auto& request) { return request.deadline_ms; }, request_);
}

Result<client::Accepted> RequestInput::submit(const client::Client& client, const StopToken& stop) const {
  return std::visit([&](const auto& request) { return client.submit(request, stop); }, request_);
}

Result<client::Outcome> RequestInput::prove(const client::Client& client, std::uint64_t repetition,
                                            const StopToken& stop) const {
  return std::visit(
      [&](auto request) {
        request.repetition = repetition;
        return client.prove(request, stop);
      },
      request_);
}

}  // namespace cuzk::cli
