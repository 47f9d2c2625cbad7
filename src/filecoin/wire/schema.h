// The types of the wire, each once: members with their names and order, counts and ranges. The four archives (reading
// and writing, bincode and JSON) say what a record, a sequence or a node is in their form.
//
// An Archive has
//   static constexpr bool kWriting
//   Status record(Field...)                    an object with these members
//   Status sequence(count, each(i), Kind)      exactly `count` elements, else this kind of fault
//   Status variant(index, name, body)          a tree's variant of the enum, which must be this one, and its content
//   Status node(Node), bytes32(Bytes32), u32, u64
//   Status absent()                            a member of JSON alone, null
//   Error wrong(Kind, message, expected, found)  at the current place
// A reader's values are filled, a writer's are const and of the right shape. Source: docs/circuits.md, "Wire formats".
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "filecoin/wire/path.h"
#include "filecoin/wire/shapes.h"
#include "support/result.h"

namespace cuzk::filecoin::schema {

template <class F> struct Field {
  std::string_view name;
  F body;
  bool optional = false;
};
template <class F> Field(std::string_view, F) -> Field<F>;
template <class F> Field(std::string_view, F, bool) -> Field<F>;

/// T as an archive takes it.
template <class Archive, class T> using Ref = std::conditional_t<Archive::kWriting, const T&, T&>;
template <class Archive, class T>
using Elements = std::conditional_t<Archive::kWriting, std::span<const T>, std::span<T>>;

/// The vector has `count` elements afterwards.
template <class Archive, class T, class Each>
Status vector_of(Archive& archive, std::vector<T>& values, std::size_t count, Each each) {
  return archive.sequence(count, [&](std::size_t i) -> Status {
    if (i == 0) values.resize(count);  // the count is right, and the shape's
    return each(values[i]);
  });
}
template <class Archive, class T, class Each>
Status vector_of(Archive& archive, const std::vector<T>& values, std::size_t count, Each each) {
  CUZK_REQUIRE(values.size() == count);
  return archive.sequence(count, [&](std::size_t i) { return each(values[i]); });
}

template <class Archive> Status nodes(Archive& archive, Ref<Archive, std::vector<Node>> values, std::size_t count) {
  return vector_of(archive, values, count, [&](auto& value) { return archive.node(value); });
}

template <class Archive> Status path_element(Archive& archive, Ref<Archive, PathLevel> level, unsigned arity) {
  const auto hashes = [&] {
    return archive.sequence(
        arity - 1, [&](std::size_t i) { return archive.node(level.siblings[i]); }, Kind::bad_tree_shape);
  };
  const auto index = [&]() -> Status {
    if constexpr (Archive::kWriting) {
      return archive.u64(level.index);
    } else {
      std::uint64_t at = 0;
      CUZK_CHECK_OK(archive.u64(at));
      if (at >= arity) {
        return fail(archive.wrong(Kind::index_out_of_range, "a node's position among its siblings",
                                  "below " + std::to_string(arity), std::to_string(at)));
      }
      level.arity = static_cast<std::uint8_t>(arity);
      level.index = static_cast<std::uint8_t>(at);
      return {};
    }
  };
  return archive.record(Field{"hashes", hashes}, Field{"index", index});
}

template <class Archive> Status inclusion_path(Archive& archive, Elements<Archive, PathLevel> levels, unsigned arity) {
  return archive.record(Field{"path", [&] {
                                return archive.sequence(
                                    levels.size(),
                                    [&](std::size_t i) { return path_element(archive, levels[i], arity); },
                                    Kind::bad_tree_shape);
                              }});
}

template <class Archive>
Status merkle_variant(Archive& archive, Ref<Archive, MerkleProof> proof, const MerkleShape& shape) {
  const Elements<Archive, PathLevel> levels(proof.path);
  const auto root = [&] { return archive.node(proof.root); };
  const auto leaf = [&] { return archive.node(proof.leaf); };
  const auto base = [&] { return inclusion_path(archive, levels.first(shape.base_levels), shape.base_arity); };
  const auto sub = [&] { return inclusion_path(archive, levels.subspan(shape.base_levels, 1), shape.sub); };
  const auto top = [&] { return inclusion_path(archive, levels.last(1), shape.top); };
  switch (shape.parts()) {
    case 1:
      return archive.variant(
          0, "Single", [&] { return archive.record(Field{"root", root}, Field{"leaf", leaf}, Field{"path", base}); });
    case 2:
      return archive.variant(1, "Sub", [&] {
        return archive.record(Field{"base_proof", base}, Field{"sub_proof", sub}, Field{"root", root},
                              Field{"leaf", leaf});
      });
    default:
      return archive.variant(2, "Top", [&] {
        return archive.record(Field{"base_proof", base}, Field{"sub_proof", sub}, Field{"top_proof", top},
                              Field{"root", root}, Field{"leaf", leaf});
      });
  }
}

template <class Archive>
Status merkle_proof(Archive& archive, Ref<Archive, MerkleProof> proof, const MerkleShape& shape) {
  if constexpr (Archive::kWriting) {
    CUZK_REQUIRE(proof.path.size() == shape.levels());
  } else {
    proof.path.resize(shape.levels());
  }
  return archive.record(Field{"data", [&] { return merkle_variant(archive, proof, shape); }});
}

template <class Archive> Status column(Archive& archive, Ref<Archive, Column> value, unsigned layers) {
  return archive.record(Field{"index", [&] { return archive.u32(value.index); }},
                        Field{"rows", [&] { return nodes(archive, value.rows, layers); }},
                        Field{"_h", [&] { return archive.absent(); }, true});
}

template <class Archive>
Status column_proof(Archive& archive, Ref<Archive, ColumnProof> proof, const SectorShape& sector) {
  return archive.record(
      Field{"column", [&] { return column(archive, proof.column, sector.layers); }},
      Field{"inclusion_proof", [&] { return merkle_proof(archive, proof.inclusion, replica_tree(sector)); }});
}

template <class Archive>
Status column_proofs(Archive& archive, Ref<Archive, std::vector<ColumnProof>> proofs, std::size_t count,
                     const SectorShape& sector) {
  return vector_of(archive, proofs, count, [&](auto& proof) { return column_proof(archive, proof, sector); });
}

template <class Archive> Status labeling_proof(Archive& archive, Ref<Archive, LabelingProof> proof) {
  return archive.record(Field{"parents", [&] { return nodes(archive, proof.parents, kLabelParents); }},
                        Field{"layer_index", [&] { return archive.u32(proof.layer_index); }},
                        Field{"node", [&] { return archive.u64(proof.node); }});
}

template <class Archive>
Status replica_columns(Archive& archive, Ref<Archive, PorepChallengeProof> proof, const SectorShape& sector) {
  return archive.record(
      Field{"c_x", [&] { return column_proof(archive, proof.c_x, sector); }},
      Field{"drg_parents", [&] { return column_proofs(archive, proof.drg_parents, kDrgParents, sector); }},
      Field{"exp_parents", [&] { return column_proofs(archive, proof.exp_parents, kExpanderParents, sector); }});
}

template <class Archive>
Status porep_challenge(Archive& archive, Ref<Archive, PorepChallengeProof> proof, const SectorShape& sector) {
  const auto labels = [&] {
    return vector_of(archive, proof.labeling_proofs, sector.layers,
                     [&](auto& label) { return labeling_proof(archive, label); });
  };
  return archive.record(
      Field{"comm_d_proofs", [&] { return merkle_proof(archive, proof.comm_d_proof, data_tree(sector)); }},
      Field{"comm_r_last_proof", [&] { return merkle_proof(archive, proof.comm_r_last_proof, replica_tree(sector)); }},
      Field{"replica_column_proofs", [&] { return replica_columns(archive, proof, sector); }},
      Field{"labeling_proofs", labels},
      Field{"encoding_proof", [&] { return labeling_proof(archive, proof.encoding_proof); }});
}

/// The challenges of one partition.
template <class Archive>
Status porep_partition(Archive& archive, Ref<Archive, std::vector<PorepChallengeProof>> challenges,
                       const SectorShape& sector) {
  return vector_of(archive, challenges, sector.porep_challenges,
                   [&](auto& challenge) { return porep_challenge(archive, challenge, sector); });
}

template <class Archive>
Status post_sector(Archive& archive, Ref<Archive, PostSector> sector, const SectorShape& shape, ProofKind kind) {
  const auto proofs = [&] {
    return vector_of(archive, sector.inclusion_proofs, post_challenges(kind),
                     [&](auto& proof) { return merkle_proof(archive, proof, replica_tree(shape)); });
  };
  return archive.record(Field{"inclusion_proofs", proofs}, Field{"comm_c", [&] { return archive.node(sector.comm_c); }},
                        Field{"comm_r_last", [&] { return archive.node(sector.comm_r_last); }});
}

template <class Archive>
Status post_proof(Archive& archive, Ref<Archive, PostVanillaProof> proof, const SectorShape& shape, ProofKind kind) {
  const auto sectors = [&] {
    return vector_of(archive, proof.sectors, 1,
                     [&](auto& sector) { return post_sector(archive, sector, shape, kind); });
  };
  return archive.record(Field{"sector_id", [&] { return archive.u64(proof.sector_id); }},
                        Field{"comm_r", [&] { return archive.node(proof.comm_r); }},
                        Field{"vanilla_proof", [&] { return archive.record(Field{"sectors", sectors}); }});
}

template <class Archive>
Status update_challenge(Archive& archive, Ref<Archive, UpdateChallengeProof> proof, const SectorShape& sector) {
  return archive.record(Field{"proof_r_old", [&] { return merkle_proof(archive, proof.r_old, replica_tree(sector)); }},
                        Field{"proof_d_new", [&] { return merkle_proof(archive, proof.d_new, data_tree(sector)); }},
                        Field{"proof_r_new", [&] { return merkle_proof(archive, proof.r_new, replica_tree(sector)); }});
}

template <class Archive>
Status update_partition(Archive& archive, Ref<Archive, UpdatePartitionProof> proof, const SectorShape& sector) {
  const auto challenges = [&] {
    return vector_of(archive, proof.challenges, sector.update_challenges,
                     [&](auto& challenge) { return update_challenge(archive, challenge, sector); });
  };
  return archive.record(
      Field{"comm_c", [&] { return archive.node(proof.comm_c); }},
      Field{"apex_leafs", [&] { return nodes(archive, proof.apex_leaves, sector.update_apex_leaves); }},
      Field{"challenge_proofs", challenges});
}

}  // namespace cuzk::filecoin::schema
