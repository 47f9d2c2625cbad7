#include "filecoin/primitives/public_inputs.h"

#include <algorithm>

#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/graph.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/primitives/update.h"

namespace cuzk::filecoin {
namespace {

using Values = std::vector<U256>;

void append(Values& values, std::uint64_t number) { values.push_back(U256::from_u64(number)); }

Values update_values(const SectorShape& sector, unsigned partition, const Node& comm_r_old, const Node& comm_d_new,
                     const Node& comm_r_new) {
  return {U256::from_u64(update_partition_and_h(sector, partition)), comm_r_old, comm_d_new, comm_r_new};
}

// --- what an instance's circuit allocates

void append_challenge(Values& values, const PorepChallengeProof& proof) {
  append(values, proof.comm_d_proof.leaf_index());
  for (const ColumnProof& parent : proof.drg_parents) append(values, parent.inclusion.leaf_index());
  for (const ColumnProof& parent : proof.exp_parents) append(values, parent.inclusion.leaf_index());
  append(values, proof.challenge());
  append(values, proof.comm_r_last_proof.leaf_index());
  append(values, proof.c_x.inclusion.leaf_index());
}

struct ValuesOfInstance {
  Values operator()(const PorepInstance& porep) const {
    Values values{porep.replica_id, porep.comm_d, porep.comm_r};
    for (const PorepChallengeProof* proof : porep.challenges) append_challenge(values, *proof);
    return values;
  }
  Values operator()(const PostInstance& post) const {
    Values values;
    for (const PostSectorInstance& sector : post.sectors) {
      values.push_back(sector.comm_r);
      for (const MerkleProof& proof : sector.challenges) append(values, proof.leaf_index());
    }
    return values;
  }
  Values operator()(const UpdateInstance& update) const {
    return update_values(*update.sector, update.partition, update.comm_r_old, update.comm_d_new, update.comm_r_new);
  }
};

// --- what a statement says

void append_challenge(Values& values, const Graph& graph, std::uint64_t challenge) {
  const auto node = static_cast<std::uint32_t>(challenge);
  append(values, challenge);  // in the tree of data
  for (const std::uint32_t parent : graph.drg_parents(node)) append(values, parent);
  for (const std::uint32_t parent : graph.expander_parents(node)) append(values, parent);
  for (int i = 0; i < 3; ++i) append(values, challenge);  // the number itself, in the replica, in the columns
}

Values winning_values(const PostStatement& post) {
  const PostSectorStatement& sector = post.sectors.front();
  Values values;
  for (const std::uint64_t challenge : winning_challenges(*post.proof.sector, post.randomness, sector.sector_number)) {
    values.push_back(sector.comm_r);
    append(values, challenge);
  }
  return values;
}

Values window_values(const PostStatement& post, std::uint64_t partition) {
  const std::size_t of_partition = post.proof.sector->window_sectors;
  const std::size_t begin = partition * of_partition;
  const std::size_t end = std::min(begin + of_partition, post.sectors.size());
  Values values;
  values.reserve(of_partition * (1 + kWindowChallenges));
  for (std::size_t i = begin; i < end; ++i) {
    const PostSectorStatement& sector = post.sectors[i];
    values.push_back(sector.comm_r);
    const std::uint64_t position = post.first_partition * of_partition + i;
    for (const std::uint64_t challenge : window_challenges(post.proof, post.randomness, sector.sector_number, position))
      append(values, challenge);
  }
  const Values last(values.end() - (1 + kWindowChallenges), values.end());
  while (values.size() < of_partition * last.size()) values.insert(values.end(), last.begin(), last.end());
  return values;
}

struct ValuesOfStatement {
  std::uint64_t partition;

  Values operator()(const SealStatement& seal) const {
    const Node id = replica_id(seal.prover_id, seal.sector_number, seal.ticket, seal.comm_d, seal.porep_id);
    const Graph graph(seal.proof.sector->nodes(), seal.porep_id, seal.proof.api());
    Values values{id, seal.comm_d, seal.comm_r};
    for (const std::uint64_t challenge :
         porep_challenges(seal.proof, {id, seal.comm_r, seal.seed}, static_cast<unsigned>(partition)))
      append_challenge(values, graph, challenge);
    return values;
  }
  Values operator()(const PostStatement& post) const {
    return post.proof.kind == ProofKind::winning ? winning_values(post) : window_values(post, partition);
  }
  Values operator()(const UpdateStatement& update) const {
    return update_values(*update.sector, static_cast<unsigned>(partition), update.comm_r_old, update.comm_d_new,
                         update.comm_r_new);
  }
};

}  // namespace

std::vector<U256> public_inputs(const Instance& instance) { return std::visit(ValuesOfInstance{}, instance); }

std::vector<U256> public_inputs(const Statement& statement, std::uint64_t partition) {
  CUZK_ASSERT(partition < partitions_of(statement));
  return std::visit(ValuesOfStatement{partition}, statement);
}

}  // namespace cuzk::filecoin
