// What a circuit is written against: one text of a circuit serves every model of this concept.
//
//   ProvingSystem    computes the rows of a, b, c as it goes (proving_system.h)
//   RecordingSystem  yields the compiled circuit (recording_system.h)
//   WitnessSystem    the assignment alone; constraints are skipped (witness_system.h)
//   TestSystem       first unsatisfied constraint, counts, hash (test_system.h)
//
// A constraint a * b = c is given as three callables that put their terms, in any order, into the accumulator they are
// handed: `cs.enforce([&](auto& lc) { lc.add(x); lc.sub(y, k); }, ...)`. Nothing is stored between circuit and model,
// so a model pays only for what it needs: the witness model never calls them. Repeated variables of one linear
// combination are summed and terms that are zero are dropped, as bellpepper-core does; an empty callable is the zero
// combination. Structure never depends on values. ONE is allocated by the model: `Variable::one()`.
//
// Blocks: a circuit repeats few pieces a million times (a SHA-256 block, a level of a Merkle path). A gadget that is
// such a piece holds a Block over its whole length; the recorder stores each distinct piece once. This is a hint about
// where to cut: it changes no constraint, and whatever is cut is compared exactly. Blocks inside blocks count for
// nothing. Thread-safety: a constraint system belongs to one thread.
#pragma once

#include <concepts>

#include "field/fp.h"
#include "r1cs/variable.h"

namespace cuzk::r1cs {

/// What an accumulator of a linear combination offers.
template <class L, class Fr>
concept LinearCombination = requires(L& lc, Variable v, const Fr& k) {
  lc.add(v);     // + v
  lc.sub(v);     // - v
  lc.add(v, k);  // + k v
};

namespace detail {
/// Stands for every accumulator when the concept looks at enforce().
template <class Fr> struct AnyCombination {
  void add(Variable) noexcept {}
  void sub(Variable) noexcept {}
  void add(Variable, const Fr&) noexcept {}
};
struct AnyTerms {
  template <class L> void operator()(L&) const noexcept {}
};
}  // namespace detail

template <class CS>
concept ConstraintSystem = requires(CS& cs, const typename CS::Field& value, bool bit) {
  /// Whether values mean anything: false while recording, where gadgets may leave costly ones out.
  { CS::kHasValues } -> std::convertible_to<bool>;
  { cs.alloc(value) } -> std::same_as<Variable>;    // the next auxiliary variable
  { cs.alloc_bit(bit) } -> std::same_as<Variable>;  // the same, for one that a constraint keeps at 0 or 1
  { cs.input(value) } -> std::same_as<Variable>;    // the next public input
  cs.enforce(detail::AnyTerms{}, detail::AnyTerms{}, detail::AnyTerms{});
  cs.begin_block();
  cs.end_block();
};

/// A repeated piece of a circuit; see above.
template <class CS> class Block {
 public:
  explicit Block(CS& cs) : cs_(cs) { cs_.begin_block(); }
  ~Block() { cs_.end_block(); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

 private:
  CS& cs_;
};

/// The commonest combinations.
inline constexpr auto kNothing = [](auto&) {};
inline constexpr auto kOne = [](auto& lc) { lc.add(Variable::one()); };
constexpr auto term(Variable v) {
  return [v](auto& lc) { lc.add(v); };
}

}  // namespace cuzk::r1cs
