#include "groth16/verifier.h"

#include "msm/msm.h"

namespace cuzk::groth16 {

namespace {

constexpr std::size_t kFewInputs = 8;  // below, windowed multiplications beat filling buckets

template <class C>
typename C::G1 public_input_sum(Arena& arena, std::span<const typename C::G1Affine> ic,
                                std::span<const U256> public_inputs) {
  using G1 = typename C::G1;
  const auto points = ic.subspan(1);
  if (public_inputs.size() > kFewInputs) return msm_g1<C>(arena, public_inputs, points) + ic[0];
  G1 sum = G1::from_affine(ic[0]);
  for (std::size_t i = 0; i < public_inputs.size(); ++i) sum += G1::from_affine(points[i]).times(public_inputs[i]);
  return sum;
}

template <class Point> Status refuse_identity(const Point& point, std::string_view name) {
  if (!point.is_identity()) return {};
  return fail(Code::malformed, Kind::identity_point, "point " + std::string(name) + " of the proof is the identity");
}

}  // namespace

template <class C>
PreparedVerifyingKey<C>::PreparedVerifyingKey(const VerifyingKey<C>& vk)
    : alpha_beta_(pairing<C>(vk.alpha_g1, vk.beta_g2)),
      minus_gamma_(-vk.gamma_g2),
      minus_delta_(-vk.delta_g2),
      ic_(vk.ic) {}

template <class C>
Status check_statement(const PreparedVerifyingKey<C>& key, std::span<const U256> public_inputs, const Proof<C>& proof) {
  if (public_inputs.size() != key.num_public()) {
    return fail(Code::malformed, Kind::public_count_mismatch,
                "the verifying key has " + std::to_string(key.num_public()) + " public inputs, " +
                    std::to_string(public_inputs.size()) + " were given");
  }
  for (std::size_t i = 0; i < public_inputs.size(); ++i) {
    if (public_inputs[i] < C::Fr::modulus) continue;
    return fail(Code::malformed, Kind::non_canonical,
                "public input " + std::to_string(i) + " is not below the order of the scalar field");
  }
  CUZK_CHECK_OK(refuse_identity(proof.a, "A"));
  CUZK_CHECK_OK(refuse_identity(proof.b, "B"));
  return refuse_identity(proof.c, "C");
}

template <class C>
Status verify(Arena& arena, const PreparedVerifyingKey<C>& key, std::span<const U256> public_inputs,
              const Proof<C>& proof) {
  CUZK_CHECK_OK(check_statement(key, public_inputs, proof));
  const std::array<typename C::G1Affine, 3> g1 = {
      proof.a, public_input_sum<C>(arena, key.ic(), public_inputs).to_affine(), proof.c};
  const std::array<G2Prepared<C>, 3> g2 = {G2Prepared<C>(proof.b), key.minus_gamma(), key.minus_delta()};
  if (multi_pairing<C>(g1, g2) == key.alpha_beta()) return {};
  return fail(Code::unsatisfied, Kind::invalid_proof, "the proof does not verify");
}

#define CUZK_INSTANTIATE(C)                                                                                \
  template class PreparedVerifyingKey<C>;                                                                  \
  template Status check_statement(const PreparedVerifyingKey<C>&, std::span<const U256>, const Proof<C>&); \
  template Status verify(Arena&, const PreparedVerifyingKey<C>&, std::span<const U256>, const Proof<C>&);

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk::groth16
