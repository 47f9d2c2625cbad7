// The output of seal_commit_phase1 as the schema's archives take it; what the two forms of it share.
#pragma once

#include "filecoin/wire/schema.h"

namespace cuzk::filecoin::schema {

/// Readers take as many partitions as the sector size can have; whether they are the right number is known when the
/// registered proof is.
template <class Archive>
Status porep_partitions(Archive& archive, Ref<Archive, std::vector<std::vector<PorepChallengeProof>>> partitions,
                        const SectorShape& sector) {
  if constexpr (Archive::kWriting) {
    return archive.sequence(partitions.size(),
                            [&](std::size_t i) { return porep_partition(archive, partitions[i], sector); });
  } else {
    return archive.sequence_up_to(sector.non_interactive_partitions, [&](std::size_t) {
      return porep_partition(archive, partitions.emplace_back(), sector);
    });
  }
}

template <class Archive>
Status check_partitions(const Archive& archive, const PorepVanillaProof& proof, const SealProof& seal) {
  if (proof.partitions.size() == seal.partitions()) return {};
  return fail(archive.wrong(Kind::bad_count, "another number of partitions than " + seal.name() + " has",
                            std::to_string(seal.partitions()), std::to_string(proof.partitions.size())));
}

}  // namespace cuzk::filecoin::schema
