#include "backend/abc_buffer.h"

#include <algorithm>
#include <array>

namespace cuzk::backend {

template <class Fr>
AbcBuffer<Fr>::AbcBuffer(memory::HostBuffer buffer, std::size_t rows) : buffer_(std::move(buffer)), rows_(rows) {
  CUZK_REQUIRE(rows > 0 && buffer_.size() == bytes(rows));
}

template <class Fr> std::vector<groth16::RowPart<Fr>> row_parts(const memory::HostBuffer& abc, std::size_t rows) {
  constexpr std::size_t kVectors = AbcBuffer<Fr>::kVectors;
  CUZK_REQUIRE(abc.size() == AbcBuffer<Fr>::bytes(rows));
  struct Vector {
    std::vector<std::span<Fr>> pieces;
    std::size_t at = 0;  // the piece that is being used up

    std::span<Fr> take(std::size_t count) {
      std::span<Fr>& rest = pieces[at];
      const std::span<Fr> taken = rest.first(count);
      rest = rest.subspan(count);
      if (rest.empty()) ++at;
      return taken;
    }
  };
  std::array<Vector, kVectors> vectors;
  for (std::size_t i = 0; i < kVectors; ++i) {
    abc.as<Fr>().for_each_part(i * rows, (i + 1) * rows,
                               [&](std::span<Fr> piece, std::uint64_t) { vectors[i].pieces.push_back(piece); });
  }
  std::vector<groth16::RowPart<Fr>> parts;
  for (std::size_t row = 0; row < rows;) {
    std::size_t count = rows;
    for (const Vector& vector : vectors) count = std::min(count, vector.pieces[vector.at].size());
    parts.push_back({row, vectors[0].take(count), vectors[1].take(count), vectors[2].take(count)});
    row += count;
  }
  return parts;
}

template class AbcBuffer<bn254::Fr>;
template class AbcBuffer<bls12_381::Fr>;
template std::vector<groth16::RowPart<bn254::Fr>> row_parts(const memory::HostBuffer&, std::size_t);
template std::vector<groth16::RowPart<bls12_381::Fr>> row_parts(const memory::HostBuffer&, std::size_t);

}  // namespace cuzk::backend
