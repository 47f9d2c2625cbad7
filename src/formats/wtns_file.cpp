#include "formats/wtns_file.h"

#include <array>

#include "formats/iden3_container.h"
#include "formats/iden3_field.h"
#include "formats/iden3_writer.h"

namespace cuzk::formats {

namespace {

constexpr std::uint32_t kHeader = 1, kValues = 2;
constexpr std::array<std::uint32_t, 2> kRequired = {kHeader, kValues};
constexpr Iden3Format kFormat = {.magic = "wtns", .version = 2, .required = kRequired, .optional = {}};

Result<WtnsHeader> read_header(const Iden3Container& file) {
  Reader in = file.section(kHeader);
  const std::uint64_t begin = in.offset();
  WtnsHeader h{};
  CUZK_TRY(h.curve, read_scalar_prime(in));
  const std::uint64_t count_at = in.offset();
  CUZK_TRY(h.num_wires, in.u32_le("nWitness"));
  if (in.remaining() != 0) {
    return fail(in.malformed(Kind::bad_section_length, "the header is longer than its fields",
                             std::to_string(in.offset() - begin), std::to_string(file.find(kHeader)->length)));
  }
  if (h.num_wires < 1) {
    return fail(in.malformed_at(count_at, Kind::bad_count, "a witness holds the wire ONE", ">= 1", "0"));
  }
  const std::uint64_t expected = std::uint64_t{h.num_wires} * U256::bytes;
  const std::uint64_t length = file.find(kValues)->length;
  if (length != expected) {
    return fail(in.malformed_at(count_at, Kind::bad_section_length, "nWitness and the length of section 2 disagree",
                                std::to_string(expected) + " bytes", std::to_string(length)));
  }
  return h;
}

template <class Fr> Status check_values(std::span<const U256> values, const Reader& in) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] < Fr::modulus)) {
      return fail(in.malformed_at(in.offset() + i * U256::bytes, Kind::non_canonical,
                                  "value of wire " + std::to_string(i), "below r", values[i].to_hex()));
    }
  }
  if (values[0] != U256::from_u64(1)) {
    return fail(in.malformed(Kind::bad_witness, "the first wire is ONE", "1", values[0].to_decimal()));
  }
  return {};
}

}  // namespace

Result<WtnsHeader> read_wtns_header(Bytes file) {
  CUZK_TRY(const Iden3Container container, Iden3Container::parse(file, kFormat));
  return read_header(container);
}

template <class C> Result<r1cs::Witness> read_wtns(Bytes file) {
  CUZK_TRY(const Iden3Container container, Iden3Container::parse(file, kFormat));
  CUZK_TRY(const WtnsHeader header, read_header(container));
  CUZK_CHECK_OK(expect_curve(C::id, header.curve));
  const Iden3Container::Section& section = *container.find(kValues);
  std::vector<U256> values(header.num_wires);
  std::memcpy(values.data(), file.data() + section.offset, section.length);
  CUZK_CHECK_OK(check_values<typename C::Fr>(values, container.section(kValues)));
  return r1cs::Witness(std::move(values));
}

template <class C> Status write_wtns(const std::string& path, const r1cs::Witness& witness) {
  CUZK_TRY(Iden3Writer out, Iden3Writer::create(path, kFormat.magic, kFormat.version, kRequired.size()));
  CUZK_CHECK_OK(out.begin(kHeader));
  CUZK_CHECK_OK(out.append(scalar_prime_bytes<C>()));
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(witness.size())));
  CUZK_CHECK_OK(out.end());
  CUZK_CHECK_OK(out.begin(kValues));
  CUZK_CHECK_OK(out.append(std::as_bytes(witness.values())));
  CUZK_CHECK_OK(out.end());
  return out.commit();
}

template Result<r1cs::Witness> read_wtns<Bn254>(Bytes);
template Result<r1cs::Witness> read_wtns<Bls12_381>(Bytes);
template Status write_wtns<Bn254>(const std::string&, const r1cs::Witness&);
template Status write_wtns<Bls12_381>(const std::string&, const r1cs::Witness&);

}  // namespace cuzk::formats
