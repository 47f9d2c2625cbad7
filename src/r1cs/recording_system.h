// RecordingSystem: yields the compiled circuit of whatever is run on it, in the form of pieces and placements.
//
// Rows between begin_block() and end_block() are one piece, unless they are very many; rows outside of blocks are cut
// at every block and every few thousand rows. Values are ignored, and gadgets are told so (kHasValues). The recorder
// also keeps which auxiliary variables were allocated as bits. finish() ends the recording. Limits (CUZK_REQUIRE): 2^31
// inputs, 2^31 auxiliary variables, 2^32 constraints. Instantiated for both scalar fields. Thread-safety: a constraint
// system belongs to one thread.
#pragma once

#include "r1cs/block_circuit.h"
#include "r1cs/coefficient_dictionary.h"
#include "r1cs/constraint_system.h"
#include "r1cs/piece_recorder.h"

namespace cuzk::r1cs {

template <class Fr> class RecordingSystem {
 public:
  using Field = Fr;
  static constexpr bool kHasValues = false;

  // --- the constraint system
  Variable alloc(const Fr&) { return next_aux(); }
  Variable alloc_bit(bool) {
    const Variable v = next_aux();
    mark_bit(v.index());
    return v;
  }
  Variable input(const Fr&) {
    CUZK_REQUIRE(num_inputs_ < kMaxVariables);
    return Variable::input(static_cast<std::uint32_t>(num_inputs_++));
  }
  template <class A, class B, class C> void enforce(A&& a, B&& b, C&& c) {
    record(a);
    record(b);
    record(c);
    if (pieces_.rows_in_piece() >= max_rows_ || pieces_.terms_in_piece() >= kMaxTerms) pieces_.cut(num_aux_);
  }
  void begin_block() {
    if (depth_++ != 0) return;
    pieces_.cut(num_aux_);
    max_rows_ = kMaxBlockRows;
  }
  void end_block() {
    CUZK_ASSERT(depth_ > 0);
    if (--depth_ != 0) return;
    pieces_.cut(num_aux_);
    max_rows_ = kMaxLooseRows;
  }

  std::size_t num_inputs() const noexcept { return num_inputs_; }  // with ONE
  std::size_t num_aux() const noexcept { return num_aux_; }

  BlockCircuit<Fr> finish() &&;

 private:
  static constexpr std::size_t kMaxVariables = std::size_t{1} << 31;
  static constexpr std::size_t kMaxLooseRows = 4096;
  static constexpr std::size_t kMaxBlockRows = 1 << 20;
  static constexpr std::size_t kMaxTerms = 1 << 22;  // 32 MiB

  /// A linear combination, written straight into the piece.
  class Combination {
   public:
    explicit Combination(RecordingSystem& cs) noexcept : cs_(cs) {}
    void add(Variable v) { put(v, 0); }
    void sub(Variable v) { put(v, 1); }
    void add(Variable v, const Fr& k) {
      if (!k.is_zero()) put(v, cs_.dictionary_.intern(k));
    }
    bool has_zeros() const noexcept { return has_zeros_; }

   private:
    void put(Variable v, std::uint32_t coefficient) {
      const auto slot = cs_.pieces_.term(v);
      slot.coefficient = slot.is_new ? coefficient : sum(slot.coefficient, coefficient);
    }
    std::uint32_t sum(std::uint32_t x, std::uint32_t y) {
      if (x == PieceRecorder::kZero) return y;
      const Fr total = cs_.dictionary_[x] + cs_.dictionary_[y];
      if (!total.is_zero()) return cs_.dictionary_.intern(total);
      has_zeros_ = true;
      return PieceRecorder::kZero;
    }

    RecordingSystem& cs_;
    bool has_zeros_ = false;
  };

  template <class Write> void record(Write& write) {
    Combination combination(*this);
    write(combination);
    pieces_.end_side(combination.has_zeros());
  }
  Variable next_aux() {
    CUZK_REQUIRE(num_aux_ < kMaxVariables);
    return Variable::aux(static_cast<std::uint32_t>(num_aux_++));
  }
  void mark_bit(std::size_t aux) {
    if (aux / 64 >= bits_.size()) bits_.resize(aux / 64 + 1);
    bits_[aux / 64] |= std::uint64_t{1} << (aux % 64);
  }

  std::size_t num_inputs_ = 1;
  std::size_t num_aux_ = 0;
  std::size_t depth_ = 0;
  std::size_t max_rows_ = kMaxLooseRows;
  CoefficientDictionary<Fr> dictionary_;
  PieceRecorder pieces_;
  std::vector<std::uint64_t> bits_;
};

extern template class RecordingSystem<bn254::Fr>;
extern template class RecordingSystem<bls12_381::Fr>;

}  // namespace cuzk::r1cs
