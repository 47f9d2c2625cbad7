// A linear combination as a list of terms: what models that must see a row whole (TestSystem, DensityTracker) let a
// circuit write into. normalize() gives the row as bellpepper-core defines it: inputs first, then auxiliary variables,
// by index; repeated variables summed; zero terms dropped.
//
// The list keeps its memory, so that one list serves all rows of a circuit without allocating. Thread-safety: a value.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "r1cs/variable.h"

namespace cuzk::r1cs {

template <class Fr> class TermList {
 public:
  struct Entry {
    Variable variable;
    Fr coefficient;
  };

  void add(Variable v) { entries_.push_back({v, Fr::one()}); }
  void sub(Variable v) { entries_.push_back({v, -Fr::one()}); }
  void add(Variable v, const Fr& k) { entries_.push_back({v, k}); }

  void clear() noexcept { entries_.clear(); }
  void normalize() {
    const auto before = [](const Entry& x, const Entry& y) { return position(x.variable) < position(y.variable); };
    if (!std::is_sorted(entries_.begin(), entries_.end(), before)) {
      std::sort(entries_.begin(), entries_.end(), before);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size();) {
      Entry sum = entries_[i];
      for (++i; i < entries_.size() && entries_[i].variable == sum.variable; ++i) {
        sum.coefficient += entries_[i].coefficient;
      }
      if (!sum.coefficient.is_zero()) entries_[kept++] = sum;
    }
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(kept), entries_.end());
  }

  std::span<const Entry> entries() const noexcept { return entries_; }

 private:
  static constexpr std::uint64_t position(Variable v) noexcept {
    return v.index() + (v.is_input() ? 0 : std::uint64_t{1} << 32);
  }

  std::vector<Entry> entries_;
};

/// The combination that `write` makes, normalised. `list`: memory to use.
template <class Fr, class Write>
std::span<const typename TermList<Fr>::Entry> collect(TermList<Fr>& list, Write&& write) {
  list.clear();
  write(list);
  list.normalize();
  return list.entries();
}

}  // namespace cuzk::r1cs
