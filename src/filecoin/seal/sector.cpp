#include "filecoin/seal/sector.h"

#include <algorithm>
#include <array>

#include "filecoin/primitives/challenges.h"
#include "filecoin/primitives/graph.h"
#include "filecoin/primitives/replica.h"
#include "filecoin/primitives/update.h"
#include "filecoin/seal/openings.h"

namespace cuzk::filecoin {
namespace {

Status check_size(const SectorShape& sector, std::size_t nodes) {
  if (sector.bytes > kMaxSealedBytes)
    return fail(Code::unsupported, "sectors of " + std::string(sector.name) + " are not sealed in memory, only up to " +
                                       std::to_string(kMaxSealedBytes >> 20) + " MiB");
  if (nodes != sector.nodes())
    return fail(Code::invalid_argument, "the data are " + std::to_string(nodes) + " nodes, a sector of " +
                                            std::string(sector.name) + " has " + std::to_string(sector.nodes()));
  return {};
}

/// The graph in parallel, a block of nodes at a time; the labels one by one, since each needs the one before it.
class LayerLabels {
 public:
  LayerLabels(Arena& arena, const Graph& graph, const Node& replica_id, std::vector<std::vector<Node>>& layers)
      : arena_(arena), graph_(graph), replica_id_(replica_id), layers_(layers), parents_(kBlockNodes) {}

  void compute(unsigned layer, ProgressRef progress) {
    for (std::uint64_t begin = 0; begin < graph_.nodes(); begin += kBlockNodes) {
      const std::uint64_t end = std::min(begin + kBlockNodes, graph_.nodes());
      find_parents(layer, begin, end);
      label_block(layer, begin, end);
      progress.advance(end - begin);
    }
  }

 private:
  static constexpr std::uint64_t kBlockNodes = 1 << 14;

  void find_parents(unsigned layer, std::uint64_t begin, std::uint64_t end) {
    parallel_for(arena_, begin, end, 64, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const auto node = static_cast<std::uint32_t>(i);
        parents_[i - begin].drg = graph_.drg_parents(node);
        if (layer > 1) parents_[i - begin].expander = graph_.expander_parents(node);  // most of the work
      }
    });
  }

  void label_block(unsigned layer, std::uint64_t begin, std::uint64_t end) {
    const auto label = [&](unsigned of_layer, std::uint64_t node) -> const Node& {
      return layers_[of_layer - 1][node];
    };
    for (std::uint64_t node = begin; node < end; ++node) {
      const ParentLabels labels = parent_labels(parents_[node - begin], label, layer);
      const std::span<const Node> hashed = node == 0 ? std::span<const Node>() : labels;
      layers_[layer - 1][node] = node_label(replica_id_, layer, node, hashed);
    }
  }

  Arena& arena_;
  const Graph& graph_;
  Node replica_id_;
  std::vector<std::vector<Node>>& layers_;
  std::vector<NodeParents> parents_;  // of the block
};

std::vector<std::vector<Node>> label_sector(Arena& arena, const SealProof& proof, const Node& id,
                                            ProgressRef progress) {
  const Graph graph(proof);
  std::vector<std::vector<Node>> layers(proof.sector->layers, std::vector<Node>(graph.nodes()));
  LayerLabels labels(arena, graph, id, layers);
  progress.begin("labels", layers.size() * graph.nodes());
  for (unsigned layer = 1; layer <= layers.size(); ++layer) labels.compute(layer, progress);
  return layers;
}

std::vector<Node> hash_columns(Arena& arena, std::span<const std::vector<Node>> layers, ProgressRef progress) {
  std::vector<Node> hashes(layers.front().size());
  progress.begin("columns", hashes.size());
  parallel_for(arena, 0, hashes.size(), 16, [&](std::size_t begin, std::size_t end) {
    std::array<Node, 11> rows;
    for (std::size_t node = begin; node < end; ++node) {
      for (std::size_t layer = 0; layer < layers.size(); ++layer) rows[layer] = layers[layer][node];
      hashes[node] = column_hash(std::span(rows).first(layers.size()));
    }
    progress.advance(end - begin);
  });
  return hashes;
}

std::vector<Node> encode_sector(std::span<const Node> keys, std::span<const Node> data) {
  std::vector<Node> replica(keys.size());
  for (std::size_t node = 0; node < replica.size(); ++node) replica[node] = encode_node(keys[node], data[node]);
  return replica;
}

/// rho changes only with the high bits of the position.
std::vector<Node> lay_over(const SectorShape& sector, const Node& phi, std::span<const Node> old,
                           std::span<const Node> data) {
  std::vector<Node> replica(old.size());
  Node rho{};
  for (std::uint64_t node = 0; node < replica.size(); ++node) {
    const std::uint64_t high = update_high_bits(sector, node);
    if (node == 0 || high != update_high_bits(sector, node - 1)) rho = update_rho(phi, high);
    replica[node] = encode_update(old[node], data[node], rho);
  }
  return replica;
}

/// The tree over a replica or its columns.
MerkleTree poseidon_tree(Arena& arena, const SectorShape& sector, std::string_view name, std::vector<Node> leaves,
                         ProgressRef progress) {
  progress.begin(name, leaves.size() / 7);
  return {arena, &poseidon_node, sector.tree.arities(), std::move(leaves), progress};
}

MerkleTree data_tree(Arena& arena, const SectorShape& sector, std::vector<Node> data, ProgressRef progress) {
  progress.begin("data tree", data.size());
  return {arena, &sha256_node, binary_arities(sector.log2_nodes()), std::move(data), progress};
}

}  // namespace

