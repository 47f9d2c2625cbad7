// ProvingSystem: computes the rows of a, b and c while a circuit is being run, and keeps of it nothing but the
// assignment.
//
// The memory is the caller's, as large as the compiled circuit says: z = (1, public inputs, auxiliary variables), and
// whatever the sink of the rows needs. A circuit that does not fit its z ends the program (CUZK_REQUIRE): instances are
// checked against their circuit before. After the circuit, finish() appends the rows x_i * 0 = 0 of the inputs, ONE
// first, which the prover adds to every circuit. A DensityTracker, where given, sees every row too; densities follow
// from the compiled circuit as well, so that provers go without. No allocation for a constraint. Thread-safety: a
// constraint system belongs to one thread.
#pragma once

#include <span>

#include "field/fp.h"
#include "r1cs/constraint_system.h"
#include "r1cs/density_tracker.h"
#include "support/result.h"

namespace cuzk::r1cs {

/// Takes the rows in order.
template <class S, class Fr>
concept EvaluationSink = requires(S& sink, const Fr& a, const Fr& b, const Fr& c) {
  /// Whether the c of row() means anything; without it C is not evaluated.
  { sink.takes_c() } -> std::convertible_to<bool>;
  sink.row(a, b, c);
};

/// Rows into vectors: a and b of one length, no shorter than the rows; c as long, or empty when it is not wanted.
template <class Fr> class EvaluationSpans {
 public:
  EvaluationSpans(std::span<Fr> a, std::span<Fr> b, std::span<Fr> c = {}) noexcept : a_(a), b_(b), c_(c) {
    CUZK_REQUIRE(a.size() == b.size() && (c.empty() || c.size() == a.size()));
  }

  bool takes_c() const noexcept { return !c_.empty(); }
  void row(const Fr& a, const Fr& b, const Fr& c) noexcept {
    CUZK_REQUIRE(rows_ < a_.size());
    a_[rows_] = a;
    b_[rows_] = b;
    if (takes_c()) c_[rows_] = c;
    ++rows_;
  }
  std::size_t rows() const noexcept { return rows_; }

 private:
  std::span<Fr> a_, b_, c_;
  std::size_t rows_ = 0;
};

template <class Fr, EvaluationSink<Fr> Sink = EvaluationSpans<Fr>> class ProvingSystem {
 public:
  using Field = Fr;
  static constexpr bool kHasValues = true;

  /// z: as many elements as the circuit has variables, to be written; num_inputs of them inputs, ONE included.
  ProvingSystem(std::size_t num_inputs, std::span<Fr> z, Sink sink, DensityTracker<Fr>* densities = nullptr)
      : inputs_(z.first(num_inputs)), aux_(z.subspan(num_inputs)), sink_(std::move(sink)), densities_(densities) {
    CUZK_REQUIRE(num_inputs > 0);
    inputs_[0] = Fr::one();
  }

  // --- the constraint system
  Variable alloc(const Fr& value) noexcept {
    CUZK_REQUIRE(num_aux_ < aux_.size());
    aux_[num_aux_] = value;
    return Variable::aux(static_cast<std::uint32_t>(num_aux_++));
  }
  Variable alloc_bit(bool value) noexcept { return alloc(value ? Fr::one() : Fr::zero()); }
  Variable input(const Fr& value) noexcept {
    CUZK_REQUIRE(num_inputs_ < inputs_.size());
    inputs_[num_inputs_] = value;
    return Variable::input(static_cast<std::uint32_t>(num_inputs_++));
  }
  template <class A, class B, class C> void enforce(A&& a, B&& b, C&& c) {
    sink_.row(evaluate(a), evaluate(b), sink_.takes_c() ? evaluate(c) : Fr::zero());
    ++num_constraints_;
    if (densities_ != nullptr) densities_->row(a, b);
  }
  void begin_block() const noexcept {}
  void end_block() const noexcept {}

  /// The rows of the inputs. precondition: the circuit allocated all of z (CUZK_REQUIRE).
  void finish() {
    CUZK_REQUIRE(num_inputs_ == inputs_.size() && num_aux_ == aux_.size());
    for (const Fr& x : inputs_) sink_.row(x, Fr::zero(), Fr::zero());
  }

  std::size_t num_inputs() const noexcept { return num_inputs_; }  // with ONE
  std::size_t num_aux() const noexcept { return num_aux_; }
  std::size_t num_constraints() const noexcept { return num_constraints_; }  // without the rows of the inputs
  const Sink& sink() const noexcept { return sink_; }
  Sink& sink() noexcept { return sink_; }

 private:
  /// A linear combination as its value.
  class Sum {
   public:
    explicit Sum(const ProvingSystem& cs) noexcept : inputs_(cs.inputs_.data()), aux_(cs.aux_.data()) {}

    void add(Variable v) noexcept { sum_ += value(v); }
    void sub(Variable v) noexcept { sum_ -= value(v); }
    void add(Variable v, const Fr& k) noexcept {
      const Fr& x = value(v);
      if (x.is_zero()) return;  // most variables are bits
      sum_ += x.is_one() ? k : k * x;
    }
    const Fr& total() const noexcept { return sum_; }

   private:
    const Fr& value(Variable v) const noexcept { return (v.is_input() ? inputs_ : aux_)[v.index()]; }

    const Fr* inputs_;
    const Fr* aux_;
    Fr sum_ = Fr::zero();
  };

  template <class Write> Fr evaluate(Write& write) const {
    Sum sum(*this);
    write(sum);
    return sum.total();
  }

  std::span<Fr> inputs_;
  std::span<Fr> aux_;
  std::size_t num_inputs_ = 1;
  std::size_t num_aux_ = 0;
  std::size_t num_constraints_ = 0;
  Sink sink_;
  DensityTracker<Fr>* densities_;
};

}  // namespace cuzk::r1cs
