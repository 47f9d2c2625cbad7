#include "filecoin/primitives/pieces.h"

#include <bit>
#include <vector>

#include "hash/sha256_compress.h"

namespace cuzk::filecoin {
namespace {

constexpr std::uint64_t kSmallestPiece = 128;

/// Subtrees from left to right that are not yet joined: each smaller than the one before.
class Forest {
 public:
  void add(Piece piece) {
    while (!trees_.empty() && trees_.back().padded_bytes == piece.padded_bytes) {
      piece = {2 * piece.padded_bytes, hash::sha256_pair(trees_.back().commitment, piece.commitment)};
      trees_.pop_back();
    }
    trees_.push_back(piece);
  }
  void add_zeros(std::uint64_t padded_bytes) { add({padded_bytes, zero_piece(padded_bytes)}); }

  /// Zeros up to the next multiple of `bytes`.
  void align(std::uint64_t bytes) {
    while (!trees_.empty() && trees_.back().padded_bytes < bytes) add_zeros(trees_.back().padded_bytes);
  }
  std::uint64_t bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const Piece& tree : trees_) sum += tree.padded_bytes;
    return sum;
  }
  const Node& root() const noexcept { return trees_.front().commitment; }

 private:
  std::vector<Piece> trees_;
};

}  // namespace

Node zero_piece(std::uint64_t padded_bytes) noexcept {
  Node root = Node::zero();
  for (std::uint64_t bytes = sizeof(Node); bytes < padded_bytes; bytes *= 2) root = hash::sha256_pair(root, root);
  return root;
}

Result<Node> comm_d_from_pieces(const SectorShape& sector, std::span<const Piece> pieces) {
  if (pieces.empty()) return zero_piece(sector.bytes);
  Forest forest;
  for (const Piece& piece : pieces) {
    if (!std::has_single_bit(piece.padded_bytes) || piece.padded_bytes < kSmallestPiece)
      return fail(Code::malformed, Kind::bad_length,
                  "a piece of " + std::to_string(piece.padded_bytes) + " padded bytes: expected a power of two, " +
                      std::to_string(kSmallestPiece) + " at least");
    if (piece.padded_bytes <= sector.bytes) forest.align(piece.padded_bytes);
    if (piece.padded_bytes > sector.bytes - forest.bytes())
      return fail(Code::malformed, Kind::bad_count,
                  "the pieces do not fit into " + std::to_string(sector.bytes) + " bytes");
    forest.add(piece);
  }
  forest.align(sector.bytes);
  return forest.root();
}

}  // namespace cuzk::filecoin