SealStatement seal_statement(const SealInputs& inputs, const Bytes32& seed, const Node& comm_d, const Node& comm_r) {
  return {.proof = inputs.proof,
          .prover_id = inputs.prover_id,
          .sector_number = inputs.sector_number,
          .ticket = inputs.ticket,
          .seed = seed,
          .comm_d = comm_d,
          .comm_r = comm_r};
}

Result<SealedSector> SealedSector::seal(Arena& arena, const SealInputs& inputs, std::vector<Node> data,
                                        ProgressRef progress) {
  const SectorShape& sector = *inputs.proof.sector;
  CUZK_CHECK_OK(check_size(sector, data.size()));
  MerkleTree tree_d = data_tree(arena, sector, std::move(data), progress);
  const Node id = filecoin::replica_id(inputs.prover_id, inputs.sector_number, inputs.ticket, tree_d.root(),
                                       inputs.proof.porep_id());
  std::vector<std::vector<Node>> layers = label_sector(arena, inputs.proof, id, progress);
  MerkleTree tree_c = poseidon_tree(arena, sector, "column tree", hash_columns(arena, layers, progress), progress);
  MerkleTree tree_r_last =
      poseidon_tree(arena, sector, "replica tree", encode_sector(layers.back(), tree_d.leaves()), progress);
  progress.end();
  return SealedSector(inputs, id, std::move(layers), std::move(tree_d), std::move(tree_c), std::move(tree_r_last));
}

SealedSector::SealedSector(const SealInputs& inputs, const Node& replica_id, std::vector<std::vector<Node>> layers,
                           MerkleTree tree_d, MerkleTree tree_c, MerkleTree tree_r_last)
    : inputs_(inputs),
      replica_id_(replica_id),
      layers_(std::move(layers)),
      tree_d_(std::move(tree_d)),
      tree_c_(std::move(tree_c)),
      tree_r_last_(std::move(tree_r_last)),
      comm_r_(comm_r_of(tree_c_.root(), tree_r_last_.root())) {}

SealStatement SealedSector::statement(const Bytes32& seed) const {
  return seal_statement(inputs_, seed, comm_d(), comm_r_);
}

PorepVanillaProof SealedSector::prove_seal(const Bytes32& seed) const {
  const Graph graph(inputs_.proof);
  const auto label = [&](unsigned layer, std::uint64_t node) -> const Node& { return layers_[layer - 1][node]; };
  const SealedTrees trees{shape().layers, graph, tree_d_, tree_c_, tree_r_last_, label};
  PorepVanillaProof proof{inputs_.proof.number, {}, comm_r_, comm_d(), replica_id_, seed, inputs_.ticket};
  for (unsigned partition = 0; partition < inputs_.proof.partitions(); ++partition) {
    std::vector<PorepChallengeProof>& opened = proof.partitions.emplace_back();
    for (const std::uint64_t node : porep_challenges(inputs_.proof, {replica_id_, comm_r_, seed}, partition))
      opened.push_back(open_seal(trees, static_cast<std::uint32_t>(node)));
  }
  return proof;
}

Result<UpdatedSector> UpdatedSector::encode(Arena& arena, const SealedSector& old, std::vector<Node> data,
                                            ProgressRef progress) {
  const SectorShape& sector = old.shape();
  CUZK_CHECK_OK(check_size(sector, data.size()));
  if (sector.update_partitions == 0)
    return fail(Code::unsupported, "sectors of " + std::string(sector.name) + " have no updates");
  MerkleTree tree_d = data_tree(arena, sector, std::move(data), progress);
  const Node phi = update_phi(tree_d.root(), old.comm_r());
  std::vector<Node> replica = lay_over(sector, phi, old.tree_r_last().leaves(), tree_d.leaves());
  MerkleTree tree_r_last = poseidon_tree(arena, sector, "new replica tree", std::move(replica), progress);
  progress.end();
  const UpdateStatement statement{&sector, old.comm_r(), tree_d.root(), comm_r_of(old.comm_c(), tree_r_last.root())};
  return UpdatedSector(statement, phi, old.comm_c(), std::move(tree_d), std::move(tree_r_last));
}

UpdatedSector::UpdatedSector(const UpdateStatement& statement, const Node& phi, const Node& comm_c, MerkleTree tree_d,
                             MerkleTree tree_r_last)
    : statement_(statement),
      phi_(phi),
      comm_c_(comm_c),
      tree_d_(std::move(tree_d)),
      tree_r_last_(std::move(tree_r_last)) {}

std::vector<UpdatePartitionProof> UpdatedSector::prove_update(const SealedSector& old) const {
  const UpdateTrees trees{shape(), comm_c_, statement_.comm_r_new, old.tree_r_last(), tree_d_, tree_r_last_};
  std::vector<UpdatePartitionProof> proofs;
  proofs.reserve(shape().update_partitions);
  for (unsigned partition = 0; partition < shape().update_partitions; ++partition)
    proofs.push_back(open_update(trees, partition));
  return proofs;
}

PostVanillaProof prove_storage(const PostProof& proof, const Node& randomness, const SealedSector& sector,
                               std::uint64_t position) {
  const std::uint64_t number = sector.inputs().sector_number;
  const Challenges nodes = proof.kind == ProofKind::winning ? winning_challenges(sector.shape(), randomness, number)
                                                            : window_challenges(proof, randomness, number, position);
  return open_replica(StoredReplica{number, sector.comm_c(), sector.comm_r(), sector.tree_r_last()}, nodes);
}

}  // namespace cuzk::filecoin
