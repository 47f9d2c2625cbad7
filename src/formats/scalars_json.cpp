#include "formats/scalars_json.h"

#include <simdjson.h>

#include <algorithm>

#include "formats/json_fault.h"
#include "support/hex.h"

namespace cuzk::formats {
namespace {

template <class Fr> Result<Fr> read_scalar(const simdjson::dom::object& object, std::string_view name) {
  const Where where{.file = {}, .section = std::string(name), .offset = 0, .expected = {}, .found = {}};
  const auto is_it = [&](const auto& member) { return member.key == name; };
  if (std::count_if(object.begin(), object.end(), is_it) > 1)
    return fail(Error(Code::malformed, Kind::bad_json, "the member is there twice").at(where));
  std::string_view digits;
  if (object[name].get_string().get(digits) != simdjson::SUCCESS)
    return fail(Error(Code::malformed, Kind::missing_field, "a scalar is missing or not a string").at(where));
  std::array<std::byte, U256::bytes> bytes;
  if (Status decoded = decode_hex(digits, bytes); !decoded) return fail(std::move(decoded).error().at(where));
  const U256 value = U256::from_le_bytes(bytes.data());
  if (!(value < Fr::modulus))
    return fail(Error(Code::malformed, Kind::non_canonical, "a scalar is not below r").at(where));
  return Fr::from_canonical(value);
}

}  // namespace

template <class C>
Result<std::vector<typename C::Fr>> read_scalars_json(std::string_view text, std::span<const std::string_view> names) {
  if (text.size() > kMaxScalarsJsonBytes)
    return fail(Code::malformed, Kind::bad_length,
                "a file of scalars has at most " + std::to_string(kMaxScalarsJsonBytes) + " bytes");
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const auto document = parser.parse(simdjson::padded_string(text));
  if (document.error() != simdjson::SUCCESS)
    return fail(json_fault(text, simdjson::DEFAULT_MAX_DEPTH, simdjson::error_message(document.error())));
  if (document.get_object().get(object) != simdjson::SUCCESS)
    return fail(Code::malformed, Kind::bad_json, "a file of scalars is one JSON object");
  std::vector<typename C::Fr> scalars;
  for (const std::string_view name : names) {
    CUZK_TRY(const auto scalar, read_scalar<typename C::Fr>(object, name));
    scalars.push_back(scalar);
  }
  return scalars;
}

template Result<std::vector<bn254::Fr>> read_scalars_json<Bn254>(std::string_view, std::span<const std::string_view>);
template Result<std::vector<bls12_381::Fr>> read_scalars_json<Bls12_381>(std::string_view,
                                                                         std::span<const std::string_view>);

}  // namespace cuzk::formats
