#include "r1cs/digest.h"

#include <algorithm>

namespace cuzk::r1cs {

namespace {

constexpr std::size_t kBufferBytes = 1 << 16;  // one call of the hash for many terms; stays in the caches
constexpr std::size_t kRowsPerStep = 1 << 16;  // between two signs of progress
constexpr std::size_t kTermBytes = 1 + 4 + 32;
constexpr std::size_t kFewTerms = 32;  // up to here insertion beats std::sort

/// Collects little-endian pieces and hashes them in large ones.
class HashBuffer {
 public:
  HashBuffer() : buffer_(kBufferBytes) {}

  /// `bytes` bytes to be written by the caller. precondition: bytes <= kBufferBytes.
  std::byte* take(std::size_t bytes) {
    if (used_ + bytes > buffer_.size()) flush();
    std::byte* const at = buffer_.data() + used_;
    used_ += bytes;
    return at;
  }
  void put(std::uint64_t value) { store_le(take(sizeof value), value); }
  Sha256::Digest finish() {
    flush();
    return hash_.finish();
  }

 private:
  void flush() {
    hash_.update(std::span(buffer_).first(used_));
    used_ = 0;
  }

  Sha256 hash_;
  std::vector<std::byte> buffer_;
  std::size_t used_ = 0;
};

void insertion_sort(std::vector<Term>& terms) noexcept {
  for (std::size_t i = 1; i < terms.size(); ++i) {
    const Term term = terms[i];
    std::size_t at = i;
    for (; at > 0 && terms[at - 1].wire > term.wire; --at) terms[at] = terms[at - 1];
    terms[at] = term;
  }
}

/// The terms of one side by ascending wire; `scratch` holds them when the form's own order is another.
std::span<const Term> ascending(std::span<const Term> terms, std::vector<Term>& scratch) {
  const auto by_wire = [](const Term& x, const Term& y) { return x.wire < y.wire; };
  if (std::is_sorted(terms.begin(), terms.end(), by_wire)) return terms;
  scratch.assign(terms.begin(), terms.end());
  if (scratch.size() <= kFewTerms) {
    insertion_sort(scratch);
  } else {
    std::sort(scratch.begin(), scratch.end(), by_wire);
  }
  return scratch;
}

void put_side(HashBuffer& out, std::span<const Term> terms, const U256* coefficients, Wire num_inputs) {
  store_le(out.take(4), static_cast<std::uint32_t>(terms.size()));
  for (const Term& term : terms) {
    const bool is_aux = term.wire >= num_inputs;
    std::byte* const to = out.take(kTermBytes);
    store_le(to, static_cast<std::uint8_t>(is_aux ? 1 : 0));
    store_le(to + 1, is_aux ? term.wire - num_inputs : term.wire);
    coefficients[term.coefficient].to_le_bytes(to + 5);
  }
}

}  // namespace

template <class Fr>
Sha256::Digest matrices_digest(const CompiledCircuit<Fr>& circuit, ProgressRef progress, const StopToken& stop) {
  std::vector<U256> coefficients;
  coefficients.reserve(circuit.coefficients().size());
  for (const Fr& coefficient : circuit.coefficients()) coefficients.push_back(coefficient.canonical());

  HashBuffer out;
  std::vector<Term> scratch;
  const auto num_inputs = static_cast<Wire>(circuit.num_inputs());
  const auto put_row = [&](const Row& row) {
    put_side(out, ascending(row.a, scratch), coefficients.data(), num_inputs);
    put_side(out, ascending(row.b, scratch), coefficients.data(), num_inputs);
    put_side(out, ascending(row.c, scratch), coefficients.data(), num_inputs);
  };
  const std::size_t rows = circuit.num_constraints();
  progress.begin("digest of the matrices", rows);
  for (std::size_t begin = 0; begin < rows && !stop.stop_requested(); begin += kRowsPerStep) {
    const std::size_t end = std::min(rows, begin + kRowsPerStep);
    circuit.visit_rows(begin, end, put_row);
    progress.advance(end - begin);
  }
  progress.end();
  out.put(circuit.num_inputs());
  out.put(circuit.num_aux());
  out.put(circuit.num_constraints());
  return out.finish();
}

template Sha256::Digest matrices_digest(const CompiledCircuit<bn254::Fr>&, ProgressRef, const StopToken&);
template Sha256::Digest matrices_digest(const CompiledCircuit<bls12_381::Fr>&, ProgressRef, const StopToken&);

}  // namespace cuzk::r1cs
