// Satisfied circuits of the size and the kind of Filecoin's partitions, for keys and proofs of full size; and the sink
// that keeps a key of that size once, as a filtered one.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "groth16/key_sink.h"
#include "groth16/proving_key.h"
#include "r1cs/block_circuit.h"
#include "r1cs/witness.h"
#include "support/parallel_copy.h"

namespace cuzk::test {

/// A piece of 2^16 rows, placed again and again; row i makes variable i of the piece from those before it:
///   x = p y - q   for a bit: 2 u y = u + y - x (exclusive or), (u - w) y = x - w (choice);
///   x = p q       for a general value: linear combinations of general ones.
/// The first of each kind are given: a bit by x x = x, a general one by x 0 = 0. What is given differs from placement
/// to placement, and so does all that follows.
class PartitionCircuit {
 public:
  using Fr = bls12_381::Fr;
  static constexpr std::uint32_t kRows = 1 << 16;
  static constexpr std::size_t kInputs = 328;
  enum class Kind {
    porep,   // 1 % general values, the others bits; A has nearly all variables, B a quarter; 5 terms a row
    window,  // 94 % general values; A has 75 % of the variables, B 72 %; 9 terms a row
  };

  /// In a domain of 2^log, at least 2^17; of full size 130.2 and 126.9 million variables.
  PartitionCircuit(Kind kind, unsigned log, std::mt19937_64& random)
      : kind_(kind),
        copies_(std::max<std::size_t>(1, (std::size_t{1} << log) / kRows * (kind == Kind::porep ? 993 : 968) / 1024)) {
    coefficients_ = {Fr::one(), -Fr::one(), Fr::from_u64(2)};
    while (coefficients_.size() < 64) coefficients_.push_back(random_element(random));
    for (std::uint32_t i = 0; i < kRows; ++i)
      kind == Kind::porep ? add_porep_row(i, random) : add_window_row(i, random);
    pieces_.push_back({kRows, 0, kRows, static_cast<std::uint32_t>(terms_.size()), 0, 0});
    for (std::size_t i = 0; i < copies_; ++i) {
      placements_.push_back({0, static_cast<std::uint32_t>(i * kRows), i * kRows, 0});
    }
    for (std::size_t i = 0; i < copies_; ++i) bits_.insert(bits_.end(), bits_of_piece_.begin(), bits_of_piece_.end());
  }

  /// Views of this object.
  std::shared_ptr<const r1cs::BlockCircuit<Fr>> circuit() const {
    const r1cs::BlockParts<Fr> parts{.num_inputs = kInputs,
                                     .num_aux = copies_ * kRows,
                                     .num_constraints = copies_ * kRows,
                                     .coefficients = coefficients_,
                                     .pieces = pieces_,
                                     .ends = ends_,
                                     .terms = terms_,
                                     .placements = placements_,
                                     .ports = {},
                                     .bits = bits_};
    return std::make_shared<const r1cs::BlockCircuit<Fr>>(parts, nullptr);
  }

  std::shared_ptr<const r1cs::Witness> witness(Arena& arena, std::uint64_t seed) const {
    auto witness = r1cs::Witness::uninitialised(kInputs + copies_ * kRows);
    const std::span<U256> values = witness.writable();
    std::mt19937_64 random(seed);
    values[0] = U256::from_u64(1);
    for (std::size_t i = 1; i < kInputs; ++i) values[i] = random_element(random).canonical();
    parallel_for(arena, 0, copies_, 1, [&](std::size_t begin, std::size_t end) {
      std::vector<Fr> piece(kRows);
      for (std::size_t copy = begin; copy < end; ++copy) {
        std::mt19937_64 own(seed + 1 + copy);
        for (std::uint32_t i = 0; i < kRows; ++i) {
          piece[i] = value_of(i, piece, own);
          values[kInputs + copy * kRows + i] = piece[i].canonical();
        }
      }
    });
    return std::make_shared<const r1cs::Witness>(std::move(witness));
  }

