// Body of update_circuit.h.
#pragma once

#include "filecoin/circuits/update_challenges.h"
#include "filecoin/circuits/update_circuit.h"
#include "filecoin/primitives/update.h"
#include "gadgets/merkle_path.h"

namespace cuzk::filecoin {

namespace detail {

template <class CS> class UpdateCircuit {
 public:
  UpdateCircuit(CS& cs, const UpdateInstance& instance)
      : cs_(cs), instance_(instance), proof_(*instance.proof), shape_(*instance.sector) {}

  void run(const StopToken& stop) {
    partition_and_h();
    const Num partition = gadgets::pack_bits(cs_, std::span<const Boolean>(partition_bits_));
    const Num comm_r_old = alloc_input(instance_.comm_r_old);
    const Num comm_d_new = alloc_input(instance_.comm_d_new);
    const Num comm_r_new = alloc_input(instance_.comm_r_new);
    phi_ = hash_pair(PoseidonKind::randomness, comm_d_new, comm_r_old);
    roots(comm_r_old, comm_r_new, comm_d_new);
    const std::vector<Boolean> offsets = challenge_offsets(cs_, shape_, partition, comm_r_new);
    const std::size_t width = shape_.offset_bits();
    for (std::size_t c = 0; c < proof_.challenges.size() && !stop.stop_requested(); ++c) {
      challenge(proof_.challenges[c], std::span(offsets).subspan(c * width, width));
    }
  }

 private:
  using Fr = typename CS::Field;
  using Num = gadgets::Num<Fr>;
  using Boolean = gadgets::Boolean;
  using PoseidonKind = hash::PoseidonKind;
  using TreeHash = gadgets::TreeHash;

  Num alloc(const Node& node) { return gadgets::alloc_canonical(cs_, node); }
  Num alloc_input(const Node& node) {
    const Num x = alloc(node);
    gadgets::inputize(cs_, x);
    return x;
  }
  Num hash_pair(PoseidonKind kind, const Num& left, const Num& right) {
    const std::array pair = {left, right};
    return gadgets::poseidon<CS>(cs_, kind, pair);
  }

  /// partition | h_select << partition bits, public; and its bits.
  void partition_and_h() {
    const auto width = static_cast<unsigned>(shape_.partition_bits());
    const u64 packed = update_partition_and_h(*instance_.sector, instance_.partition);
    const Num x = alloc_input(Node::from_u64(packed));
    const auto bits = gadgets::alloc_bits(cs_, packed, width + UpdateShape::kHighBitChoices);
    enforce_bits(cs_, std::span<const Boolean>(bits), x);
    partition_bits_.assign(bits.begin(), bits.begin() + width);
    h_bits_.assign(bits.begin() + width, bits.end());
  }

  /// Both replicas' roots make their comm_r with the same comm_c; the apex leaves lead to comm_d.
  void roots(const Num& comm_r_old, const Num& comm_r_new, const Num& comm_d_new) {
    const UpdateChallengeProof& first = proof_.challenges.front();
    const Num comm_c = alloc(proof_.comm_c);
    root_r_old_ = alloc(first.r_old.root);
    root_r_new_ = alloc(first.r_new.root);
    for (const Node& leaf : proof_.apex_leaves) apex_leaves_.push_back(alloc(leaf));
    const std::span<const PathLevel> d_path(first.d_new.path);
    const std::vector<Num> partition_path = alloc_siblings(d_path.last(shape_.partition_bits()));
    gadgets::enforce_equal(cs_, hash_pair(PoseidonKind::arity_2, comm_c, root_r_old_), comm_r_old);
    gadgets::enforce_equal(cs_, hash_pair(PoseidonKind::arity_2, comm_c, root_r_new_), comm_r_new);
    enforce_root(apex_root(), partition_bits_, partition_path, shape_.binary_levels(shape_.partition_bits()),
                 TreeHash::sha256, comm_d_new);
  }

  Num apex_root() {
    std::vector<Num> row = apex_leaves_;
    while (row.size() > 1) {
      for (std::size_t i = 0; i < row.size() / 2; ++i) {
        row[i] = gadgets::sha256_pair(cs_, row[2 * i], row[2 * i + 1]);
      }
      row.resize(row.size() / 2);
    }
    return row.front();
  }

  void challenge(const UpdateChallengeProof& proof, std::span<const Boolean> offset) {
    std::vector<Boolean> bits(offset.begin(), offset.end());
    bits.insert(bits.end(), partition_bits_.begin(), partition_bits_.end());

    const Num rho = hash_pair(PoseidonKind::randomness, phi_, high_bits<CS>(cs_, shape_, bits, h_bits_));
    const Num leaf_r_old = alloc(proof.r_old.leaf);
    const Num leaf_d_new = alloc(proof.d_new.leaf);
    const Num leaf_r_new = gadgets::add(cs_, leaf_r_old, gadgets::multiply(cs_, leaf_d_new, rho));

    replica_path(leaf_r_old, bits, proof.r_old.path, root_r_old_);
    replica_path(leaf_r_new, bits, proof.r_new.path, root_r_new_);

    const std::size_t below_apex = shape_.apex_height();
    const Num apex_leaf =
        gadgets::select<CS>(cs_, apex_leaves_, std::span(bits).subspan(below_apex, shape_.apex_bits()));
    const std::vector<Num> siblings = alloc_siblings(std::span<const PathLevel>(proof.d_new.path).first(below_apex));
    enforce_root(leaf_d_new, std::span(bits).first(below_apex), siblings, shape_.binary_levels(below_apex),
                 TreeHash::sha256, apex_leaf);
  }

  void replica_path(const Num& leaf, std::span<const Boolean> bits, std::span<const PathLevel> path, const Num& root) {
    const std::vector<Num> siblings = alloc_siblings(path);
    enforce_root(leaf, bits, siblings, shape_.replica_levels(), TreeHash::poseidon, root);
  }

  std::vector<Num> alloc_siblings(std::span<const PathLevel> path) {
    std::vector<Num> siblings;
    for (const PathLevel& level : path) gadgets::alloc_siblings(cs_, level, siblings);
    return siblings;
  }

  void enforce_root(const Num& leaf, std::span<const Boolean> bits, std::span<const Num> siblings,
                    std::span<const unsigned> arities, TreeHash hash, const Num& root) {
    gadgets::enforce_equal(cs_, gadgets::merkle_root<CS>(cs_, leaf, arities, bits, siblings, hash), root);
  }

  CS& cs_;
  const UpdateInstance& instance_;
  const UpdatePartitionProof& proof_;
  const UpdateShape shape_;

  std::vector<Boolean> partition_bits_, h_bits_;
  Num phi_, root_r_old_, root_r_new_;
  std::vector<Num> apex_leaves_;
};

}  // namespace detail

template <r1cs::ConstraintSystem CS>
void update_circuit(CS& cs, const UpdateInstance& instance, const StopToken& stop) {
  detail::UpdateCircuit<CS>(cs, instance).run(stop);
}

}  // namespace cuzk::filecoin
