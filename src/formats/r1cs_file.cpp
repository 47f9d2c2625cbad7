#include "formats/r1cs_file.h"

#include <algorithm>
#include <array>

#include "formats/iden3_container.h"
#include "formats/iden3_field.h"
#include "formats/iden3_writer.h"

namespace cuzk::formats {

namespace {

constexpr std::uint32_t kHeader = 1, kConstraints = 2, kLabels = 3, kGatesUsed = 4, kGatesApplied = 5;
constexpr std::array<std::uint32_t, 3> kRequired = {kHeader, kConstraints, kLabels};
constexpr std::array<std::uint32_t, 2> kOptional = {kGatesUsed, kGatesApplied};
constexpr Iden3Format kFormat = {.magic = "r1cs", .version = 1, .required = kRequired, .optional = kOptional};

/// Where the counts lie behind the prime in section 1, from its start.
constexpr std::uint64_t kNumWiresAt = 36, kNumPublicAt = 40, kNumConstraintsAt = 60;
constexpr std::uint64_t kSmallestConstraintBytes = 3 * sizeof(std::uint32_t);

unsigned two_adicity(CurveId curve) noexcept {
  return with_curve(curve, []<class C>() { return C::Fr::Constants::two_adicity; });
}

Status check_counts(const R1csHeader& h, const Reader& in, std::uint64_t begin) {
  if (h.num_wires < 1) {
    return fail(in.malformed_at(begin + kNumWiresAt, Kind::bad_count, "a circuit has the wire ONE", ">= 1", "0"));
  }
  if (h.num_public() + 1 > h.num_wires) {
    return fail(in.malformed_at(begin + kNumPublicAt, Kind::bad_count, "more public signals than wires",
                                "at most " + std::to_string(h.num_wires - 1), std::to_string(h.num_public())));
  }
  const std::uint64_t rows = std::uint64_t{h.num_constraints} + h.num_public() + 1;
  if (h.num_constraints < 1 || rows > std::uint64_t{1} << two_adicity(h.curve)) {
    return fail(in.malformed_at(begin + kNumConstraintsAt, Kind::bad_count, "number of constraints",
                                "1 or more, and with the public signals at most 2^" +
                                    std::to_string(two_adicity(h.curve)) + " on " + std::string(name(h.curve)),
                                std::to_string(h.num_constraints)));
  }
  return {};
}

Result<R1csHeader> read_header(const Iden3Container& file) {
  Reader in = file.section(kHeader);
  const std::uint64_t begin = in.offset();
  R1csHeader h{};
  CUZK_TRY(h.curve, read_scalar_prime(in));
  CUZK_TRY(h.num_wires, in.u32_le("nWires"));
  CUZK_TRY(h.num_public_outputs, in.u32_le("nPubOut"));
  CUZK_TRY(h.num_public_inputs, in.u32_le("nPubIn"));
  CUZK_TRY(h.num_private_inputs, in.u32_le("nPrvIn"));
  CUZK_TRY(h.num_labels, in.u64_le("nLabels"));
  CUZK_TRY(h.num_constraints, in.u32_le("nConstraints"));
  if (in.remaining() != 0) {
    return fail(in.malformed(Kind::bad_section_length, "the header is longer than its fields",
                             std::to_string(in.offset() - begin), std::to_string(file.find(kHeader)->length)));
  }
  CUZK_CHECK_OK(check_counts(h, in, begin));
  return h;
}

Status check_labels(const Iden3Container& file, const R1csHeader& h) {
  const Iden3Container::Section& labels = *file.find(kLabels);
  const std::uint64_t expected = std::uint64_t{8} * h.num_wires;
  if (labels.length == expected) return {};
  return fail(file.section(kLabels).malformed(Kind::bad_section_length, "one label of 8 bytes a wire",
                                              std::to_string(expected), std::to_string(labels.length)));
}

/// Sections 4 and 5 begin with their count; Groth16 has no custom gates.
Status check_no_custom_gates(const Iden3Container& file) {
  for (const std::uint32_t type : kOptional) {
    if (file.find(type) == nullptr) continue;
    Reader in = file.section(type);
    CUZK_TRY(const std::uint32_t count, in.u32_le("number of custom gates"));
    if (count != 0) {
      return fail(Error(Code::unsupported, Kind::unsupported_section, "the circuit uses custom gates")
                      .at(Where{.file = {},
                                .section = in.section(),
                                .offset = in.offset() - sizeof count,
                                .expected = "0",
                                .found = std::to_string(count)}));
    }
  }
  return {};
}

/// The constraints announced and the bytes of section 2 contradict each other: the place is the number that announces.
Error constraints_do_not_fit(const Iden3Container& file, const Reader& in, const R1csHeader& h, std::uint64_t found) {
  return in.malformed_at(file.find(kHeader)->offset + kNumConstraintsAt, Kind::bad_section_length,
                         "section 2 ends before its last constraint",
                         std::to_string(h.num_constraints) + " constraints", std::to_string(found));
}

template <class Fr>
Status read_combination(Reader& in, typename r1cs::CircuitBuilder<Fr>::Side side, const R1csHeader& h,
                        r1cs::CircuitBuilder<Fr>& builder) {
  constexpr std::uint64_t kTermBytes = sizeof(std::uint32_t) + Fr::bytes;
  const std::uint64_t at = in.offset();
  CUZK_TRY(const std::uint32_t count, in.u32_le("number of terms"));
  if (count > in.remaining() / kTermBytes) {
    return fail(in.malformed_at(at, Kind::truncated, "the terms run past the section's end",
                                "at most " + std::to_string(in.remaining() / kTermBytes), std::to_string(count)));
  }
  const std::uint64_t first = in.offset();
  CUZK_TRY(const Bytes terms, in.array(count, kTermBytes, "terms"));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::byte* const term = terms.data() + i * kTermBytes;
    const auto wire = load_le<std::uint32_t>(term);
    if (wire >= h.num_wires) {
      return fail(in.malformed_at(first + i * kTermBytes, Kind::index_out_of_range, "no such wire",
                                  "below " + std::to_string(h.num_wires), std::to_string(wire)));
    }
    const auto value = load_canonical<Fr>(term + sizeof wire);
    if (!(value < Fr::modulus)) {
      return fail(in.malformed_at(first + i * kTermBytes + sizeof wire, Kind::non_canonical, "coefficient", "below r",
                                  value.to_hex()));
    }
    builder.add_term(side, wire, Fr::from_canonical(value));
  }
  return {};
}

template <class Fr>
Result<r1cs::RowCircuit<Fr>> read_constraints(const Iden3Container& file, const R1csHeader& h, ProgressRef progress) {
  Reader in = file.section(kConstraints);
  if (h.num_constraints > in.remaining() / kSmallestConstraintBytes) {
    return fail(constraints_do_not_fit(file, in, h, in.remaining() / kSmallestConstraintBytes));
  }
  progress.begin("read constraints", h.num_constraints);
  constexpr std::uint32_t kProgressStep = 4096;
  using Builder = r1cs::CircuitBuilder<Fr>;
  using Side = typename Builder::Side;
  Builder builder(h.num_wires, h.num_public());
  for (std::uint32_t i = 0; i < h.num_constraints; ++i) {
    if (in.remaining() == 0) return fail(constraints_do_not_fit(file, in, h, i));
    for (const Side side : {Side::a, Side::b, Side::c}) CUZK_CHECK_OK(read_combination(in, side, h, builder));
    builder.end_constraint();
    if ((i + 1) % kProgressStep == 0) progress.advance(kProgressStep);
  }
  progress.end();
  if (in.remaining() != 0) {
    return fail(in.malformed(Kind::bad_section_length, "bytes behind the last constraint", "the end",
                             std::to_string(in.remaining()) + " bytes"));
  }
  return std::move(builder).finish();
}

template <class Fr>
Status write_combination(Iden3Writer& out, const r1cs::CompiledCircuit<Fr>& circuit,
                         std::span<const r1cs::Term> terms) {
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(terms.size())));
  for (const r1cs::Term& term : terms) {
    std::byte raw[sizeof(std::uint32_t) + Fr::bytes];
    store_le(raw, term.wire);
    circuit.coefficients()[term.coefficient].canonical().to_le_bytes(raw + sizeof term.wire);
    CUZK_CHECK_OK(out.append(raw));
  }
  return {};
}

