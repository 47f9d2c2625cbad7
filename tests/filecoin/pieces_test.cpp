// Commitments to pieces: joined by hand, and against the published commitments to zeros.
#include "filecoin/primitives/pieces.h"

#include <gtest/gtest.h>

#include "hash/sha256_compress.h"
#include "tests/filecoin/samples.h"

namespace cuzk::filecoin {
namespace {

using hash::sha256_pair;
using test::must;

const SectorShape& kSector = *find_sector_shape("2KiB");

TEST(Pieces, ZeroPiecesAreThePublishedOnes) {
  EXPECT_EQ(test::hex_of(zero_piece(128)), "3731bb99ac689f66eef5973e4a94da188f4ddcae580724fc6f3fd60dfd488333");
  EXPECT_EQ(must(comm_d_from_pieces(kSector, {})), zero_piece(2048));
  EXPECT_EQ(test::hex_of(zero_piece(std::uint64_t{32} << 30)),
            "077e5fde35c50a9303a55009e3498a4ebedff39c42b710b730d8ec7ac7afa63e");
}

TEST(Pieces, OneWholePieceIsTheCommitment) {
  const Node piece = Node::from_u64(7);
  EXPECT_EQ(must(comm_d_from_pieces(kSector, std::array{Piece{2048, piece}})), piece);
}

TEST(Pieces, GapsAndTheEndAreZeros) {
  const Node a = Node::from_u64(1), b = Node::from_u64(2), c = Node::from_u64(3);
  // 256 | gap 256 | 512 | 256 | end 768
  const Node root = must(comm_d_from_pieces(kSector, std::array{Piece{256, a}, Piece{512, b}, Piece{256, c}}));
  const Node first = sha256_pair(sha256_pair(a, zero_piece(256)), b);
  const Node second = sha256_pair(sha256_pair(c, zero_piece(256)), zero_piece(512));
  EXPECT_EQ(root, sha256_pair(first, second));
}

TEST(Pieces, WrongSizesAreNamed) {
  const auto kind_of = [](std::initializer_list<Piece> pieces) {
    const auto result = comm_d_from_pieces(kSector, pieces);
    return result ? Kind::none : result.error().kind();
  };
  const Node a = Node::from_u64(1);
  EXPECT_EQ(kind_of({{64, a}}), Kind::bad_length);
  EXPECT_EQ(kind_of({{0, a}}), Kind::bad_length);
  EXPECT_EQ(kind_of({{384, a}}), Kind::bad_length);
  EXPECT_EQ(kind_of({{4096, a}}), Kind::bad_count);
  EXPECT_EQ(kind_of({{std::uint64_t{1} << 63, a}}), Kind::bad_count);
  EXPECT_EQ(kind_of({{128, a}, {2048, a}}), Kind::bad_count);
  EXPECT_EQ(kind_of({{1024, a}, {1024, a}, {128, a}}), Kind::bad_count);
  EXPECT_EQ(kind_of({{128, a}, {1024, a}, {512, a}}), Kind::bad_count);
}

}  // namespace
}  // namespace cuzk::filecoin
