// The sink that writes a packed witness (packed_witness.h).
//
// Sinks over adjacent ranges share the 64-bit words at their borders: those are cleared beforehand (clear_border) and
// filled by atomic or; all others are written once, whole. The rank of a word belongs to the sink of its first
// variable. Precondition: the destination holds what is put. Thread-safety: as witness_sink.h says; sinks over disjoint
// ranges of one destination concurrently.
#pragma once

#include <atomic>

#include "field/fp_batch.h"
#include "r1cs/packed_witness.h"

namespace cuzk::r1cs {

/// Must be called for the first variable of each sink and for the number of variables, before any sink is written.
inline void clear_border(const PackedDestination& destination, std::size_t aux) noexcept {
  if (aux % 64 == 0) return;
  destination.bits[aux / 64] = 0;
  destination.general_map[aux / 64] = 0;
}

template <class Fr> class PackedSink {
 public:
  using Field = Fr;

  /// For the variables from first.aux on, before which first.general are general.
  PackedSink(const PackedDestination& destination, WitnessExtent first) noexcept
      : first_bits_(destination.bits.data()),
        bits_(destination.bits.data() + first.aux / 64),
        map_(destination.general_map.data() + first.aux / 64),
        rank_(destination.ranks.data() + first.aux / 64),
        general_(destination.general.data()),
        next_general_(static_cast<std::uint32_t>(first.general)),
        rank_of_word_(next_general_),
        used_(static_cast<unsigned>(first.aux % 64)),
        shares_first_(used_ != 0) {}

  void bits(u64 word, unsigned count) noexcept {
    pending_bits_ |= word << used_;
    used_ += count;
    if (used_ < 64) return;
    used_ -= 64;
    put_word();
    pending_bits_ = used_ == 0 ? 0 : word >> (count - used_);
  }
  void value(const U256& value) noexcept { values(1)[0] = value; }
  std::span<U256> values(std::size_t count) noexcept {
    const std::span<U256> chosen(general_ + next_general_, count);
    for (std::size_t left = count; left != 0;) {
      const auto now = static_cast<unsigned>(left < 64 - used_ ? left : 64 - used_);
      pending_map_ |= (~u64{0} >> (64 - now)) << used_;
      next_general_ += now;
      left -= now;
      used_ += now;
      if (used_ == 64) {
        used_ = 0;
        put_word();
        pending_bits_ = 0;
      }
    }
    return chosen;
  }
  void element(const Fr& element) noexcept { value(element.canonical()); }
  void elements(std::span<const Fr> elements) noexcept { to_canonical_n(values(elements.size()), elements); }

  /// What the next variable stands after.
  WitnessExtent position() const noexcept {
    return {.aux = 64 * static_cast<u64>(bits_ - first_bits_) + used_, .general = next_general_};
  }

  void finish() noexcept {
    if (used_ == 0) return;
    put_shared_word();
    if (!shares_first_) *rank_ = rank_of_word_;
  }

 private:
  /// The word is full; begins the next one.
  void put_word() noexcept {
    if (shares_first_) [[unlikely]] {
      put_shared_word();
      shares_first_ = false;
    } else {
      *bits_ = pending_bits_;
      *map_ = pending_map_;
      *rank_ = rank_of_word_;
    }
    ++bits_;
    ++map_;
    ++rank_;
    pending_map_ = 0;
    rank_of_word_ = next_general_;
  }
  void put_shared_word() noexcept {
    std::atomic_ref(*bits_).fetch_or(pending_bits_, std::memory_order_relaxed);
    std::atomic_ref(*map_).fetch_or(pending_map_, std::memory_order_relaxed);
  }

  const u64* first_bits_;
  u64* bits_;
  u64* map_;
  std::uint32_t* rank_;
  U256* general_;
  u64 pending_bits_ = 0;
  u64 pending_map_ = 0;
  std::uint32_t next_general_;
  std::uint32_t rank_of_word_;
  unsigned used_;  // bits of the word that are taken
  bool shares_first_;
};

}  // namespace cuzk::r1cs
