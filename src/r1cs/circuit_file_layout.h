// The layout of circuit files, for their reader and their writer; docs/formats/circuit.md. Thread-safety: pure
// functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "field/big_int.h"
#include "r1cs/block_circuit.h"
#include "r1cs/circuit_file.h"
#include "support/bytes.h"
#include "support/sha256.h"

namespace cuzk::r1cs::circuit_file {

inline constexpr std::array<char, 8> kMagic = {'c', 'u', 'z', 'k', 'c', 'i', 'r', 'c'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kAlignment = 64;
inline constexpr std::uint64_t kMaxInputs = std::uint64_t{1} << 24;  // no bytes of the file stand for them
inline constexpr std::uint64_t kMaxAux = std::uint64_t{1} << 31;
inline constexpr std::uint64_t kMaxRows = 0xffffffff;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t label_length;
  U256 prime;
  std::array<char, kMaxCircuitLabel> label;
  std::uint64_t num_inputs, num_aux, num_constraints;
  std::uint64_t non_zeros_a, non_zeros_b, non_zeros_c;
  std::uint64_t dense_a_aux, dense_b_inputs, dense_b_aux;
  std::uint64_t num_coefficients, num_pieces, num_ends, num_terms, num_placements, num_ports;
  Sha256::Digest matrices_sha256;
  Sha256::Digest checksum;  // of the file with zeros in this place
  std::array<std::byte, 24> reserved;
};
static_assert(sizeof(Header) == 320 && sizeof(Header) % kAlignment == 0);
static_assert(sizeof(Piece) == 32 && sizeof(PieceTerm) == 8 && sizeof(Placement) == 24);

/// The zeros between an array of `size` bytes and the next.
inline Bytes padding_behind(std::uint64_t size) noexcept {
  static constexpr std::array<std::byte, kAlignment> zeros{};
  return std::span(zeros).first((kAlignment - size % kAlignment) % kAlignment);
}

/// Of the header and the arrays behind it.
inline Sha256::Digest checksum_of(Header header, std::span<const Bytes> sections) {
  header.checksum = {};
  Sha256 hash;
  hash.update(object_bytes(header));
  for (const Bytes section : sections) hash.update(section).update(padding_behind(section.size()));
  return hash.finish();
}

inline bool is_printable(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return ' ' <= c && c <= '~'; });
}

}  // namespace cuzk::r1cs::circuit_file
