// Where setup() puts a key while it is being made: into memory, or chunk by chunk into a file larger than memory.
//
// Calls come in the order of bellperson's files: begin(), then for each query in the order of KeyQuery begin_query()
// and append() until all finite points were given. Identities are never given: a position is that of the variable (of
// the power or Lagrange value for h) in its query, ascending over the calls. An error of the sink ends the setup and is
// passed on. Thread-safety: external, one call at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "groth16/proving_key.h"
#include "support/result.h"

namespace cuzk::groth16 {

enum class KeyQuery : std::uint8_t { h, l, a, b_g1, b_g2 };
/// "h", "l", "a", "b_g1", "b_g2"
std::string_view name_of(KeyQuery query) noexcept;

struct KeyShape {
  std::size_t num_variables = 0;
  std::size_t num_public = 0;
  std::size_t domain_size = 0;
  QuotientBasis basis{};
  RootFamily roots{};
};

template <class C> class KeySink {
 public:
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;

  virtual ~KeySink() = default;

  virtual Status begin(const KeyShape& shape, const VerifyingKey<C>& vk) = 0;
  /// `finite` of the query's `size` points are not the identity.
  virtual Status begin_query(KeyQuery query, std::size_t size, std::size_t finite) = 0;
  /// The next finite points; equal lengths. b_g2 alone is in G2.
  virtual Status append(std::span<const std::uint32_t> positions, std::span<const G1> points) = 0;
  virtual Status append(std::span<const std::uint32_t> positions, std::span<const G2> points) = 0;
};

}  // namespace cuzk::groth16
