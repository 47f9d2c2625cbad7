#include "filecoin/proof_request.h"

#include <algorithm>

#include "filecoin/primitives/public_inputs.h"
#include "filecoin/witness/generate.h"

namespace cuzk::filecoin {
namespace {

using Partition = ProofRequest::Partition;

Status check_partition(std::uint64_t partition, std::uint64_t count) {
  if (partition < count) return {};
  return fail(Code::invalid_argument,
              "there is no partition " + std::to_string(partition) + " of " + std::to_string(count));
}

/// The numbers below `count`, or the one that was chosen.
Result<std::vector<std::uint64_t>> chosen(std::uint64_t count, std::optional<std::uint64_t> partition) {
  if (partition) CUZK_CHECK_OK(check_partition(*partition, count));
  std::vector<std::uint64_t> numbers;
  const std::uint64_t begin = partition.value_or(0), end = partition ? begin + 1 : count;
  for (std::uint64_t number = begin; number < end; ++number) numbers.push_back(number);
  return numbers;
}

/// Whether a C1 output is that of the statement; what a statement says beyond it is in the replica's id and the
/// challenges.
void compare(const PorepVanillaProof& proof, const SealStatement& statement, Findings& findings) {
  const FindingsBelow here(findings, "");
  if (proof.seal_proof != statement.proof.number) {
    const auto name = seal_proof(proof.seal_proof);
    here.at("registered_proof").add(Kind::wrong_proof_type, statement.proof.name(), name ? name->name() : "another");
  }
  here.at("comm_r").expect_equal(Kind::comm_r_mismatch, statement.comm_r, proof.comm_r);
  here.at("comm_d").expect_equal(Kind::comm_d_mismatch, statement.comm_d, proof.comm_d);
  const auto expect_bytes = [&](std::string_view name, Kind kind, const Bytes32& expected, const Bytes32& found) {
    here.at(name).expect_equal(kind, U256::from_le_bytes(expected.data()), U256::from_le_bytes(found.data()));
  };
  expect_bytes("ticket", Kind::replica_id_mismatch, statement.ticket, proof.ticket);
  if (statement.proof.feature != PorepFeature::non_interactive) {
    expect_bytes("seed", Kind::challenge_mismatch, statement.seed, proof.seed);
  }
}

/// Sectors of one partition, as the statement lists them.
Result<std::span<const PostSectorStatement>> sectors_of(const PostStatement& statement, std::uint64_t partition) {
  const std::span<const PostSectorStatement> all(statement.sectors);
  const std::size_t most = sectors_of_partition(statement.proof);
  CUZK_CHECK_OK(check_partition(partition, partitions_of(statement)));
  const std::size_t begin = static_cast<std::size_t>(partition) * most;
  return all.subspan(begin, std::min(most, all.size() - begin));
}

Status compare(std::span<const PostVanillaProof> proofs, std::span<const PostSectorStatement> sectors) {
  if (proofs.size() != sectors.size()) {
    return fail(Code::malformed, Kind::bad_count,
                "the partition has " + std::to_string(sectors.size()) + " sectors, the vanilla proofs are of " +
                    std::to_string(proofs.size()));
  }
  Findings findings;
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    const FindingsBelow here(findings, "[" + std::to_string(i) + "]", sectors[i].sector_number);
    here.at("sector_id").expect_equal(Kind::sector_mismatch, sectors[i].sector_number, proofs[i].sector_id);
    here.at("comm_r").expect_equal(Kind::comm_r_mismatch, sectors[i].comm_r, proofs[i].comm_r);
  }
  return no_findings(findings);
}

}  // namespace

std::vector<U256> ProofRequest::public_inputs(std::size_t k) const {
  return filecoin::public_inputs(partitions_[k].instance);
}

r1cs::Witness ProofRequest::witness(Arena& arena, std::size_t k, const StopToken& stop) const {
  return generate_witness(arena, circuit_, partitions_[k].instance, stop);
}

Result<ProofRequest> porep_request(Arena& arena, PorepVanillaProof proof, const SealStatement* statement,
                                   std::optional<std::uint64_t> partition, ProgressRef progress) {
  CUZK_TRY(const SealProof seal, seal_proof(proof.seal_proof));
  CUZK_TRY(const auto numbers, chosen(proof.partitions.size(), partition));
  PorepCheck check;
  Findings findings;
  if (statement != nullptr) {
    compare(proof, *statement, findings);
    CUZK_CHECK_OK(no_findings(findings));
    check.identity = SealIdentity{statement->prover_id, statement->sector_number};
    check.porep_id = statement->porep_id;
  }
  CUZK_CHECK_OK(no_findings(check_porep(arena, proof, check, progress)));
  const auto owned = std::make_shared<const PorepVanillaProof>(std::move(proof));
  std::vector<Partition> partitions;
  partitions.reserve(numbers.size());
  for (const std::uint64_t number : numbers) {
    partitions.push_back({number, porep_instance(*owned, static_cast<std::size_t>(number))});
  }
  return ProofRequest({ProofKind::porep, seal.sector}, owned, std::move(partitions));
}

Result<ProofRequest> post_request(Arena& arena, std::vector<PostVanillaProof> proofs, const PostStatement& statement,
                                  std::optional<std::uint64_t> partition, ProgressRef progress) {
  const std::uint64_t number = partition.value_or(0);
  CUZK_TRY(const auto sectors, sectors_of(statement, number));
  CUZK_CHECK_OK(compare(proofs, sectors));
  const PostCheck check{
      .proof = statement.proof, .randomness = statement.randomness, .partition = statement.first_partition + number};
  CUZK_CHECK_OK(no_findings(check_post(arena, check, proofs, progress)));
  const Circuit circuit{statement.proof.kind, statement.proof.sector};
  const auto owned = std::make_shared<const std::vector<PostVanillaProof>>(std::move(proofs));
  std::vector<Partition> partitions{{number, post_instance(circuit, *owned)}};
  return ProofRequest(circuit, owned, std::move(partitions));
}

Result<ProofRequest> update_request(Arena& arena, std::vector<UpdatePartitionProof> proofs,
                                    const UpdateStatement& statement, std::optional<std::uint64_t> partition,
                                    ProgressRef progress) {
  const SectorShape& sector = *statement.sector;
  if (proofs.size() != sector.update_partitions) {
    return fail(Code::malformed, Kind::bad_count,
                "an update has " + std::to_string(sector.update_partitions) + " partitions, not " +
                    std::to_string(proofs.size()));
  }
  CUZK_TRY(const auto numbers, chosen(proofs.size(), partition));
  CUZK_CHECK_OK(no_findings(check_update(arena, statement, proofs, progress)));
  const auto owned = std::make_shared<const std::vector<UpdatePartitionProof>>(std::move(proofs));
  std::vector<Partition> partitions;
  partitions.reserve(numbers.size());
  for (const std::uint64_t number : numbers) {
    partitions.push_back({number, update_instance(sector, static_cast<unsigned>(number), statement.comm_r_old,
                                                  statement.comm_d_new, statement.comm_r_new, (*owned)[number])});
  }
  return ProofRequest({ProofKind::snap, &sector}, owned, std::move(partitions));
}

}  // namespace cuzk::filecoin
