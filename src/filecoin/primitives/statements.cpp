#include "filecoin/primitives/statements.h"

namespace cuzk::filecoin {
namespace {

struct CircuitOf {
  Circuit operator()(const SealStatement& seal) const noexcept { return {ProofKind::porep, seal.proof.sector}; }
  Circuit operator()(const PostStatement& post) const noexcept { return {post.proof.kind, post.proof.sector}; }
  Circuit operator()(const UpdateStatement& update) const noexcept { return {ProofKind::snap, update.sector}; }
};

struct PartitionsOf {
  std::uint64_t operator()(const SealStatement& seal) const noexcept { return seal.proof.partitions(); }
  std::uint64_t operator()(const PostStatement& post) const noexcept { return partitions_of(post); }
  std::uint64_t operator()(const UpdateStatement& update) const noexcept { return update.sector->update_partitions; }
};

}  // namespace

std::size_t sectors_of_partition(const PostProof& proof) noexcept {
  return proof.kind == ProofKind::winning ? 1 : proof.sector->window_sectors;
}

std::uint64_t partitions_of(const PostStatement& statement) noexcept {
  const std::size_t of_partition = sectors_of_partition(statement.proof);
  return (statement.sectors.size() + of_partition - 1) / of_partition;
}

Circuit circuit_of(const Statement& statement) { return std::visit(CircuitOf{}, statement); }

std::uint64_t partitions_of(const Statement& statement) { return std::visit(PartitionsOf{}, statement); }

}  // namespace cuzk::filecoin
