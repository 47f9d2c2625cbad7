// Random circuits with random values, satisfied or not, written against the concept: pieces that repeat, rows outside
// of pieces, variables that meet twice in a row, terms that cancel; the same calls whatever the model.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "r1cs/constraint_system.h"
#include "tests/gen/circuits.h"

namespace cuzk::test {

template <class Fr> class RandomStatements {
 public:
  using Terms = std::vector<std::pair<r1cs::Variable, Fr>>;

  explicit RandomStatements(std::uint64_t seed) : random_(seed) {}

  /// `pieces` blocks of a few kinds, loose rows between them.
  template <class CS> void write(CS& cs, std::size_t pieces) {
    known_ = {r1cs::Variable::one(), cs.input(Fr::from_u64(3)), cs.alloc(value())};
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::uint64_t kind = random_() % 4;
      const std::array inputs = {known(), known(), known()};
      if (kind == 3) {
        loose(cs);
      } else {
        const r1cs::Block<CS> block(cs);
        known_.push_back(piece(cs, kind, inputs));
      }
    }
  }

 private:
  template <class CS> static void row(CS& cs, const Terms& a, const Terms& b, const Terms& c) {
    const auto side = [](const Terms& terms) {
      return [&terms](auto& lc) {
        for (const auto& [v, k] : terms) {
          if (k == Fr::one()) {
            lc.add(v);
          } else if (k == -Fr::one()) {
            lc.sub(v);
          } else {
            lc.add(v, k);
          }
        }
      };
    };
    cs.enforce(side(a), side(b), side(c));
  }

  /// Always the same rows for a kind, apart from the variables it is put on; a block in a block among them.
  template <class CS> r1cs::Variable piece(CS& cs, std::uint64_t kind, const std::array<r1cs::Variable, 3>& inputs) {
    std::vector<r1cs::Variable> local(inputs.begin(), inputs.end());
    const Fr one = Fr::one();
    for (std::uint64_t i = 0; i < 3 + kind; ++i) {
      const r1cs::Block<CS> inner(cs);
      const r1cs::Variable v = i % 2 == 0 ? cs.alloc_bit(random_() % 2 == 0) : cs.alloc(value());
      local.push_back(v);
      const auto at = [&](std::uint64_t k) { return local[(k * 7 + i) % local.size()]; };
      row(cs, {{v, one}, {at(1), Fr::from_u64(1 + i)}, {r1cs::Variable::one(), -one}, {at(2), one}},
          {{at(3), one}, {at(4), -one}, {at(3), Fr::from_u64(kind + 9)}}, {{v, -one}, {v, one}, {at(5), one}});
    }
    return local.back();
  }

  template <class CS> void loose(CS& cs) {
    for (std::uint64_t rows = random_() % 4; rows > 0; --rows) {
      if (random_() % 3 == 0) known_.push_back(cs.input(value()));
      if (random_() % 2 == 0) known_.push_back(cs.alloc(value()));
      row(cs, terms(), terms(), terms());
    }
  }
  Terms terms() {
    Terms list;
    for (std::uint64_t count = random_() % 6; count > 0; --count) list.emplace_back(known(), coefficient());
    if (!list.empty() && random_() % 3 == 0) list.emplace_back(list[0].first, -list[0].second);
    return list;
  }
  Fr coefficient() {
    const std::uint64_t small = random_() % 7;  // zero among them
    return random_() % 2 == 0 ? Fr::from_u64(small) : -Fr::from_u64(small);
  }
  /// Zeros, ones, small and full values, as witnesses have them.
  Fr value() { return witness_value<Fr>(random_); }
  r1cs::Variable known() { return known_[random_() % known_.size()]; }

  std::mt19937_64 random_;
  std::vector<r1cs::Variable> known_;
};

}  // namespace cuzk::test
