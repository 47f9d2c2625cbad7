// The whole graph of a sector as one digest, as the reference publishes it.
#pragma once

#include <string>

#include "filecoin/primitives/graph.h"
#include "support/hex.h"
#include "support/sha256.h"

namespace cuzk::test {

/// SHA-256 over the 14 parents of every node, DRG then expander, 4 bytes each, little-endian.
inline std::string digest_of_parents(const filecoin::Graph& graph) {
  Sha256 hash;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    const filecoin::DrgParents drg = graph.drg_parents(node);
    const filecoin::ExpanderParents expander = graph.expander_parents(node);
    hash.update(std::as_bytes(std::span(drg))).update(std::as_bytes(std::span(expander)));
  }
  return encode_hex(hash.finish());
}

}  // namespace cuzk::test
