// Small square matrices over Fr, for constants that are computed once.
//
// Row vectors stand on the left: (v M)_j = sum_i v_i M(i, j). Thread-safety: values.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "field/fp.h"

namespace cuzk::hash {

using Fr = bls12_381::Fr;
using Vector = std::vector<Fr>;

/// Square, row-major.
struct Matrix {
  std::size_t size;
  Vector elements;

  static Matrix zero(std::size_t n) { return {n, Vector(n * n, Fr::zero())}; }
  static Matrix identity(std::size_t n) {
    Matrix m = zero(n);
    for (std::size_t i = 0; i < n; ++i) m(i, i) = Fr::one();
    return m;
  }

  Fr& operator()(std::size_t i, std::size_t j) { return elements[i * size + j]; }
  const Fr& operator()(std::size_t i, std::size_t j) const { return elements[i * size + j]; }
  std::span<Fr> row(std::size_t i) { return std::span(elements).subspan(i * size, size); }
  void swap_rows(std::size_t i, std::size_t j) { std::ranges::swap_ranges(row(i), row(j)); }
};

/// The row vector v M.
inline Vector operator*(std::span<const Fr> v, const Matrix& m) {
  Vector product(m.size, Fr::zero());
  for (std::size_t i = 0; i < m.size; ++i)
    for (std::size_t j = 0; j < m.size; ++j) product[j] += v[i] * m(i, j);
  return product;
}

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix product = Matrix::zero(a.size);
  for (std::size_t i = 0; i < a.size; ++i)
    for (std::size_t k = 0; k < a.size; ++k)
      for (std::size_t j = 0; j < a.size; ++j) product(i, j) += a(i, k) * b(k, j);
  return product;
}

inline void add_multiple(std::span<Fr> row, const Fr& factor, std::span<const Fr> other) {
  for (std::size_t j = 0; j < row.size(); ++j) row[j] += factor * other[j];
}
inline void scale(std::span<Fr> row, const Fr& factor) {
  for (Fr& x : row) x *= factor;
}

/// Gauss and Jordan. precondition: invertible.
inline Matrix inverse(Matrix m) {
  Matrix result = Matrix::identity(m.size);
  for (std::size_t i = 0; i < m.size; ++i) {
    std::size_t pivot = i;
    while (m(pivot, i).is_zero()) ++pivot;
    m.swap_rows(i, pivot);
    result.swap_rows(i, pivot);
    const Fr factor = m(i, i).inverse();
    scale(m.row(i), factor);
    scale(result.row(i), factor);
    for (std::size_t other = 0; other < m.size; ++other) {
      if (other == i) continue;
      const Fr multiple = -m(other, i);
      add_multiple(m.row(other), multiple, m.row(i));
      add_multiple(result.row(other), multiple, result.row(i));
    }
  }
  return result;
}

/// m without its first row and column.
inline Matrix minor_of(const Matrix& m) {
  Matrix result = Matrix::zero(m.size - 1);
  for (std::size_t i = 1; i < m.size; ++i)
    for (std::size_t j = 1; j < m.size; ++j) result(i - 1, j - 1) = m(i, j);
  return result;
}

}  // namespace cuzk::hash
