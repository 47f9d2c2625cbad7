#include "formats/trapdoor_json.h"

#include "formats/scalars_json.h"

namespace cuzk::formats {

template <class C> Result<groth16::Trapdoor<typename C::Fr>> read_trapdoor_json(std::string_view text) {
  constexpr std::string_view kNames[] = {"tau", "alpha", "beta", "gamma", "delta"};
  CUZK_TRY(const auto scalars, read_scalars_json<C>(text, kNames));
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (!scalars[i].is_zero()) continue;
    return fail(Error(Code::malformed, Kind::bad_number, "a value of the trapdoor is zero")
                    .at({.file = {}, .section = std::string(kNames[i]), .offset = 0, .expected = {}, .found = {}}));
  }
  return groth16::Trapdoor<typename C::Fr>::given({scalars[0], scalars[1], scalars[2], scalars[3], scalars[4]});
}

template Result<groth16::Trapdoor<Bn254::Fr>> read_trapdoor_json<Bn254>(std::string_view);
template Result<groth16::Trapdoor<Bls12_381::Fr>> read_trapdoor_json<Bls12_381>(std::string_view);

}  // namespace cuzk::formats