 private:
  using Term = r1cs::PieceTerm;
  static constexpr std::uint32_t kOne = 0, kMinusOne = 1, kTwo = 2;  // coefficients
  static constexpr std::uint32_t kFirstBits = 64, kFirstGeneral = 64;

  static Fr random_element(std::mt19937_64& random) {
    U256 value;
    for (u64& limb : value.limb) limb = random();
    value.limb[3] >>= 2;  // below r
    return Fr::from_canonical(value);
  }

  bool is_bit(std::uint32_t i) const { return kind_ == Kind::porep ? i % 100 != 96 : i % 16 == 15; }
  bool is_given(std::uint32_t i) const {
    if (kind_ == Kind::porep) return i < kFirstBits || (!is_bit(i) && i < 200);
    return i < (is_bit(i) ? 2 * kFirstGeneral : kFirstGeneral);
  }

  void add_row(std::uint32_t i, const std::vector<Term>& a, const std::vector<Term>& b, const std::vector<Term>& c) {
    for (const auto* side : {&a, &b, &c}) {
      terms_.insert(terms_.end(), side->begin(), side->end());
      ends_.push_back(static_cast<std::uint32_t>(terms_.size()));
    }
    if (i % 64 == 0) bits_of_piece_.push_back(0);
    bits_of_piece_.back() |= std::uint64_t{is_bit(i)} << (i % 64);
  }
  void add_given(std::uint32_t i) {
    is_bit(i) ? add_row(i, {{i, kOne}}, {{i, kOne}}, {{i, kOne}}) : add_row(i, {{i, kOne}}, {}, {});
  }
  void add_exclusive_or(std::uint32_t i, std::uint32_t u, std::uint32_t y) {
    add_row(i, {{u, kTwo}}, {{y, kOne}}, {{u, kOne}, {y, kOne}, {i, kMinusOne}});
  }

  void add_porep_row(std::uint32_t i, std::mt19937_64& random) {
    if (is_given(i)) return add_given(i);
    const auto any_below = [&] { return static_cast<std::uint32_t>(random() % i); };
    if (!is_bit(i)) {  // all of them are multiples of four: in the quarter that B has
      const std::uint32_t other = 96 + 100 * static_cast<std::uint32_t>(random() % (i / 100));
      return add_row(i, {{i - 100, kOne}, {other, kTwo}}, {{i - 100, kOne}}, {{i, kOne}});
    }
    const std::uint32_t u = is_bit(i - 1) ? i - 1 : i - 2;
    std::uint32_t y = (i - 1) / 4 * 4 - 4;
    if (!is_bit(y)) y -= 4;
    if (random() % 4 == 0) return add_exclusive_or(i, u, y);
    std::uint32_t w = any_below();
    while (!is_bit(w) || w == u) w = any_below();  // u less itself would be in the circuit and not in the key
    add_row(i, {{u, kOne}, {w, kMinusOne}}, {{y, kOne}}, {{i, kOne}, {w, kMinusOne}});
  }

  static bool in_a(std::uint32_t i) { return i % 4 != 0; }
  static bool in_b(std::uint32_t i) { return i % 4 != 1 && i % 32 != 2; }
  void add_window_row(std::uint32_t i, std::mt19937_64& random) {
    if (is_given(i)) return add_given(i);
    if (is_bit(i)) return add_exclusive_or(i, i - 16, i - 32);
    const auto combination = [&](bool (*has)(std::uint32_t)) {
      std::uint32_t last = i - 1;
      while (is_bit(last) || !has(last)) --last;
      std::vector<Term> side{{last, kOne}};
      while (side.size() < 4) {
        const auto other = static_cast<std::uint32_t>(random() % i);
        const auto coefficient = static_cast<std::uint32_t>(random() % coefficients_.size());
        const bool known = std::ranges::any_of(side, [&](const Term& term) { return term.place == other; });
        if (!is_bit(other) && has(other) && !known) side.push_back({other, coefficient});
      }
      return side;
    };
    const auto a = combination(in_a);
    add_row(i, a, combination(in_b), {{i, kOne}});
  }

