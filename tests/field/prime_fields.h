// The field types that the suites of this folder run over.
#pragma once

#include <gtest/gtest.h>

#include "support/cpu_features.h"
#include "tests/gen/field_values.h"

namespace cuzk::test {

template <class Isa> const char* reason_to_skip() {
  const CpuFeatures& cpu = cpu_features();
  return std::is_same_v<Isa, Adx> && !(cpu.bmi2 && cpu.adx) ? "this processor has no BMI2 and ADX" : nullptr;
}

template <class P, class I> struct PrimeField {
  using Element = Fp<P, I>;
  using Isa = I;
  static Element sample(std::mt19937_64& random) { return biased_element<Element>(random); }
  static const char* reason_to_skip() { return test::reason_to_skip<I>(); }
};

using AllPrimeFields = testing::Types<PrimeField<Bn254FrParams, Portable>, PrimeField<Bn254FqParams, Portable>,
                                      PrimeField<Bls12_381FrParams, Portable>, PrimeField<Bls12_381FqParams, Portable>,
                                      PrimeField<Bn254FrParams, Adx>, PrimeField<Bn254FqParams, Adx>,
                                      PrimeField<Bls12_381FrParams, Adx>, PrimeField<Bls12_381FqParams, Adx>>;
using PortablePrimeFields = testing::Types<bn254::Fr, bn254::Fq, bls12_381::Fr, bls12_381::Fq>;

/// A suite over PrimeField types.
template <class T> class PrimeFieldTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* reason = T::reason_to_skip()) GTEST_SKIP() << reason;
  }

  std::mt19937_64 random_{run_seed()};
};

}  // namespace cuzk::test
