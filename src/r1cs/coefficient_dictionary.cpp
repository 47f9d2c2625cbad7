#include "r1cs/coefficient_dictionary.h"

namespace cuzk::r1cs {

template <class Fr> CoefficientDictionary<Fr>::CoefficientDictionary() : recent_(kRecent) {
  find_or_add(Fr::one());
  find_or_add(-Fr::one());
}

template <class Fr> std::uint32_t CoefficientDictionary<Fr>::find_or_add(const Fr& coefficient) {
  const auto next = static_cast<std::uint32_t>(values_.size());
  const auto [at, is_new] = numbers_.try_emplace(coefficient.montgomery(), next);
  if (is_new) values_.push_back(coefficient);
  recent_[hash(coefficient) % kRecent] = at->second;
  return at->second;
}

template class CoefficientDictionary<bn254::Fr>;
template class CoefficientDictionary<bls12_381::Fr>;

}  // namespace cuzk::r1cs
