#include "hash/poseidon_constants.h"

#include <algorithm>
#include <array>

#include "hash/matrix.h"
#include "support/result.h"

namespace cuzk::hash {

namespace {

constexpr unsigned kFullRounds = 2 * PoseidonConstants::kHalfFullRounds;

// --- round constants

/// The Grain LFSR in self-shrinking mode, started from a description of the permutation (paper, appendix F).
class Grain {
 public:
  Grain(unsigned width, unsigned partial_rounds) {
    append(1, 2);  // prime field
    append(1, 4);  // S-box x^a
    append(kFieldBits, 12);
    append(width, 12);
    append(kFullRounds, 10);
    append(partial_rounds, 10);
    append((1U << 30) - 1, 30);
    for (int i = 0; i < 160; ++i) step();
  }

  Fr next_element() {
    for (;;) {
      U256 value{};
      for (unsigned i = kFieldBits; i-- > 0;) value.limb[i / 64] |= u64{next_bit()} << (i % 64);
      if (value < Fr::modulus) return Fr::from_canonical(value);
    }
  }

 private:
  static constexpr unsigned kFieldBits = 255;
  static constexpr unsigned kStateBits = 80;

  void append(unsigned value, unsigned bits) {
    for (unsigned i = bits; i-- > 0;) state_[filled_++] = (value >> i & 1) != 0;
  }
  bool at(unsigned i) const { return state_[(head_ + i) % kStateBits]; }
  bool step() {
    const bool bit = at(62) ^ at(51) ^ at(38) ^ at(23) ^ at(13) ^ at(0);
    state_[head_] = bit;
    head_ = (head_ + 1) % kStateBits;
    return bit;
  }
  bool next_bit() {
    while (!step()) step();
    return step();
  }

  std::array<bool, kStateBits> state_{};
  unsigned filled_ = 0;
  unsigned head_ = 0;
};

Vector make_round_constants(unsigned width, unsigned partial_rounds) {
  Grain grain(width, partial_rounds);
  Vector constants(std::size_t{width} * (kFullRounds + partial_rounds));
  for (Fr& constant : constants) constant = grain.next_element();
  return constants;
}

// --- matrices

/// The Cauchy matrix 1 / (i + j + n).
Matrix cauchy_matrix(std::size_t n) {
  Matrix m = Matrix::zero(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) m(i, j) = Fr::from_u64(i + j + n).inverse();
  return m;
}

/// m = rest * sparse, where `rest` leaves the first element of a row vector alone.
SparseMatrix sparse_factor(const Matrix& m) {
  Vector column;
  for (std::size_t i = 1; i < m.size; ++i) column.push_back(m(i, 0));
  SparseMatrix sparse{.w_hat = {m(0, 0)}, .v_rest = {}};
  for (const Fr& x : column* inverse(minor_of(m))) sparse.w_hat.push_back(x);
  for (std::size_t j = 1; j < m.size; ++j) sparse.v_rest.push_back(m(0, j));
  return sparse;
}

/// The factor that sparse_factor() leaves: the first row and column those of the identity.
Matrix leave_first_alone(Matrix m) {
  for (std::size_t i = 0; i < m.size; ++i) m(i, 0) = m(0, i) = i == 0 ? Fr::one() : Fr::zero();
  return m;
}

/// The mixing of all partial rounds as one dense matrix before them and a sparse one in each.
void factor_partial_rounds(PoseidonConstants& constants, const Matrix& mds) {
  Matrix current = mds;
  for (unsigned k = 0; k < constants.partial_rounds; ++k) {
    constants.sparse.push_back(sparse_factor(current));
    current = mds * leave_first_alone(current);
  }
  std::ranges::reverse(constants.sparse);
  constants.pre_sparse = current.elements;
}

// --- compressed constants

/// The round constants moved behind the S-boxes, so that a partial round needs one.
class ConstantCompressor {
 public:
  ConstantCompressor(const PoseidonConstants& constants, const Matrix& mds)
      : width_(constants.width),
        partial_rounds_(constants.partial_rounds),
        round_constants_(constants.round_constants),
        inverse_mds_(inverse(mds)) {}

