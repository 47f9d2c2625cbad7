#include "gadgets/poseidon_rows.h"

#include <map>

namespace cuzk::gadgets {

using hash::Fr;
using hash::PoseidonConstants;
using hash::PoseidonKind;

/// Runs the permutation on linear combinations. An element that an S-box or the end needs as a variable, and that has
/// none, gets one there and nowhere else.
class PoseidonRows::Builder {
 public:
  Builder(PoseidonRows& rows, const PoseidonConstants& constants)
      : rows_(rows), k_(constants), state_(constants.width), next_key_(constants.compressed_constants.begin()) {}

  void run() {
    first_round();
    for (unsigned round = 1; round < kHalf; ++round) {
      full_round(/*keyed=*/true);
      mix(round + 1 < kHalf ? k_.mds : k_.pre_sparse);
    }
    for (const hash::SparseMatrix& matrix : k_.sparse) {
      state_[0] = sbox(variable_of(state_[0]), *next_key_++);
      sparse_mix(matrix);
    }
    for (unsigned round = 0; round < kHalf; ++round) {
      full_round(/*keyed=*/round + 1 < kHalf);
      mix(k_.mds);
    }
    variable_of(state_[1]);
  }

 private:
  static constexpr unsigned kHalf = PoseidonConstants::kHalfFullRounds;
  static constexpr std::uint32_t kOneSlot = 0;
  using Combination = std::map<std::uint32_t, Fr>;

  static Combination slot(std::uint32_t index) { return {{index, Fr::one()}}; }
  static bool is_variable(const Combination& element) {
    return element.size() == 1 && element.begin()->first != kOneSlot && element.begin()->second.is_one();
  }
  static void add_multiple(Combination& sum, const Fr& k, const Combination& element) {
    for (const auto& [at, coefficient] : element) sum.try_emplace(at, Fr::zero()).first->second += k * coefficient;
  }

  /// The first constants are added before the first S-boxes: the domain tag's goes through as a constant, the
  /// preimage's variables are squared with their constants added.
  void first_round() {
    const auto pre = next_key_;
    const auto post = pre + k_.width;
    state_[0] = {{kOneSlot, (k_.domain_tag + pre[0]).pow(5) + post[0]}};
    for (std::uint32_t i = 1; i < k_.width; ++i) {
      Combination x = slot(i);
      x[kOneSlot] = pre[i];
      state_[i] = sbox(x, post[i]);
    }
    next_key_ = post + k_.width;
    mix(k_.mds);
  }

  void full_round(bool keyed) {
    for (Combination& element : state_) element = sbox(variable_of(element), keyed ? *next_key_++ : Fr::zero());
  }

  /// x^5 + key as x^2, x^4, x x^4.
  Combination sbox(const Combination& x, const Fr& key) {
    const Combination x2 = row(x, x);
    const Combination x4 = row(x2, x2);
    return row(x, x4, key);
  }

  Combination variable_of(const Combination& element) {
    return is_variable(element) ? element : row(element, slot(kOneSlot));
  }

  /// A row a b = v - key for the next variable v, which is returned.
  Combination row(const Combination& a, const Combination& b, const Fr& key = Fr::zero()) {
    const auto v = static_cast<std::uint32_t>(k_.width + rows_.ends_.size());
    Combination c = slot(v);
    if (!key.is_zero()) c[kOneSlot] = -key;
    rows_.ends_.push_back({append(a), append(b), append(c)});
    return slot(v);
  }

  /// Where the side ends.
  std::uint32_t append(const Combination& side) {
    for (const auto& [at, coefficient] : side) {
      std::uint32_t index = kUnit;
      if (!coefficient.is_one()) {
        index = static_cast<std::uint32_t>(rows_.coefficients_.size());
        rows_.coefficients_.push_back(coefficient);
      }
      rows_.terms_.push_back({at, index});
    }
    return static_cast<std::uint32_t>(rows_.terms_.size());
  }

  /// The row vector of the state times a matrix.
  void mix(const std::vector<Fr>& matrix) {
    std::vector<Combination> mixed(k_.width);
    for (std::size_t i = 0; i < k_.width; ++i) {
      for (std::size_t j = 0; j < k_.width; ++j) add_multiple(mixed[j], matrix[i * k_.width + j], state_[i]);
    }
    state_ = std::move(mixed);
  }

  void sparse_mix(const hash::SparseMatrix& matrix) {
    Combination first;
    for (std::size_t i = 0; i < k_.width; ++i) add_multiple(first, matrix.w_hat[i], state_[i]);
    for (std::size_t j = 1; j < k_.width; ++j) add_multiple(state_[j], matrix.v_rest[j - 1], state_[0]);
    state_[0] = std::move(first);
  }

  PoseidonRows& rows_;
  const PoseidonConstants& k_;
  std::vector<Combination> state_;
  std::vector<Fr>::const_iterator next_key_;
};

PoseidonRows::PoseidonRows(const PoseidonConstants& constants) : arity_(constants.arity) {
  Builder(*this, constants).run();
}

const PoseidonRows& poseidon_rows(PoseidonKind kind) {
  return hash::once_per_poseidon_kind(kind,
                                      [](PoseidonKind made) { return PoseidonRows(hash::poseidon_constants(made)); });
}

}  // namespace cuzk::gadgets
