// Writing of snarkjs's JSON; the reader is snarkjs_json_reader.cpp.
#include "curve/pairing.h"
#include "formats/snarkjs_json.h"
#include "support/json_writer.h"

namespace cuzk::formats {

namespace {

JsonWriter writer_for(JsonForm form) {
  return JsonWriter(form == JsonForm::snarkjs ? JsonWriter::Style::indented : JsonWriter::Style::compact);
}

template <class Field> void write_number(JsonWriter& json, const Field& value) {
  json.string(value.canonical().to_decimal());
}

template <class Fq> void write_number(JsonWriter& json, const Fq2<Fq>& value) {
  json.begin_array();
  write_number(json, value.c0);
  write_number(json, value.c1);
  json.end_array();
}

/// Projective: (x, y, 1), and (0, 1, 0) for the identity.
template <class F> void write_point(JsonWriter& json, const Affine<F>& point) {
  const bool identity = point.is_identity();
  json.begin_array();
  write_number(json, identity ? F::zero() : point.x);
  write_number(json, identity ? F::one() : point.y);
  write_number(json, identity ? F::zero() : F::one());
  json.end_array();
}

template <class C> void write_gt(JsonWriter& json, const Gt<C>& value) {
  json.begin_array();
  for (const auto& sextic : value.canonical()) {
    json.begin_array();
    for (const auto& quadratic : sextic) {
      json.begin_array();
      for (const auto& number : quadratic) json.string(number.to_decimal());
      json.end_array();
    }
    json.end_array();
  }
  json.end_array();
}

}  // namespace

template <class C> std::string write_verification_key_json(const groth16::VerifyingKey<C>& key) {
  JsonWriter json = writer_for(JsonForm::snarkjs);
  json.begin_object();
  json.key("protocol").string("groth16");
  json.key("curve").string(C::iden3_name);
  json.key("nPublic").integer(key.num_public());
  write_point(json.key("vk_alpha_1"), key.alpha_g1);
  write_point(json.key("vk_beta_2"), key.beta_g2);
  write_point(json.key("vk_gamma_2"), key.gamma_g2);
  write_point(json.key("vk_delta_2"), key.delta_g2);
  write_gt<C>(json.key("vk_alphabeta_12"), pairing<C>(key.alpha_g1, key.beta_g2));
  json.key("IC").begin_array();
  for (const auto& point : key.ic) write_point(json, point);
  json.end_array();
  json.end_object();
  return json.take();
}

template <class C> std::string write_proof_json(const groth16::Proof<C>& proof, JsonForm form) {
  JsonWriter json = writer_for(form);
  json.begin_object();
  write_point(json.key("pi_a"), proof.a);
  write_point(json.key("pi_b"), proof.b);
  write_point(json.key("pi_c"), proof.c);
  json.key("protocol").string("groth16");
  if (form == JsonForm::snarkjs) json.key("curve").string(C::iden3_name);
  json.end_object();
  return json.take();
}

std::string write_public_json(std::span<const U256> values, JsonForm form) {
  if (values.empty() && form == JsonForm::snarkjs) return "[\n]";  // snarkjs streams this file: a line for each bracket
  JsonWriter json = writer_for(form);
  json.begin_array();
  for (const U256& value : values) json.string(value.to_decimal());
  json.end_array();
  return json.take();
}

template std::string write_verification_key_json<Bn254>(const groth16::VerifyingKey<Bn254>&);
template std::string write_verification_key_json<Bls12_381>(const groth16::VerifyingKey<Bls12_381>&);
template std::string write_proof_json<Bn254>(const groth16::Proof<Bn254>&, JsonForm);
template std::string write_proof_json<Bls12_381>(const groth16::Proof<Bls12_381>&, JsonForm);

}  // namespace cuzk::formats