template <class Fr> Status write_constraints(Iden3Writer& out, const r1cs::CompiledCircuit<Fr>& circuit) {
  Status written;
  std::vector<r1cs::Term> terms;
  circuit.visit_rows(0, circuit.num_constraints(), [&](const r1cs::Row& row) {
    for (const std::span<const r1cs::Term> side : {row.a, row.b, row.c}) {
      terms.assign(side.begin(), side.end());
      std::sort(terms.begin(), terms.end(), [](const auto& x, const auto& y) { return x.wire < y.wire; });
      if (written) written = write_combination<Fr>(out, circuit, terms);
    }
  });
  return written;
}

template <class C> Status write_header(Iden3Writer& out, const r1cs::CompiledCircuit<typename C::Fr>& circuit) {
  CUZK_CHECK_OK(out.append(scalar_prime_bytes<C>()));
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(circuit.num_variables())));
  CUZK_CHECK_OK(out.append_le(std::uint32_t{0}));  // outputs
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(circuit.num_public())));
  CUZK_CHECK_OK(out.append_le(std::uint32_t{0}));  // private inputs
  CUZK_CHECK_OK(out.append_le(std::uint64_t{circuit.num_variables()}));
  return out.append_le(static_cast<std::uint32_t>(circuit.num_constraints()));
}

}  // namespace

