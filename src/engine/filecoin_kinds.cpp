#include "engine/filecoin_jobs.h"
#include "filecoin/primitives/prover_id.h"
#include "filecoin/proof_request.h"
#include "filecoin/wire/c1_json.h"
#include "filecoin/wire/vanilla_list.h"
#include "support/reader.h"

namespace cuzk::engine {

namespace {

using filecoin::ProofKind;
using filecoin::ProofRequest;

class FilecoinStatement final : public Statement {
 public:
  explicit FilecoinStatement(ProofRequest request) : request_(std::move(request)), circuit_(request_.circuit().id()) {}

  const std::string& circuit() const noexcept override { return circuit_; }
  std::uint32_t partitions() const noexcept override { return static_cast<std::uint32_t>(request_.partitions()); }
  std::optional<std::vector<U256>> public_inputs(std::uint32_t partition) const override {
    return request_.public_inputs(partition);
  }
  Result<r1cs::Witness> witness(Arena& arena, std::uint32_t partition, const StopToken& stop) const override {
    auto witness = request_.witness(arena, partition, stop);
    CUZK_CHECK_OK(check_stop(stop, "generating a witness"));
    return witness;
  }

 private:
  const ProofRequest request_;
  const std::string circuit_;
};

Result<filecoin::Node> read_node(Reader& in, std::string_view what) {
  CUZK_TRY(const Bytes bytes, in.bytes(sizeof(filecoin::Node), what));
  return filecoin::Node::from_le_bytes(bytes.data());
}

std::vector<Bytes> views(const JobContent& content) {
  std::vector<Bytes> all;
  for (const Payload& payload : content.payloads) all.push_back(payload.bytes);
  return all;
}

class FilecoinKind final : public JobKind {
 public:
  explicit FilecoinKind(ProofKind kind) : kind_(kind), name_(job_kind(kind)) {}

  const std::string& name() const noexcept override { return name_; }
  memory::Priority default_priority() const noexcept override {
    if (kind_ == ProofKind::winning) return memory::Priority::critical;
    return kind_ == ProofKind::window ? memory::Priority::high : memory::Priority::normal;
  }

  /// A C1 text is several times longer than what it says; the binary forms are as long, without the vectors' own bytes.
  std::uint64_t statement_bytes(std::uint64_t payload_bytes) const noexcept override {
    return kind_ == ProofKind::porep ? payload_bytes : 2 * payload_bytes;
  }

  Result<std::shared_ptr<const Statement>> read(const JobContent& content, const Reading& reading) const override {
    Reader in(content.metadata, "metadata");
    CUZK_TRY(const std::uint64_t number, in.u64_le("registered proof"));
    const auto registered = static_cast<std::uint32_t>(number);
    auto request = kind_ == ProofKind::porep  ? read_porep(content, registered, in, reading)
                   : kind_ == ProofKind::snap ? read_snap(content, registered, in, reading)
                                              : read_post(content, registered, in, reading);
    if (!request) return fail(std::move(request).error());
    return std::make_shared<const FilecoinStatement>(*std::move(request));
  }

 private:
  static Result<ProofRequest> read_porep(const JobContent& content, std::uint32_t registered, Reader& in,
                                         const Reading& reading) {
    CUZK_TRY(const std::uint64_t sector_number, in.u64_le("sector number"));
    CUZK_TRY(const std::uint64_t miner, in.u64_le("miner"));
    CUZK_TRY(const auto proof, filecoin::seal_proof(registered));
    CUZK_TRY(auto c1, filecoin::read_c1_json(bytes_text(content.payloads.at(0).bytes)));
    reading.decoded();
    const filecoin::SealStatement statement{.proof = proof,
                                            .prover_id = filecoin::prover_id(miner),
                                            .sector_number = sector_number,
                                            .ticket = c1.proof.ticket,
                                            .seed = c1.proof.seed,
                                            .comm_d = c1.proof.comm_d,
                                            .comm_r = c1.proof.comm_r};
    return filecoin::porep_request(reading.arena, std::move(c1.proof), &statement);
  }

  Result<ProofRequest> read_post(const JobContent& content, std::uint32_t registered, Reader& in,
                                 const Reading& reading) const {
    CUZK_CHECK_OK(in.u64_le("miner"));
    CUZK_TRY(const auto randomness, read_node(in, "randomness"));
    CUZK_TRY(const auto proof, filecoin::post_proof(registered));
    CUZK_TRY(auto proofs, filecoin::read_post_proofs(views(content), *proof.sector, kind_));
    reading.decoded();
    filecoin::PostStatement statement{.proof = proof, .randomness = randomness, .sectors = {}};
    for (const auto& sector : proofs) statement.sectors.push_back({sector.sector_id, sector.comm_r});
    return filecoin::post_request(reading.arena, std::move(proofs), statement);
  }

  static Result<ProofRequest> read_snap(const JobContent& content, std::uint32_t registered, Reader& in,
                                        const Reading& reading) {
    filecoin::UpdateStatement statement{};
    CUZK_TRY(statement.sector, filecoin::update_proof(registered));
    CUZK_TRY(statement.comm_r_old, read_node(in, "comm_r_old"));
    CUZK_TRY(statement.comm_r_new, read_node(in, "comm_r_new"));
    CUZK_TRY(statement.comm_d_new, read_node(in, "comm_d_new"));
    CUZK_TRY(auto proofs, filecoin::read_update_proofs(views(content), *statement.sector));
    reading.decoded();
    return filecoin::update_request(reading.arena, std::move(proofs), statement);
  }

  const ProofKind kind_;
  const std::string name_;
};

}  // namespace

std::vector<std::shared_ptr<const JobKind>> filecoin_kinds() {
  std::vector<std::shared_ptr<const JobKind>> all;
  for (const ProofKind kind : filecoin::kProofKinds) all.push_back(std::make_shared<const FilecoinKind>(kind));
  return all;
}

}  // namespace cuzk::engine
