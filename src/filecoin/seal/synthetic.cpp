#include "filecoin/seal/synthetic.h"

#include <algorithm>

#include "filecoin/primitives/replica.h"
#include "filecoin/primitives/update.h"
#include "filecoin/seal/openings.h"
#include "filecoin/seal/repeating_tree.h"
#include "filecoin/seal/sparse_tree.h"

namespace cuzk::filecoin {
namespace {

/// Domains of the random values.
enum class Part : std::uint64_t { data, columns, tree_c, tree_r, comm_c, old_replica };

NodeStream random_values(const Bytes32& content, Part part, std::uint64_t number = 0) noexcept {
  return NodeStream(content, static_cast<std::uint64_t>(part) << 32 | number);
}

constexpr std::uint64_t kPatternNodes = 64;

std::vector<Node> pattern(const NodeStream& values, std::uint64_t count) {
  std::vector<Node> nodes;
  nodes.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) nodes.push_back(values.at(0, i));
  return nodes;
}

RepeatingTree repeating_data(Arena& arena, const SectorShape& sector, std::vector<Node> nodes) {
  return {arena, &sha256_node, binary_arities(sector.log2_nodes()), {std::move(nodes)}};
}

template <class T> void sort_distinct(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
}

/// Labels of the opened nodes: computed for the challenged ones, random for the others.
class OpenedLabels {
 public:
  OpenedLabels(const Graph& graph, const Node& replica_id, unsigned layers, std::vector<std::uint64_t> challenged,
               const NodeStream& others)
      : challenged_(std::move(challenged)), others_(others) {
    sort_distinct(challenged_);
    std::vector<NodeParents> parents;
    parents.reserve(challenged_.size());
    for (const std::uint64_t node : challenged_) parents.push_back(parents_of(graph, static_cast<std::uint32_t>(node)));
    // By layer, in the layer by position: a challenged node may be another one's parent.
    for (unsigned layer = 1; layer <= layers; ++layer) {
      rows_.emplace_back(challenged_.size());
      for (std::size_t i = 0; i < challenged_.size(); ++i)
        rows_.back()[i] = node_label(replica_id, layer, challenged_[i], parent_labels(parents[i], *this, layer));
    }
  }

  std::span<const std::uint64_t> challenged() const noexcept { return challenged_; }

  Node operator()(unsigned layer, std::uint64_t node) const noexcept {
    const auto found = std::ranges::lower_bound(challenged_, node);
    if (found == challenged_.end() || *found != node) return others_.at(layer, node);
    return rows_[layer - 1][static_cast<std::size_t>(found - challenged_.begin())];
  }

 private:
  std::vector<std::uint64_t> challenged_;
  NodeStream others_;
  std::vector<std::vector<Node>> rows_;
};

/// The columns that are opened: of the challenged nodes and their parents.
std::vector<std::uint64_t> opened_columns(const Graph& graph, std::span<const std::uint64_t> challenged) {
  std::vector<std::uint64_t> nodes(challenged.begin(), challenged.end());
  for (const std::uint64_t challenge : challenged) {
    const NodeParents parents = parents_of(graph, static_cast<std::uint32_t>(challenge));
    nodes.insert(nodes.end(), parents.drg.begin(), parents.drg.end());
    nodes.insert(nodes.end(), parents.expander.begin(), parents.expander.end());
  }
  sort_distinct(nodes);
  return nodes;
}

std::vector<SparseTree::Leaf> hash_columns(Arena& arena, const OpenedLabels& label, unsigned layers,
                                           std::span<const std::uint64_t> nodes, ProgressRef progress) {
  std::vector<SparseTree::Leaf> leaves(nodes.size());
  parallel_for(arena, 0, nodes.size(), 4, [&](std::size_t begin, std::size_t end) {
    std::array<Node, 11> rows;
    for (std::size_t i = begin; i < end; ++i) {
      for (unsigned layer = 1; layer <= layers; ++layer) rows[layer - 1] = label(layer, nodes[i]);
      leaves[i] = {nodes[i], column_hash(std::span(rows).first(layers))};
    }
    progress.advance(end - begin);
  });
  return leaves;
}

/// precondition: nodes are sorted and distinct.
SparseTree random_replica(Arena& arena, const SectorShape& sector, const NodeStream& values,
                          std::span<const std::uint64_t> nodes, ProgressRef progress) {
  std::vector<SparseTree::Leaf> leaves;
  leaves.reserve(nodes.size());
  for (const std::uint64_t node : nodes) leaves.push_back({node, values.at(0, node)});
  return {arena, &poseidon_node, sector.tree.arities(), values, std::move(leaves), progress};
}

Status check_feature(const SealProof& proof) {
  if (proof.feature == PorepFeature::v1 || proof.feature == PorepFeature::v1_1) return {};
  return fail(Code::unsupported, "a sector that is not sealed cannot have a proof of " + proof.name() +
                                     ": its challenges depend on comm_r");
}

}  // namespace

