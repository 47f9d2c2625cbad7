// Digests of a circuit's rows and assignment, without keeping the rows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "field/fp_batch.h"
#include "support/hex.h"
#include "support/sha256.h"

namespace cuzk::test {

using CircuitField = bls12_381::Fr;

/// SHA-256 of elements, 32 canonical little-endian bytes each.
class ElementHash {
 public:
  void put(const CircuitField& element) {
    elements_.push_back(element);
    if (elements_.size() == kChunk) flush();
  }
  void put(std::span<const CircuitField> elements) {
    for (const CircuitField& element : elements) put(element);
  }
  std::string finish() {
    flush();
    return encode_hex(hash_.finish());
  }

 private:
  static constexpr std::size_t kChunk = 1024;

  void flush() {
    values_.resize(elements_.size());
    to_canonical_n(std::span(values_), std::span<const CircuitField>(elements_));
    hash_.update(std::as_bytes(std::span(values_)));
    elements_.clear();
  }

  std::vector<CircuitField> elements_;
  std::vector<U256> values_;
  Sha256 hash_;
};

/// Hashes the rows as they come, and counts those that do not hold.
class HashingSink {
 public:
  bool takes_c() const noexcept { return true; }
  void row(const CircuitField& a, const CircuitField& b, const CircuitField& c) {
    a_.put(a);
    b_.put(b);
    c_.put(c);
    ++rows_;
    if (a * b != c) ++unsatisfied_;
  }
  std::size_t rows() const noexcept { return rows_; }
  std::size_t unsatisfied() const noexcept { return unsatisfied_; }
  std::string a() { return a_.finish(); }
  std::string b() { return b_.finish(); }
  std::string c() { return c_.finish(); }

 private:
  ElementHash a_, b_, c_;
  std::size_t rows_ = 0, unsatisfied_ = 0;
};

}  // namespace cuzk::test
