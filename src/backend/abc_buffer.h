// AbcBuffer: a, b, c of a partition in host memory, for a device that does not evaluate them itself.
//
// The rows of A, B and C times the witness, in Montgomery form: three vectors of `rows` elements, one after the other
// in a HostBuffer, so that its chunks may end anywhere in them. groth16::evaluate() writes through parts() straight
// into the chunks; a device copies chunk by chunk. Rows are those of the circuit with the rows of its inputs; up to the
// size of the domain the device fills up with zeros. Thread-safety: a value; its parts concurrently.
#pragma once

#include <vector>

#include "groth16/evaluate.h"
#include "memory/host_buffer.h"

namespace cuzk::backend {

/// Runs of rows that lie in one piece in each of three vectors of `rows` elements. precondition: the buffer holds them.
template <class Fr> std::vector<groth16::RowPart<Fr>> row_parts(const memory::HostBuffer& abc, std::size_t rows);

template <class Fr> class AbcBuffer {
 public:
  static constexpr std::size_t kVectors = 3;

  /// Size of the buffer for so many rows.
  static constexpr std::uint64_t bytes(std::uint64_t rows) noexcept { return kVectors * rows * sizeof(Fr); }

  /// precondition: buffer.size() == bytes(rows), rows > 0.
  AbcBuffer(memory::HostBuffer buffer, std::size_t rows);

  std::size_t rows() const noexcept { return rows_; }
  const memory::HostBuffer& buffer() const noexcept { return buffer_; }
  memory::HostBuffer& buffer() noexcept { return buffer_; }

  std::vector<groth16::RowPart<Fr>> parts() const { return row_parts<Fr>(buffer_, rows_); }

  /// body(elements, index of the first) over vector 0, 1 or 2 (a, b, c), a span for each chunk, in order.
  template <class Body> void for_each_part(std::size_t vector, Body&& body) const {
    const std::uint64_t begin = vector * rows_;
    buffer_.as<Fr>().for_each_part(begin, begin + rows_, [&](std::span<Fr> elements, std::uint64_t first) {
      body(elements, static_cast<std::size_t>(first - begin));
    });
  }

 private:
  memory::HostBuffer buffer_;
  std::size_t rows_;
};

extern template class AbcBuffer<bn254::Fr>;
extern template class AbcBuffer<bls12_381::Fr>;

}  // namespace cuzk::backend
