// Where a direct witness generator puts the auxiliary variables of a partition, in order.
//
// A generator knows no constraint system and no form of the witness: it appends bits (as words) and field elements, and
// a sink writes them as plain 256-bit integers (plain_sink.h) or packed (packed_sink.h). A sink covers a range of
// variables that its maker chose; several sinks over disjoint ranges may be written concurrently, so that challenges
// and sectors are generated in parallel. finish() comes after the last variable. Sinks are small values: a hot loop
// works on a local copy and writes it back. Thread-safety: a sink belongs to one thread.
#pragma once

#include <span>

#include "field/fp.h"

namespace cuzk::r1cs {

template <class S>
concept WitnessSink = requires(S& sink, u64 word, unsigned count, std::size_t many, const typename S::Field& element,
                               std::span<const typename S::Field> elements, const U256& value) {
  /// The next `count` (0..64) variables are the low bits of `word`, least significant first; higher bits are zero.
  sink.bits(word, count);
  /// The next variable, whole: a canonical value.
  sink.value(value);
  /// The next `many` variables, whole: the caller fills the span with canonical values before finish().
  { sink.values(many) } -> std::same_as<std::span<U256>>;
  /// Variables from Montgomery form; elements() is element() for each.
  sink.element(element);
  sink.elements(elements);
  sink.finish();
};

/// How many variables a piece of a witness has, and how many of them are whole.
struct WitnessExtent {
  u64 aux = 0;
  u64 general = 0;

  friend constexpr WitnessExtent operator+(WitnessExtent a, WitnessExtent b) noexcept {
    return {a.aux + b.aux, a.general + b.general};
  }
  constexpr WitnessExtent& operator+=(WitnessExtent b) noexcept { return *this = *this + b; }
  friend constexpr WitnessExtent operator*(u64 times, WitnessExtent a) noexcept {
    return {times * a.aux, times * a.general};
  }
  friend constexpr bool operator==(WitnessExtent, WitnessExtent) noexcept = default;
};
constexpr WitnessExtent bits_extent(u64 count) noexcept { return {count, 0}; }
constexpr WitnessExtent values_extent(u64 count) noexcept { return {count, count}; }

}  // namespace cuzk::r1cs
