// MultiEq: equations between sums of words, several of them in one constraint. Each stands in a range of bits of its
// own; a constraint holds as many as fit into the field's capacity: six or seven of SHA-256's additions.
//
// Source: bellpepper-core's gadgets of the same name; rules: docs/circuits.md, "Several equations at once". An equation
// is collected as bits with weights 2^i; constant bits and negations' constants are summed at once, so that the row has
// one term for ONE a side. flush() must be called at the end. Memory: kept from one constraint to the next.
// Thread-safety: belongs to one thread, as its constraint system.
#pragma once

#include <span>
#include <vector>

#include "gadgets/multipack.h"
#include "gadgets/powers_of_two.h"
#include "gadgets/uint32.h"

namespace cuzk::gadgets {

template <r1cs::ConstraintSystem CS> class MultiEq {
 public:
  explicit MultiEq(CS& cs) : cs_(cs) {
    left_.reserve(kTypicalTerms);
    right_.reserve(kTypicalTerms);
  }
  ~MultiEq() { CUZK_ASSERT(used_ == 0); }
  MultiEq(const MultiEq&) = delete;
  MultiEq& operator=(const MultiEq&) = delete;

  /// sum of the words = sum 2^i bits[i], where both sides are below 2^bits.size().
  void enforce_equal(std::span<const UInt32> words, std::span<const Boolean> bits) {
    const auto width = static_cast<unsigned>(bits.size());
    if (used_ + width >= kCapacity<Fr>) flush();
    for (const UInt32& word : words) {
      for (unsigned i = 0; i < UInt32::kBits; ++i) left_.put(word[i], used_ + i);
    }
    for (unsigned i = 0; i < width; ++i) right_.put(bits[i], used_ + i);
    used_ += width;
  }

  /// The constraint of what was collected, if anything: left * 1 = right.
  void flush() {
    if (used_ == 0) return;
    cs_.enforce([this](auto& lc) { left_.write(lc); }, r1cs::kOne, [this](auto& lc) { right_.write(lc); });
    left_.clear();
    right_.clear();
    used_ = 0;
  }

  CS& system() const noexcept { return cs_; }

 private:
  using Fr = typename CS::Field;
  static constexpr std::size_t kTypicalTerms = 1024;  // 929 in Filecoin's circuits

  class Side {
   public:
    void reserve(std::size_t terms) { terms_.reserve(terms); }
    void put(const Boolean& bit, unsigned weight) {
      using Form = Boolean::Form;
      if (bit.form() != Form::constant) {
        terms_.push_back({bit.variable(), static_cast<std::uint8_t>(weight), bit.form() == Form::is_not});
      }
      if (bit.form() == Form::is_not || bit.is_constant(true)) constant_ += kPowersOfTwo<Fr>[weight];
    }
    template <class L> void write(L& lc) const {
      for (const Term& term : terms_) {
        const Fr& weight = kPowersOfTwo<Fr>[term.weight];
        lc.add(term.variable, term.negated ? -weight : weight);
      }
      if (!constant_.is_zero()) lc.add(r1cs::Variable::one(), constant_);
    }
    void clear() noexcept {
      terms_.clear();
      constant_ = Fr::zero();
    }

   private:
    struct Term {
      r1cs::Variable variable;
      std::uint8_t weight;  // exponent of two
      bool negated;
    };
    std::vector<Term> terms_;
    Fr constant_ = Fr::zero();
  };

  CS& cs_;
  unsigned used_ = 0;
  Side left_, right_;
};

/// The sum of 2 to 10 words modulo 2^32. Where a bit of them is not constant: new bits of the whole sum, as many as the
/// largest has, and an equation.
template <r1cs::ConstraintSystem CS> UInt32 add_many(MultiEq<CS>& equations, std::span<const UInt32> words) {
  CUZK_ASSERT(2 <= words.size() && words.size() <= 10);
  u64 sum = 0;
  bool constant = true;
  for (const UInt32& word : words) {
    sum += word.value();
    constant = constant && word.is_constant();
  }
  if (constant) return UInt32::constant(static_cast<std::uint32_t>(sum));

  const auto width = static_cast<std::size_t>(std::bit_width(words.size() * u64{0xffffffff}));
  std::array<Boolean, 36> storage;
  const auto bits = std::span(storage).first(width);
  for (std::size_t i = 0; i < width; ++i) bits[i] = alloc_bit(equations.system(), (sum >> i & 1) != 0);
  equations.enforce_equal(words, bits);
  return UInt32::from_low_bits(bits);
}

}  // namespace cuzk::gadgets
