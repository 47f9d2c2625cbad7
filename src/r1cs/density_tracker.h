// Which variables A and B contain (density.h), found while a circuit is being run.
//
// A variable whose terms cancel within a row, or that has the coefficient zero, is not in the row. Memory: three bits a
// variable. Thread-safety: external.
#pragma once

#include <vector>

#include "field/fp.h"
#include "r1cs/density.h"
#include "r1cs/term_list.h"

namespace cuzk::r1cs {

template <class Fr> class DensityTracker {
 public:
  /// The next row, given as the callables of enforce().
  template <class A, class B> void row(A&& a, B&& b) {
    for (const auto& term : collect(list_, a)) {
      if (!term.variable.is_input()) mark(a_aux_, term.variable.index());  // inputs are all in A
    }
    for (const auto& term : collect(list_, b)) {
      mark(term.variable.is_input() ? b_inputs_ : b_aux_, term.variable.index());
    }
  }

  /// num_inputs: with ONE. precondition: no row had a variable beyond.
  Densities densities(std::size_t num_inputs) const {
    Densities found;
    for (Wire input = 0; input < num_inputs; ++input) found.a.push_back(input);
    append(found.a, a_aux_, num_inputs);
    append(found.b, b_inputs_, 0);
    append(found.b, b_aux_, num_inputs);
    return found;
  }

 private:
  static void mark(std::vector<bool>& present, std::size_t index) {
    if (index >= present.size()) present.resize(index + 1);
    present[index] = true;
  }
  static void append(std::vector<Wire>& list, const std::vector<bool>& present, std::size_t first_wire) {
    for (std::size_t i = 0; i < present.size(); ++i) {
      if (present[i]) list.push_back(static_cast<Wire>(first_wire + i));
    }
  }

  std::vector<bool> a_aux_, b_inputs_, b_aux_;
  TermList<Fr> list_;
};

}  // namespace cuzk::r1cs
