#include "hash/poseidon_plan.h"

#include <numeric>

#include "hash/matrix.h"

namespace cuzk::hash {

namespace {

Fr dot(std::span<const Fr> a, std::span<const Fr> b) {
  Fr sum = Fr::zero();
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Matrix transposed(const Matrix& m) {
  Matrix result = Matrix::zero(m.size);
  for (std::size_t i = 0; i < m.size; ++i)
    for (std::size_t j = 0; j < m.size; ++j) result(j, i) = m(i, j);
  return result;
}

/// Solution x of x m = v.
Vector solve(const Matrix& m, std::span<const Fr> v) { return v * inverse(m); }

/// The partial rounds as a linear system: hidden elements z (a row), input y, output n.
///   n' = y m00 + z column,  z' = y row + z minor
class PartialRounds {
 public:
  explicit PartialRounds(const Matrix& mds)
      : order_(mds.size - 1), minor_(minor_of(mds)), row_(order_), column_(order_), m00_(mds(0, 0)) {
    for (std::size_t i = 0; i < order_; ++i) {
      row_[i] = mds(0, i + 1);
      column_[i] = mds(i + 1, 0);
    }
    // minor^i column and row minor^i
    const Matrix minor_transposed = transposed(minor_);
    for (std::size_t i = 0; i <= order_; ++i) {
      columns_.push_back(i == 0 ? column_ : columns_.back() * minor_transposed);
      rows_.push_back(i == 0 ? row_ : rows_.back() * minor_);
    }
  }

  Vector recurrence() const {
    const Vector a = characteristic();
    Vector interleaved;
    for (std::size_t i = order_; i > 0; --i) {
      interleaved.push_back(input_coefficient(a, i));
      interleaved.push_back(a[i - 1]);
    }
    interleaved.push_back(input_coefficient(a, 0));
    return interleaved;
  }

  /// n_(-i) = z minor^-(i+1) column, where z = state * (mds without its first column).
  Vector entry(const Matrix& mds) const {
    const Matrix back = transposed(inverse(minor_));
    std::vector<Vector> earlier{column_ * back};
    while (earlier.size() < order_) earlier.push_back(earlier.back() * back);
    Vector rows;
    for (std::size_t i = order_; i-- > 0;) {
      for (std::size_t s = 0; s <= order_; ++s)
        rows.push_back(dot(std::span(mds.elements).subspan(s * mds.size + 1, order_), earlier[i]));
    }
    return rows;
  }

  /// With k = P - d: the outputs n_(k+1..P) are z_k O plus what the inputs since then added; so z_k follows, then z_P.
  Vector exit() const {
    Matrix observed = Matrix::zero(order_);  // O: column j is minor^j column
    for (std::size_t j = 0; j < order_; ++j)
      for (std::size_t i = 0; i < order_; ++i) observed(i, j) = columns_[j][i];
    Matrix power = Matrix::identity(order_);
    for (std::size_t i = 0; i < order_; ++i) power = power * minor_;
    const Matrix of_outputs = inverse(observed) * power;  // n_(k+1..P) -> z_P

    Matrix of_inputs = Matrix::zero(order_);  // y_(k..P-1) -> z_P
    for (std::size_t i = 0; i < order_; ++i) {
      Vector added(order_, Fr::zero());  // by y_(k+i) to the outputs
      for (std::size_t j = i; j < order_; ++j) added[j] = impulse(j - i);
      const Vector undone = added * of_outputs;
      for (std::size_t e = 0; e < order_; ++e) of_inputs(i, e) = rows_[order_ - 1 - i][e] - undone[e];
    }
    Vector rows;
    for (std::size_t e = 0; e < order_; ++e) {
      for (std::size_t i = 0; i < order_; ++i) {
        rows.push_back(of_inputs(i, e));
        rows.push_back(of_outputs(i, e));
      }
    }
    return rows;
  }

 private:
  /// n_(k+1+i) when y_k = 1 and all else is zero.
  Fr impulse(std::size_t i) const { return i == 0 ? m00_ : dot(rows_[i - 1], column_); }

  /// a_1..a_d with minor^d = sum a_i minor^(d-i), from the columns alone: they span everything.
  Vector characteristic() const {
    Matrix powers = Matrix::zero(order_);  // row i: minor^i column
    for (std::size_t i = 0; i < order_; ++i) std::ranges::copy(columns_[i], powers.row(i).begin());
    Vector a = solve(powers, columns_[order_]);
    std::ranges::reverse(a);
    return a;
  }
  Fr input_coefficient(std::span<const Fr> a, std::size_t i) const {
    Fr b = impulse(i);
    for (std::size_t j = 1; j <= i; ++j) b -= a[j - 1] * impulse(i - j);
    return b;
  }

  std::size_t order_;
  Matrix minor_;
  Vector row_, column_;
  Fr m00_;
  std::vector<Vector> columns_, rows_;
};

void set_small_mds(PoseidonPlan& plan) {
  const u64 width = plan.arity + 1;
  u64 scale = 1;
  for (u64 n = width; n < 3 * width - 1; ++n) scale = std::lcm(scale, n);
  for (u64 n = width; n < 3 * width - 1; ++n) plan.small_mds.push_back(scale / n);
  plan.unscale = Fr::from_canonical({{0, 1, 0, 0}}) * Fr::from_u64(scale).inverse();
}

PoseidonPlan make_plan(const PoseidonConstants& constants) {
  const std::size_t width = constants.width;
  const std::span<const Fr> keys(constants.compressed_constants);
  PoseidonPlan plan{};
  plan.arity = constants.arity;
  plan.partial_rounds = constants.partial_rounds;
  set_small_mds(plan);
  plan.first_element = (constants.domain_tag + keys[0]).pow(u64{5}) + keys[width];
  plan.first_keys.assign(keys.begin() + 1, keys.begin() + static_cast<std::ptrdiff_t>(width));
  plan.keys.assign(keys.begin() + static_cast<std::ptrdiff_t>(width) + 1, keys.end());

  const Matrix mds{width, constants.mds};
  const PartialRounds rounds(mds);
  plan.recurrence = rounds.recurrence();
  plan.entry = rounds.entry(mds);
  plan.exit = rounds.exit();
  return plan;
}

}  // namespace

const PoseidonPlan& poseidon_plan(PoseidonKind kind) {
  return once_per_poseidon_kind(kind, [](PoseidonKind made) { return make_plan(poseidon_constants(made)); });
}

}  // namespace cuzk::hash
