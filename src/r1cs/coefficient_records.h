// The matrices A and B as they lie in section 4 of a .zkey: records {u32 matrix (0 A, 1 B), u32 row, u32 variable, 32
// bytes value}, little-endian, at any address. Values are c R^2 mod r, so that one Montgomery product with a canonical
// witness word is c w in Montgomery form. The records include the rows of the public inputs. A view: matrix, row,
// variable and value of every record were range-checked when the file was opened (formats/zkey_file.h).
#pragma once

#include <cstdint>
#include <cstring>

#include "field/fp.h"
#include "support/bytes.h"

namespace cuzk::r1cs {

template <class Fr> struct CoefficientRecord {
  std::uint32_t matrix;
  std::uint32_t row;
  std::uint32_t variable;
  Fr value;  // the stored word, read as if Montgomery
};

template <class Fr> class CoefficientRecords {
 public:
  static constexpr std::size_t kBytes = 12 + Fr::bytes;

  CoefficientRecords() = default;
  /// `sorted_by_row`: rows never decrease, which lets workers find their share by bisection.
  CoefficientRecords(Bytes records, bool sorted_by_row) noexcept : records_(records), sorted_by_row_(sorted_by_row) {}

  std::size_t size() const noexcept { return records_.size() / kBytes; }
  bool sorted_by_row() const noexcept { return sorted_by_row_; }
  Bytes bytes() const noexcept { return records_; }

  CoefficientRecord<Fr> operator[](std::size_t i) const noexcept {
    const std::byte* at = records_.data() + i * kBytes;
    typename Fr::Repr value;
    std::memcpy(&value, at + 12, sizeof value);
    return {load_le<std::uint32_t>(at), load_le<std::uint32_t>(at + 4), load_le<std::uint32_t>(at + 8),
            Fr::from_montgomery(value)};
  }

 private:
  Bytes records_;
  bool sorted_by_row_ = false;
};

}  // namespace cuzk::r1cs
