#include "formats/iden3_field.h"

#include <algorithm>
#include <array>
#include <optional>

namespace cuzk::formats {

namespace {

template <class Field> bool is_modulus(Bytes prime) noexcept {
  return prime.size() == Field::bytes && load_canonical<Field>(prime.data()) == Field::modulus;
}

/// u32 n8 and the prime; n8 is one of the sizes that a supported curve's field has.
Result<Bytes> read_prime(Reader& in, std::string_view name, std::span<const std::uint32_t> sizes) {
  const std::uint64_t at = in.offset();
  CUZK_TRY(const std::uint32_t n8, in.u32_le("bytes of a field element"));
  if (std::find(sizes.begin(), sizes.end(), n8) == sizes.end()) {
    std::string expected;
    for (const std::uint32_t size : sizes) expected += (expected.empty() ? "" : " or ") + std::to_string(size);
    return fail(in.malformed_at(at, Kind::bad_field_size, "bytes of an element of the field " + std::string(name),
                                expected, std::to_string(n8)));
  }
  return in.bytes(n8, "prime " + std::string(name));
}

constexpr std::array<std::uint32_t, 1> kScalarSizes = {32};
constexpr std::array<std::uint32_t, 2> kBaseSizes = {32, 48};

template <class Field> std::string hex_prime(Bytes prime) { return load_canonical<Field>(prime.data()).to_hex(); }

std::optional<CurveId> curve_of_base_prime(Bytes prime) noexcept {
  if (is_modulus<Bn254::Fq>(prime)) return CurveId::bn254;
  if (is_modulus<Bls12_381::Fq>(prime)) return CurveId::bls12_381;
  return std::nullopt;
}

std::optional<CurveId> curve_of_scalar_prime(Bytes prime) noexcept {
  if (is_modulus<Bn254::Fr>(prime)) return CurveId::bn254;
  if (is_modulus<Bls12_381::Fr>(prime)) return CurveId::bls12_381;
  return std::nullopt;
}

}  // namespace

Result<CurveId> read_scalar_prime(Reader& in) {
  CUZK_TRY(const Bytes prime, read_prime(in, "r", kScalarSizes));
  if (const auto curve = curve_of_scalar_prime(prime)) return *curve;
  return fail(in.malformed_at(in.offset() - prime.size(), Kind::unknown_curve, "the prime is no known curve's",
                              "r of bn254 or bls12-381", hex_prime<Bn254::Fr>(prime)));
}

Result<CurveId> read_both_primes(Reader& in) {
  CUZK_TRY(const Bytes base, read_prime(in, "q", kBaseSizes));
  const auto curve = curve_of_base_prime(base);
  if (!curve) {
    return fail(
        in.malformed_at(in.offset() - base.size(), Kind::unknown_curve, "the base field's prime is no known curve's",
                        "q of bn254 or bls12-381",
                        base.size() == Bn254::Fq::bytes ? hex_prime<Bn254::Fq>(base) : hex_prime<Bls12_381::Fq>(base)));
  }
  CUZK_TRY(const Bytes scalar, read_prime(in, "r", kScalarSizes));
  if (curve_of_scalar_prime(scalar) != curve) {
    return fail(in.malformed_at(in.offset() - scalar.size(), Kind::unknown_curve,
                                "the scalar field's prime does not belong to the base field's curve",
                                "r of " + std::string(name(*curve)), hex_prime<Bn254::Fr>(scalar)));
  }
  return *curve;
}

template <class C> std::array<std::byte, 4 + C::Fr::bytes> scalar_prime_bytes() noexcept {
  std::array<std::byte, 4 + C::Fr::bytes> out;
  store_le<std::uint32_t>(out.data(), C::Fr::bytes);
  C::Fr::modulus.to_le_bytes(out.data() + 4);
  return out;
}
template std::array<std::byte, 36> scalar_prime_bytes<Bn254>() noexcept;
template std::array<std::byte, 36> scalar_prime_bytes<Bls12_381>() noexcept;

Status expect_curve(CurveId expected, CurveId found) {
  if (expected == found) return {};
  return fail(Error(Code::malformed, Kind::curve_mismatch, "the file is for another curve")
                  .at(Where{.file = {},
                            .section = {},
                            .offset = 0,
                            .expected = std::string(name(expected)),
                            .found = std::string(name(found))}));
}

}  // namespace cuzk::formats
