#include <set>

#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/vanilla/check.h"
#include "filecoin/vanilla/check_parts.h"

namespace cuzk::filecoin {
namespace {

/// Partition numbers that are tried when the given one does not fit, and sectors that may say which fits: one bad
/// sector must not hide the number from all others.
constexpr std::uint64_t kPartitionsTried = 4096;
constexpr std::size_t kSectorsAsked = 16;

Challenges challenges_of(const PostCheck& check, std::uint64_t partition, std::uint64_t sector, std::size_t position) {
  const SectorShape& shape = *check.proof.sector;
  if (check.proof.kind == ProofKind::winning) return winning_challenges(shape, check.randomness, sector);
  return window_challenges(check.proof, check.randomness, sector,
                           partition * shape.window_sectors + static_cast<std::uint64_t>(position));
}

bool answers(const PostCheck& check, std::uint64_t partition, const PostVanillaProof& proof, std::size_t position) {
  // The first challenge decides nearly always; the others are derived when it agrees.
  const std::vector<MerkleProof>& opened = proof.sectors.front().inclusion_proofs;
  const std::uint64_t first = (partition * check.proof.sector->window_sectors + position) * kWindowChallenges;
  if (post_challenge(check.proof.sector->nodes(), check.randomness, proof.sector_id, first) !=
      opened.front().leaf_index())
    return false;
  const Challenges challenges = challenges_of(check, partition, proof.sector_id, position);
  return std::equal(opened.begin(), opened.end(), challenges.begin(), challenges.end(),
                    [](const MerkleProof& a, std::uint64_t b) { return a.leaf_index() == b; });
}

/// The number of the partition whose challenges the sectors answer, the given one if there is none.
std::uint64_t partition_answered(const PostCheck& check, std::span<const PostVanillaProof> proofs) {
  const bool depends = check.proof.kind == ProofKind::window && check.proof.api != ApiVersion::v1_2_0;
  if (!depends) return check.partition;
  const std::size_t asked = std::min(proofs.size(), kSectorsAsked);
  for (std::size_t i = 0; i < asked; ++i)
    if (answers(check, check.partition, proofs[i], i)) return check.partition;
  for (std::size_t i = 0; i < asked; ++i)
    for (std::uint64_t partition = 0; partition < kPartitionsTried; ++partition)
      if (answers(check, partition, proofs[i], i)) return partition;
  return check.partition;
}

void check_sector(const FindingsBelow& findings, const PostVanillaProof& proof, const Challenges& challenges) {
  const PostSector& sector = proof.sectors.front();
  const FindingsBelow inside = findings.at("vanilla_proof").at("sectors", 0);
  findings.at("comm_r").expect_not_zero(proof.comm_r);
  inside.at("comm_c").expect_not_zero(sector.comm_c);
  inside.at("comm_r_last").expect_not_zero(sector.comm_r_last);
  findings.at("comm_r").expect_equal(Kind::comm_r_mismatch, comm_r_of(sector.comm_c, sector.comm_r_last), proof.comm_r);
  for (std::size_t i = 0; i < sector.inclusion_proofs.size(); ++i) {
    const MerkleProof& opened = sector.inclusion_proofs[i];
    const FindingsBelow place = inside.at("inclusion_proofs", i);
    check_position(place, opened, challenges[i], Kind::challenge_mismatch);
    check_path(place, opened, TreeHash::poseidon, sector.comm_r_last, Kind::comm_r_last_mismatch);
  }
}

}  // namespace

Findings check_post(Arena& arena, const PostCheck& check, std::span<const PostVanillaProof> proofs,
                    ProgressRef progress) {
  const std::uint64_t partition = partition_answered(check, proofs);
  Findings findings;
  std::set<std::uint64_t> known;
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    const std::uint64_t sector = proofs[i].sector_id;
    if (!known.insert(sector).second) {
      FindingsBelow(findings, "[" + std::to_string(i) + "]", sector)
          .add(Kind::duplicate_sector, "each sector once", std::to_string(sector));
    }
  }
  progress.begin("checking vanilla proofs", proofs.size());
  gather_findings(arena, proofs.size(), progress, findings, [&](std::size_t i, Findings& found) {
    const std::uint64_t sector = proofs[i].sector_id;
    check_sector(FindingsBelow(found, "[" + std::to_string(i) + "]", sector), proofs[i],
                 challenges_of(check, partition, sector, i));
  });
  progress.end();
  return findings;
}

}  // namespace cuzk::filecoin