  /// What row i leaves for its variable, which C has 1 or -1 times.
  Fr value_of(std::uint32_t i, const std::vector<Fr>& piece, std::mt19937_64& random) const {
    if (is_given(i)) return is_bit(i) ? Fr::from_u64(random() % 2) : random_element(random);
    const auto sum = [&](std::size_t which, Fr& own) {
      const std::size_t at = 3 * std::size_t{i} + which;
      Fr total = Fr::zero();
      for (std::uint32_t t = ends_[at - 1]; t < ends_[at]; ++t) {
        const Fr& coefficient = coefficients_[terms_[t].coefficient];
        if (terms_[t].place == i) {
          own = coefficient;
        } else {
          total += terms_[t].coefficient == kOne ? piece[terms_[t].place] : coefficient * piece[terms_[t].place];
        }
      }
      return total;
    };
    Fr own = Fr::zero();
    const Fr a = sum(0, own), b = sum(1, own), c = sum(2, own);
    return (a * b - c) * own;  // own is its inverse
  }

  Kind kind_;
  std::size_t copies_;
  std::vector<Fr> coefficients_;
  std::vector<std::uint32_t> ends_;
  std::vector<Term> terms_;
  std::vector<r1cs::Piece> pieces_;
  std::vector<r1cs::Placement> placements_;
  std::vector<std::uint64_t> bits_of_piece_, bits_;
};

/// Keeps a key once, without the identities: what setup() makes for a circuit whose h and l have none.
template <class C> class FilteredCollector final : public groth16::KeySink<C> {
 public:
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;
  using Query = groth16::KeyQuery;

  explicit FilteredCollector(Arena& arena) : arena_(arena) {}

  Status begin(const groth16::KeyShape& shape, const groth16::VerifyingKey<C>& vk) override {
    view_.vk = vk;
    view_.num_variables = shape.num_variables;
    view_.domain_size = shape.domain_size;
    view_.basis = shape.basis;
    view_.roots = shape.roots;
    view_.filtered = true;
    return {};
  }
  Status begin_query(Query query, std::size_t size, std::size_t finite) override {
    if ((query == Query::h || query == Query::l) && finite != size) {
      return fail(Code::unsupported, "an identity in " + std::string(name_of(query)));
    }
    const std::size_t bytes = finite * (query == Query::b_g2 ? sizeof(G2) : sizeof(G1));
    memory_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    next_ = memory_.back().get();
    section(query) = Bytes(next_, bytes);
    return {};
  }
  Status append(std::span<const std::uint32_t>, std::span<const G1> points) override {
    return copy(std::as_bytes(points));
  }
  Status append(std::span<const std::uint32_t>, std::span<const G2> points) override {
    return copy(std::as_bytes(points));
  }

  /// As long as this object lives.
  const groth16::ProvingKeyView<C>& view() const { return view_; }
  std::size_t bytes() const {
    return view_.a.size() + view_.b_g1.size() + view_.b_g2.size() + view_.l.size() + view_.h.size();
  }

 private:
  Bytes& section(Query query) {
    switch (query) {
      case Query::h:
        return view_.h;
      case Query::l:
        return view_.l;
      case Query::a:
        return view_.a;
      case Query::b_g1:
        return view_.b_g1;
      default:
        return view_.b_g2;
    }
  }
  /// By all threads: they touch the memory for the first time.
  Status copy(Bytes points) {
    parallel_copy(arena_, {next_, points.size()}, points);
    next_ += points.size();
    return {};
  }

  Arena& arena_;
  groth16::ProvingKeyView<C> view_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::byte* next_ = nullptr;
};

}  // namespace cuzk::test