Result<SyntheticSeal> synthetic_seal(Arena& arena, const SealInputs& inputs, const Bytes32& seed, unsigned partitions,
                                     const Bytes32& content, ProgressRef progress) {
  CUZK_CHECK_OK(check_feature(inputs.proof));
  const SectorShape& sector = *inputs.proof.sector;
  const Graph graph(inputs.proof);
  const RepeatingTree tree_d = repeating_data(
      arena, sector, pattern(random_values(content, Part::data), std::min(kPatternNodes, sector.nodes())));
  const Node comm_d = root_of(tree_d);
  const Node id = replica_id(inputs.prover_id, inputs.sector_number, inputs.ticket, comm_d, inputs.proof.porep_id());

  std::vector<Challenges> challenges;
  Challenges all;
  for (unsigned partition = 0; partition < partitions; ++partition) {
    challenges.push_back(porep_challenges(inputs.proof, {id, {}, seed}, partition));
    all.insert(all.end(), challenges.back().begin(), challenges.back().end());
  }
  const OpenedLabels label(graph, id, sector.layers, all, random_values(content, Part::columns));

  const std::vector<std::uint64_t> opened = opened_columns(graph, label.challenged());
  progress.begin("columns", opened.size());
  std::vector<SparseTree::Leaf> columns = hash_columns(arena, label, sector.layers, opened, progress);
  progress.begin("column tree");
  const SparseTree tree_c(arena, &poseidon_node, sector.tree.arities(), random_values(content, Part::tree_c),
                          std::move(columns), progress);
  std::vector<SparseTree::Leaf> replica;
  for (const std::uint64_t node : label.challenged())
    replica.push_back({node, encode_node(label(sector.layers, node), tree_d.node(0, node))});
  const SparseTree tree_r_last(arena, &poseidon_node, sector.tree.arities(), random_values(content, Part::tree_r),
                               std::move(replica), progress);
  progress.end();

  const Node comm_r = comm_r_of(root_of(tree_c), root_of(tree_r_last));
  SyntheticSeal made{{inputs.proof.number, {}, comm_r, comm_d, id, seed, inputs.ticket},
                     seal_statement(inputs, seed, comm_d, comm_r)};
  const SealedTrees trees{sector.layers, graph, tree_d, tree_c, tree_r_last, label};
  for (const Challenges& of_partition : challenges) {
    std::vector<PorepChallengeProof>& proofs = made.proof.partitions.emplace_back(of_partition.size());
    parallel_tasks(arena, proofs.size(),
                   [&](std::size_t i) { proofs[i] = open_seal(trees, static_cast<std::uint32_t>(of_partition[i])); });
  }
  return made;
}

SyntheticPost synthetic_post(Arena& arena, const PostProof& proof, const Node& randomness,
                             std::span<const std::uint64_t> sector_numbers, std::uint64_t first_partition,
                             std::size_t replicas, const Bytes32& content, ProgressRef progress) {
  const SectorShape& sector = *proof.sector;
  SyntheticPost made{std::vector<PostVanillaProof>(sector_numbers.size()), {proof, randomness, {}, first_partition}};
  std::vector<Challenges> challenges;
  for (const std::uint64_t number : sector_numbers)
    challenges.push_back(proof.kind == ProofKind::winning
                             ? winning_challenges(sector, randomness, number)
                             : window_challenges(proof, randomness, number,
                                                 first_partition * sector.window_sectors + challenges.size()));

  progress.begin("replicas", std::min(replicas, sector_numbers.size()));
  parallel_tasks(arena, std::min(replicas, sector_numbers.size()), [&](std::size_t replica) {
    Challenges nodes;
    for (std::size_t i = replica; i < challenges.size(); i += replicas)
      nodes.insert(nodes.end(), challenges[i].begin(), challenges[i].end());
    sort_distinct(nodes);
    const SparseTree tree = random_replica(arena, sector, random_values(content, Part::tree_r, replica), nodes, {});
    const Node comm_c = random_values(content, Part::comm_c).at(0, replica);
    const Node comm_r = comm_r_of(comm_c, root_of(tree));
    for (std::size_t i = replica; i < challenges.size(); i += replicas)
      made.proofs[i] = open_replica(StoredReplica{sector_numbers[i], comm_c, comm_r, tree}, challenges[i]);
    progress.advance(1);
  });
  progress.end();
  for (const PostVanillaProof& opened : made.proofs)
    made.statement.sectors.push_back({opened.sector_id, opened.comm_r});
  return made;
}

SyntheticUpdate synthetic_update(Arena& arena, const SectorShape& sector, unsigned partitions, const Bytes32& content,
                                 ProgressRef progress) {
  const std::uint64_t ranges = std::uint64_t{1} << sector.update_h;  // within one, rho does not change
  const std::uint64_t period = std::min(kPatternNodes, sector.nodes() / ranges);
  const std::vector<Node> data = pattern(random_values(content, Part::data), period);
  const std::vector<Node> old_replica = pattern(random_values(content, Part::old_replica), period);
  const Node comm_c = random_values(content, Part::comm_c).at(0, 0);
  const RepeatingTree tree_d = repeating_data(arena, sector, data);
  const RepeatingTree tree_r_old(arena, &poseidon_node, sector.tree.arities(), {old_replica});
  const Node comm_r_old = comm_r_of(comm_c, root_of(tree_r_old));
  const Node phi = update_phi(root_of(tree_d), comm_r_old);

  std::vector<std::vector<Node>> new_replica(ranges, std::vector<Node>(period));
  for (std::uint64_t range = 0; range < ranges; ++range) {
    const Node rho = update_rho(phi, range);
    for (std::uint64_t i = 0; i < period; ++i) new_replica[range][i] = encode_update(old_replica[i], data[i], rho);
  }
  progress.begin("new replica tree");
  const RepeatingTree tree_r_new(arena, &poseidon_node, sector.tree.arities(), std::move(new_replica), progress);
  progress.end();

  SyntheticUpdate made{std::vector<UpdatePartitionProof>(partitions),
                       {&sector, comm_r_old, root_of(tree_d), comm_r_of(comm_c, root_of(tree_r_new))}};
  const UpdateTrees trees{sector, comm_c, made.statement.comm_r_new, tree_r_old, tree_d, tree_r_new};
  parallel_tasks(arena, partitions, [&](std::size_t partition) {
    made.proofs[partition] = open_update(trees, static_cast<unsigned>(partition));
  });
  return made;
}

}  // namespace cuzk::filecoin
