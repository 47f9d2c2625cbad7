#include "formats/trapdoor_json.h"

#include <simdjson.h>

#include "support/hex.h"

namespace cuzk::formats {
namespace {

template <class Fr> Result<Fr> read_scalar(const simdjson::dom::object& object, const char* name) {
  const Where where{.file = {}, .section = name, .offset = 0, .expected = {}, .found = {}};
  std::string_view digits;
  if (object[name].get_string().get(digits) != simdjson::SUCCESS)
    return fail(Error(Code::malformed, Kind::missing_field, "a trapdoor member is missing or not a string").at(where));
  std::array<std::byte, U256::bytes> bytes;
  if (Status decoded = decode_hex(digits, bytes); !decoded) return fail(std::move(decoded).error().at(where));
  const U256 value = U256::from_le_bytes(bytes.data());
  if (!(value < Fr::modulus))
    return fail(Error(Code::malformed, Kind::non_canonical, "a trapdoor value is not below r").at(where));
  return Fr::from_canonical(value);
}

}  // namespace

template <class C> Result<groth16::Trapdoor<typename C::Fr>> read_trapdoor_json(std::string_view text) {
  using Fr = typename C::Fr;
  if (text.size() > kMaxTrapdoorJsonBytes)
    return fail(Code::malformed, Kind::bad_length,
                "a trapdoor file has at most " + std::to_string(kMaxTrapdoorJsonBytes) + " bytes");
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(simdjson::padded_string(text)).get_object().get(object) != simdjson::SUCCESS)
    return fail(Code::malformed, Kind::bad_json, "a trapdoor file is one JSON object");
  groth16::TrapdoorValues<Fr> values;
  CUZK_TRY(values.tau, read_scalar<Fr>(object, "tau"));
  CUZK_TRY(values.alpha, read_scalar<Fr>(object, "alpha"));
  CUZK_TRY(values.beta, read_scalar<Fr>(object, "beta"));
  CUZK_TRY(values.gamma, read_scalar<Fr>(object, "gamma"));
  CUZK_TRY(values.delta, read_scalar<Fr>(object, "delta"));
  return groth16::Trapdoor<Fr>::given(values);
}

template Result<groth16::Trapdoor<Bn254::Fr>> read_trapdoor_json<Bn254>(std::string_view);
template Result<groth16::Trapdoor<Bls12_381::Fr>> read_trapdoor_json<Bls12_381>(std::string_view);

}  // namespace cuzk::formats
