// What the checks of all kinds have in common (check.h).
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "filecoin/vanilla/findings.h"
#include "filecoin/vanilla/merkle_root.h"
#include "support/parallel.h"
#include "support/progress.h"

namespace cuzk::filecoin {

/// A path that leads to the root it states, which must be this one. `other_root`: what it is when it is not.
inline void check_path(const FindingsBelow& findings, const MerkleProof& proof, TreeHash hash, const Node& root,
                       Kind other_root) {
  findings.at("root").expect_equal(other_root, root, proof.root);
  findings.expect_equal(Kind::merkle_root_mismatch, proof.root, merkle_root(proof, hash));
}

inline void check_position(const FindingsBelow& findings, const MerkleProof& proof, std::uint64_t position, Kind kind) {
  findings.expect_equal(kind, position, proof.leaf_index());
}

/// The node that all of these should be, judged without trusting the first: the most frequent of those that fit, or of
/// all when none does. precondition: not empty.
template <class Fits> Node common_node(std::span<const Node> nodes, const Fits& fits) {
  constexpr std::size_t kTried = 8;
  std::map<std::array<u64, 4>, std::size_t> counts;
  for (const Node& node : nodes) ++counts[node.limb];
  std::vector<std::pair<std::size_t, Node>> candidates;
  candidates.reserve(counts.size());
  for (const auto& [limbs, count] : counts) candidates.emplace_back(count, Node{limbs});
  std::sort(candidates.begin(), candidates.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  for (std::size_t i = 0; i < std::min(kTried, candidates.size()); ++i)
    if (fits(candidates[i].second)) return candidates[i].second;
  return candidates.front().second;
}

/// body(i, findings of i) for each i in [0, count) on all threads; the findings in order of i.
template <class Body>
void gather_findings(Arena& arena, std::size_t count, ProgressRef progress, Findings& out, const Body& body) {
  std::vector<Findings> found(count);
  parallel_for(arena, 0, count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i, found[i]);
    progress.advance(end - begin);
  });
  for (Findings& part : found)
    out.insert(out.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
}

}  // namespace cuzk::filecoin
