#include "r1cs/digest.h"

namespace cuzk::r1cs {

namespace {

constexpr std::size_t kFlushBytes = 1 << 16;  // one call of the hash for many terms

/// Collects little-endian integers and hashes them in large pieces.
class HashBuffer {
 public:
  template <std::unsigned_integral T> void put(T value) {
    const std::size_t at = buffer_.size();
    buffer_.resize(at + sizeof(T));
    store_le(buffer_.data() + at, value);
  }
  void put(const U256& value) {
    for (const u64 limb : value.limb) put(limb);
  }
  void flush_if_full() {
    if (buffer_.size() >= kFlushBytes) flush();
  }
  Sha256::Digest finish() {
    flush();
    return hash_.finish();
  }

 private:
  void flush() {
    hash_.update(buffer_);
    buffer_.clear();
  }

  Sha256 hash_;
  std::vector<std::byte> buffer_;
};

void put_row(HashBuffer& out, std::span<const Term> row, std::span<const U256> coefficients, std::size_t num_inputs) {
  out.put(static_cast<std::uint32_t>(row.size()));
  for (const Term& term : row) {
    const bool is_aux = term.variable >= num_inputs;
    out.put(static_cast<std::uint8_t>(is_aux ? 1 : 0));
    out.put(static_cast<std::uint32_t>(is_aux ? term.variable - num_inputs : term.variable));
    out.put(coefficients[term.coefficient]);
  }
  out.flush_if_full();
}

}  // namespace

template <class Fr> Sha256::Digest matrices_digest(const CompiledCircuit<Fr>& circuit) {
  std::vector<U256> coefficients;
  coefficients.reserve(circuit.coefficients.size());
  for (const Fr& coefficient : circuit.coefficients) coefficients.push_back(coefficient.canonical());

  HashBuffer out;
  for (std::size_t row = 0; row < circuit.num_constraints(); ++row) {
    for (const SparseMatrix* matrix : {&circuit.a, &circuit.b, &circuit.c}) {
      put_row(out, matrix->row(row), coefficients, circuit.num_inputs());
    }
  }
  out.put(std::uint64_t{circuit.num_inputs()});
  out.put(std::uint64_t{circuit.num_aux()});
  out.put(std::uint64_t{circuit.num_constraints()});
  return out.finish();
}

template Sha256::Digest matrices_digest(const CompiledCircuit<bn254::Fr>&);
template Sha256::Digest matrices_digest(const CompiledCircuit<bls12_381::Fr>&);

}  // namespace cuzk::r1cs