Result<R1csHeader> read_r1cs_header(Bytes file) {
  CUZK_TRY(const Iden3Container container, Iden3Container::parse(file, kFormat));
  return read_header(container);
}

template <class C> Result<r1cs::RowCircuit<typename C::Fr>> read_r1cs(Bytes file, ProgressRef progress) {
  CUZK_TRY(const Iden3Container container, Iden3Container::parse(file, kFormat));
  CUZK_TRY(const R1csHeader header, read_header(container));
  CUZK_CHECK_OK(expect_curve(C::id, header.curve));
  CUZK_CHECK_OK(check_labels(container, header));
  CUZK_CHECK_OK(check_no_custom_gates(container));
  return read_constraints<typename C::Fr>(container, header, progress);
}

template <class C> Status write_r1cs(const std::string& path, const r1cs::CompiledCircuit<typename C::Fr>& circuit) {
  CUZK_TRY(Iden3Writer out, Iden3Writer::create(path, kFormat.magic, kFormat.version, kRequired.size()));
  CUZK_CHECK_OK(out.begin(kHeader));
  CUZK_CHECK_OK(write_header<C>(out, circuit));
  CUZK_CHECK_OK(out.end());
  CUZK_CHECK_OK(out.begin(kConstraints));
  CUZK_CHECK_OK(write_constraints(out, circuit));
  CUZK_CHECK_OK(out.end());
  CUZK_CHECK_OK(out.begin(kLabels));
  for (std::uint64_t wire = 0; wire < circuit.num_variables(); ++wire) CUZK_CHECK_OK(out.append_le(wire));
  CUZK_CHECK_OK(out.end());
  return out.commit();
}

template Result<r1cs::RowCircuit<bn254::Fr>> read_r1cs<Bn254>(Bytes, ProgressRef);
template Result<r1cs::RowCircuit<bls12_381::Fr>> read_r1cs<Bls12_381>(Bytes, ProgressRef);
template Status write_r1cs<Bn254>(const std::string&, const r1cs::CompiledCircuit<bn254::Fr>&);
template Status write_r1cs<Bls12_381>(const std::string&, const r1cs::CompiledCircuit<bls12_381::Fr>&);

}  // namespace cuzk::formats
