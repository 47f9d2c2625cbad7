// What follows from a sector size for the empty-sector update: how a challenge's bits are cut, the levels of its paths.
//
// A challenge is, from the low bits up: the position below an apex leaf, the apex leaf of the partition, the partition.
// Source: docs/circuits.md, "Empty-sector update". Thread-safety: const methods concurrently.
#pragma once

#include <array>
#include <bit>
#include <span>
#include <vector>

#include "filecoin/registry.h"

namespace cuzk::filecoin {

class UpdateShape {
 public:
  /// h is one of so many numbers of high bits, chosen by h_select.
  static constexpr std::size_t kHighBitChoices = 6;
  /// Of a digest as a field element; challenges are cut from its low 254.
  static constexpr std::size_t kDigestBits = 255;

  /// precondition: the size has an update.
  explicit UpdateShape(const SectorShape& sector)
      : sector_(sector), replica_levels_(sector.tree.arities()), offset_bits_(sector.log2_nodes() - partition_bits()) {}

  std::size_t partition_bits() const noexcept { return log2(sector_.update_partitions); }
  std::size_t apex_bits() const noexcept { return log2(sector_.update_apex_leaves); }
  /// Of a challenge, without those of its partition.
  std::size_t offset_bits() const noexcept { return offset_bits_; }

  /// Levels of the data tree below the apex leaves.
  std::size_t apex_height() const noexcept { return offset_bits_ - apex_bits(); }

  /// Of one partition.
  std::size_t challenges() const noexcept { return sector_.update_challenges; }
  std::size_t challenges_of_digest() const noexcept { return (kDigestBits - 1) / offset_bits_; }
  std::size_t bits_of_digest() const noexcept { return challenges_of_digest() * offset_bits_; }
  /// Digests of one partition; the last one may be used in part.
  std::size_t digests() const noexcept {
    return (sector_.update_challenges + challenges_of_digest() - 1) / challenges_of_digest();
  }

  /// The i-th choice of h. Small sectors have one choice, six times.
  std::size_t high_bits(std::size_t i) const noexcept {
    const std::size_t chosen = log2(sector_.update_h_select);
    return chosen == 0 ? sector_.update_h : sector_.update_h - chosen + i;
  }

  /// Arities of a path in a replica's tree.
  std::span<const unsigned> replica_levels() const noexcept { return replica_levels_; }
  /// Arities of `count` levels of the data tree.
  static std::span<const unsigned> binary_levels(std::size_t count) noexcept {
    static constexpr auto kTwos = [] {
      std::array<unsigned, 64> twos;
      twos.fill(2);
      return twos;
    }();
    return std::span(kTwos).first(count);
  }

 private:
  static constexpr std::size_t log2(unsigned power_of_two) noexcept {
    return static_cast<std::size_t>(std::countr_zero(power_of_two));
  }

  const SectorShape& sector_;
  std::vector<unsigned> replica_levels_;
  std::size_t offset_bits_;
};

}  // namespace cuzk::filecoin
