#include "backend/known_answer.h"

#include <string_view>
#include <vector>

#include "groth16/setup.h"
#include "groth16/verifier.h"
#include "r1cs/row_circuit.h"
#include "support/hex.h"
#include "support/sha256.h"

namespace cuzk::backend {

namespace {

constexpr std::uint32_t kSteps = 1536;  // two rows each

/// SHA-256 of the right proof, as digest_of() takes it.
template <class C> constexpr std::string_view kDigest;
template <>
constexpr std::string_view kDigest<Bn254> = "89569561507faefaedc0fcd5ff111fc9dcb74aa2c9ca327be698bd0b9c0a9b08";
template <>
constexpr std::string_view kDigest<Bls12_381> = "5a9bc36804e6814f818a22a84f401c44b7abb494d6547770385dfb4a8a28a716";

/// Bits without a pattern: the top ones of x -> 6364136223846793005 x + 1442695040888963407 (Knuth's MMIX).
class Bits {
 public:
  bool next() noexcept {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 63) != 0;
  }

 private:
  std::uint64_t state_ = 1;
};

/// Step i: bit_i bit_i = bit_i and x_i (x_i + 3 bit_i + i) = x_(i+1), from x_0 = 7 to the public x_end. Variables: one,
/// x_end, x_0 .. x_(end-1), the bits.
template <class Fr> r1cs::RowCircuit<Fr> make_circuit() {
  using Builder = r1cs::CircuitBuilder<Fr>;
  using Side = typename Builder::Side;
  constexpr r1cs::Wire kOne = 0, kEnd = 1, kValues = 2, kBits = kValues + kSteps;
  Builder builder(kBits + kSteps, 1);
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    for (const Side side : {Side::a, Side::b, Side::c}) builder.add_term(side, kBits + i, Fr::one());
    builder.end_constraint();
    builder.add_term(Side::a, kValues + i, Fr::one());
    builder.add_term(Side::b, kValues + i, Fr::one());
    builder.add_term(Side::b, kBits + i, Fr::from_u64(3));
    builder.add_term(Side::b, kOne, Fr::from_u64(i));
    builder.add_term(Side::c, i + 1 < kSteps ? kValues + i + 1 : kEnd, Fr::one());
    builder.end_constraint();
  }
  return std::move(builder).finish();
}

template <class Fr> r1cs::Witness make_witness() {
  std::vector<Fr> chain = {Fr::from_u64(7)};
  std::vector<U256> bits;
  Bits source;
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    bits.push_back(U256::from_u64(source.next() ? 1 : 0));
    const Fr& x = chain.back();
    chain.push_back(x * (x + Fr::from_u64(3) * Fr::from_canonical(bits.back()) + Fr::from_u64(i)));
  }
  std::vector<U256> values = {U256::from_u64(1), chain.back().canonical()};
  for (std::uint32_t i = 0; i < kSteps; ++i) values.push_back(chain[i].canonical());
  values.insert(values.end(), bits.begin(), bits.end());
  return r1cs::Witness(std::move(values));
}

template <class Fr> groth16::Trapdoor<Fr> trapdoor() {
  return groth16::Trapdoor<Fr>::given({.tau = Fr::from_u64(1234567),
                                       .alpha = Fr::from_u64(2345678),
                                       .beta = Fr::from_u64(3456789),
                                       .gamma = Fr::from_u64(4567890),
                                       .delta = Fr::from_u64(5678901)});
}

/// Of the coordinates: canonical, little-endian, A, B (c0 before c1), C.
template <class C> std::string digest_of(const groth16::Proof<C>& proof) {
  Sha256 hash;
  const auto add = [&](const typename C::Fq& x) {
    const auto value = x.canonical();
    hash.update(std::as_bytes(std::span(value.limb)));
  };
  const auto add_pair = [&](const typename C::Fq2& x) {
    add(x.c0);
    add(x.c1);
  };
  add(proof.a.x);
  add(proof.a.y);
  add_pair(proof.b.x);
  add_pair(proof.b.y);
  add(proof.c.x);
  add(proof.c.y);
  return encode_hex(hash.finish());
}

}  // namespace

template <class C> Result<KnownAnswer<C>> KnownAnswer<C>::create(Arena& arena) {
  KnownAnswer answer(arena);
  answer.circuit_ = std::make_shared<const r1cs::RowCircuit<Fr>>(make_circuit<Fr>());
  answer.witness_ = std::make_shared<const r1cs::Witness>(make_witness<Fr>());
  CUZK_TRY(auto key, groth16::setup<C>(arena, *answer.circuit_, trapdoor<Fr>(), groth16::QuotientBasis::coset_monomials,
                                       RootFamily::bellperson));
  answer.key_ = std::make_shared<const groth16::ProvingKey<C>>(std::move(key));
  return answer;
}

template <class C> Status KnownAnswer<C>::check(Backend<C>& backend) const {
  CUZK_TRY(auto key, backend.load_key(groth16::view_of(key_)));
  CUZK_TRY(auto circuit, backend.load_circuit(circuit_));
  ProvingInput<C> input{.witness = witness_, .blinding = Blinding<C>::fixed(U256::from_u64(11), U256::from_u64(13))};
  CUZK_TRY(auto ticket, backend.prove_start(std::move(key), std::move(circuit), std::move(input)));
  CUZK_TRY(const groth16::Proof<C> proof, backend.prove_finish(std::move(ticket)));
  return check_proof(proof);
}

template <class C> Status KnownAnswer<C>::check_proof(const groth16::Proof<C>& proof) const {
  const std::string found = digest_of(proof);
  if (found != kDigest<C>) {
    return fail(Code::device, "a wrong proof on " + std::string(C::name) + ": SHA-256 " + found + ", expected " +
                                  std::string(kDigest<C>));
  }
  const groth16::PreparedVerifyingKey<C> vk(key_->vk);
  if (const Status verified = groth16::verify(*arena_, vk, witness_->public_inputs(1), proof); !verified) {
    return fail(Code::device, "the right proof on " + std::string(C::name) +
                                  ", and it does not verify: " + verified.error().to_string());
  }
  return {};
}

template class KnownAnswer<Bn254>;
template class KnownAnswer<Bls12_381>;

}  // namespace cuzk::backend
