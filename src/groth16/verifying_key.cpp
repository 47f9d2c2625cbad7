#include "groth16/verifying_key.h"

#include "support/bytes.h"

namespace cuzk::groth16 {

namespace {

Error insecure(std::string message) { return Error(Code::malformed, Kind::insecure_key, std::move(message)); }

template <class Point> Status refuse_identity(const Point& point, std::string_view name) {
  if (!point.is_identity()) return {};
  return fail(insecure(std::string(name) + " of the verifying key is the identity"));
}

}  // namespace

template <class C> Status check_ceremony(const VerifyingKey<C>& key) {
  CUZK_CHECK_OK(refuse_identity(key.alpha_g1, "alpha"));
  CUZK_CHECK_OK(refuse_identity(key.beta_g2, "beta"));
  CUZK_CHECK_OK(refuse_identity(key.gamma_g2, "gamma"));
  CUZK_CHECK_OK(refuse_identity(key.delta_g2, "delta"));
  constexpr std::string_view kConsequence =
      ": the key never had a phase-2 contribution, so that anyone can forge proofs for it";
  if (key.delta_g2 == key.gamma_g2) return fail(insecure("delta equals gamma" + std::string(kConsequence)));
  if (key.delta_g2 == g2_generator<C>()) {
    return fail(insecure("delta is the generator of G2" + std::string(kConsequence)));
  }
  return {};
}

template <class C> Sha256::Digest digest(const VerifyingKey<C>& key) {
  Sha256 hash;
  hash.update(text_bytes(C::name));
  hash.update(std::as_bytes(std::span(&key.alpha_g1, 1)));
  for (const auto* point : {&key.beta_g2, &key.gamma_g2, &key.delta_g2}) {
    hash.update(std::as_bytes(std::span(point, 1)));
  }
  hash.update(std::as_bytes(std::span(key.ic)));
  return hash.finish();
}

template Status check_ceremony(const VerifyingKey<Bn254>&);
template Status check_ceremony(const VerifyingKey<Bls12_381>&);
template Sha256::Digest digest(const VerifyingKey<Bn254>&);
template Sha256::Digest digest(const VerifyingKey<Bls12_381>&);

}  // namespace cuzk::groth16