  Vector compress() {
    constexpr unsigned kHalf = PoseidonConstants::kHalfFullRounds;
    append(round(0));
    for (unsigned i = 1; i < kHalf; ++i) append(round(i) * inverse_mds_);
    append_partial_rounds();
    for (unsigned i = 1; i < kHalf; ++i) append(round(kHalf + partial_rounds_ + i) * inverse_mds_);
    return std::move(compressed_);
  }

 private:
  std::span<const Fr> round(unsigned r) const { return round_constants_.subspan(std::size_t{r} * width_, width_); }
  void append(std::span<const Fr> v) { compressed_.insert(compressed_.end(), v.begin(), v.end()); }

  void append_partial_rounds() {
    const unsigned last = PoseidonConstants::kHalfFullRounds + partial_rounds_;
    Vector accumulated(round(last).begin(), round(last).end());
    Vector partial_keys;
    for (unsigned k = 1; k <= partial_rounds_; ++k) {
      Vector moved = accumulated * inverse_mds_;
      partial_keys.push_back(moved[0]);
      moved[0] = Fr::zero();
      accumulated.assign(round(last - k).begin(), round(last - k).end());
      for (unsigned i = 0; i < width_; ++i) accumulated[i] += moved[i];
    }
    append(accumulated * inverse_mds_);
    std::ranges::reverse(partial_keys);
    append(partial_keys);
  }

  unsigned width_;
  unsigned partial_rounds_;
  std::span<const Fr> round_constants_;
  Matrix inverse_mds_;
  Vector compressed_;
};

// --- kinds

/// Of the paper's search for 128 bits of security.
constexpr unsigned partial_rounds_of_arity(unsigned arity) {
  return arity == 2 ? 55 : arity == 4 ? 56 : kMaxPoseidonPartialRounds;
}

constexpr unsigned arity_of(PoseidonKind kind) {
  switch (kind) {
    case PoseidonKind::arity_2:
    case PoseidonKind::randomness:
      return 2;
    case PoseidonKind::arity_4:
      return 4;
    case PoseidonKind::arity_8:
      return 8;
    case PoseidonKind::arity_11:
      return 11;
  }
  return 0;
}

/// Merkle trees: a bit for each input; hashes for one purpose: its number times 2^40.
constexpr u64 domain_tag(PoseidonKind kind) {
  constexpr u64 kRandomness = u64{1} << 40;
  return kind == PoseidonKind::randomness ? kRandomness : (u64{1} << arity_of(kind)) - 1;
}

PoseidonConstants make_constants(PoseidonKind kind) {
  const unsigned arity = arity_of(kind);
  const Matrix mds = cauchy_matrix(arity + 1);
  PoseidonConstants constants{
      .arity = arity,
      .width = arity + 1,
      .partial_rounds = partial_rounds_of_arity(arity),
      .domain_tag = Fr::from_u64(domain_tag(kind)),
      .round_constants = make_round_constants(arity + 1, partial_rounds_of_arity(arity)),
      .compressed_constants = {},
      .mds = mds.elements,
      .pre_sparse = {},
      .sparse = {},
  };
  constants.compressed_constants = ConstantCompressor(constants, mds).compress();
  factor_partial_rounds(constants, mds);
  return constants;
}

}  // namespace

const PoseidonConstants& poseidon_constants(PoseidonKind kind) {
  return once_per_poseidon_kind(kind, [](PoseidonKind made) { return make_constants(made); });
}

PoseidonKind poseidon_kind_of_arity(unsigned arity) noexcept {
  switch (arity) {
    case 2:
      return PoseidonKind::arity_2;
    case 4:
      return PoseidonKind::arity_4;
    case 8:
      return PoseidonKind::arity_8;
    default:
      return PoseidonKind::arity_11;
  }
}

}  // namespace cuzk::hash
