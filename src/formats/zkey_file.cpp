#include "formats/zkey_file.h"

#include <array>
#include <atomic>
#include <bit>

#include "formats/iden3_container.h"
#include "formats/iden3_field.h"
#include "formats/points.h"
#include "support/parallel_find.h"

namespace cuzk::formats {

namespace {

constexpr std::uint32_t kProtocol = 1, kHeader = 2, kIc = 3, kCoefficients = 4, kA = 5, kB1 = 6, kB2 = 7, kL = 8,
                        kH = 9, kContributions = 10;
constexpr std::array<std::uint32_t, 9> kRequired = {kProtocol, kHeader, kIc, kCoefficients, kA, kB1, kB2, kL, kH};
constexpr std::array<std::uint32_t, 1> kOptional = {kContributions};
constexpr Iden3Format kFormat = {.magic = "zkey", .version = 1, .required = kRequired, .optional = kOptional};
constexpr std::uint32_t kGroth16 = 1;

Status check_protocol(const Iden3Container& file) {
  Reader in = file.section(kProtocol);
  CUZK_TRY(const std::uint32_t protocol, in.u32_le("protocol"));
  if (protocol != kGroth16) {
    return fail(in.malformed_at(in.offset() - sizeof protocol, Kind::bad_protocol, "the key is for another protocol",
                                "1 (Groth16)", std::to_string(protocol)));
  }
  if (in.remaining() != 0) return fail(in.malformed(Kind::bad_section_length, "section 1 is longer than its field"));
  return {};
}

std::uint64_t point_bytes_g1(CurveId curve) noexcept {
  return with_curve(curve, []<class C>() { return sizeof(typename C::G1Affine); });
}

/// Sections 5 and 6 agree on a number of variables, and the header on another: then the header is at fault.
bool header_is_at_fault(const Iden3Container& file, const ZkeyHeader& h) {
  const std::uint64_t a = file.find(kA)->length;
  const std::uint64_t unit = point_bytes_g1(h.curve);
  return a == file.find(kB1)->length && file.find(kB2)->length == 2 * a && a % unit == 0 && a / unit != h.num_variables;
}

Status check_counts(const ZkeyHeader& h, const Iden3Container& file, std::uint64_t counts_at) {
  const Reader in = file.section(kHeader);
  if (h.num_variables < 1) {
    return fail(in.malformed_at(counts_at, Kind::bad_count, "a circuit has the variable ONE", ">= 1", "0"));
  }
  if (h.num_public >= h.num_variables) {
    return fail(in.malformed_at(counts_at + 4, Kind::bad_count, "more public inputs than variables",
                                "below " + std::to_string(h.num_variables), std::to_string(h.num_public)));
  }
  const unsigned two_adicity = with_curve(h.curve, []<class C>() { return C::Fr::Constants::two_adicity; });
  const bool possible = h.domain_size >= 2 && std::has_single_bit(h.domain_size) &&
                        h.domain_size <= std::uint64_t{1} << (two_adicity - 1) && h.domain_size > h.num_public;
  if (!possible) {
    return fail(in.malformed_at(counts_at + 8, Kind::bad_domain, "domain size",
                                "a power of two above nPublic, at most 2^" + std::to_string(two_adicity - 1) + " on " +
                                    std::string(name(h.curve)),
                                std::to_string(h.domain_size)));
  }
  return {};
}

Status check_length(const Iden3Container& file, std::uint32_t section, std::uint64_t expected) {
  const std::uint64_t length = file.find(section)->length;
  if (length == expected) return {};
  return fail(file.section(section).malformed(Kind::bad_section_length, "the length contradicts the header's counts",
                                              std::to_string(expected) + " bytes", std::to_string(length)));
}

/// 32-bit counts times at most 192 bytes: no product overflows 64 bits.
Status check_lengths(const ZkeyHeader& h, const Iden3Container& file, std::uint64_t counts_at) {
  const std::uint64_t g1 = point_bytes_g1(h.curve), g2 = 2 * g1;
  const std::uint64_t m = h.num_variables, inputs = std::uint64_t{h.num_public} + 1;
  if (header_is_at_fault(file, h)) {
    return fail(file.section(kHeader).malformed_at(counts_at, Kind::bad_section_length,
                                                   "nVars contradicts the lengths of sections 5, 6 and 7",
                                                   std::to_string(file.find(kA)->length / g1), std::to_string(m)));
  }
  CUZK_CHECK_OK(check_length(file, kIc, inputs * g1));
  CUZK_CHECK_OK(check_length(file, kA, m * g1));
  CUZK_CHECK_OK(check_length(file, kB1, m * g1));
  CUZK_CHECK_OK(check_length(file, kB2, m * g2));
  CUZK_CHECK_OK(check_length(file, kL, (m - inputs) * g1));
  return check_length(file, kH, std::uint64_t{h.domain_size} * g1);
}

/// Leaves `in` in front of the header's points.
Result<ZkeyHeader> read_header(const Iden3Container& file, Reader& in) {
  CUZK_CHECK_OK(check_protocol(file));
  ZkeyHeader h{};
  CUZK_TRY(h.curve, read_both_primes(in));
  const std::uint64_t counts_at = in.offset();
  CUZK_TRY(h.num_variables, in.u32_le("nVars"));
  CUZK_TRY(h.num_public, in.u32_le("nPublic"));
  CUZK_TRY(h.domain_size, in.u32_le("domainSize"));
  CUZK_CHECK_OK(check_counts(h, file, counts_at));
  const std::uint64_t points = 9 * point_bytes_g1(h.curve);  // three of G1, three of G2
  if (in.remaining() != points) {
    return fail(in.malformed(Kind::bad_section_length, "the header's points", std::to_string(points) + " bytes",
                             std::to_string(in.remaining())));
  }
  CUZK_CHECK_OK(check_lengths(h, file, counts_at));
  return h;
}

PointRun run_of(Bytes file, const Iden3Container::Section& section, std::size_t point_bytes) {
  return {.bytes = file.subspan(section.offset, section.length),
          .point_bytes = point_bytes,
          .section = std::to_string(section.type),
          .offset = section.offset};
}

template <class C>
Result<groth16::VerifyingKey<C>> read_verifying_key(Arena& arena, Bytes bytes, const Iden3Container& file, Reader& in) {
  using Codec = SnarkjsCodec<C>;
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;
  groth16::VerifyingKey<C> vk;
  const std::string& section = in.section();
  CUZK_TRY(vk.alpha_g1, read_point<Codec, G1>(in, section));
  CUZK_TRY(vk.beta_g1, read_point<Codec, G1>(in, section));
  CUZK_TRY(vk.beta_g2, read_point<Codec, G2>(in, section));
  CUZK_TRY(vk.gamma_g2, read_point<Codec, G2>(in, section));
  CUZK_TRY(vk.delta_g1, read_point<Codec, G1>(in, section));
  CUZK_TRY(vk.delta_g2, read_point<Codec, G2>(in, section));
  const PointRun ic = run_of(bytes, *file.find(kIc), sizeof(G1));
  vk.ic.resize(ic.size());
  CUZK_CHECK_OK(decode_run<Codec, G1>(arena, ic, Identity::allowed, std::span(vk.ic)));
  return vk;
}

/// What is wrong with a record: its place inside the record, or nothing.
template <class Fr>
std::optional<Error> record_fault(const std::byte* record, const ZkeyHeader& h, std::uint64_t offset) {
  const Reader place({}, std::to_string(kCoefficients));
  const auto out_of_range = [&](std::uint64_t field, const char* what, std::uint32_t limit, std::uint32_t found) {
    return place.malformed_at(offset + field, Kind::index_out_of_range, what, "below " + std::to_string(limit),
                              std::to_string(found));
  };
  const auto matrix = load_le<std::uint32_t>(record), row = load_le<std::uint32_t>(record + 4),
             variable = load_le<std::uint32_t>(record + 8);
  if (matrix > 1) return out_of_range(0, "matrix of a coefficient", 2, matrix);
  if (row >= h.domain_size) return out_of_range(4, "row of a coefficient", h.domain_size, row);
  if (variable >= h.num_variables) return out_of_range(8, "signal of a coefficient", h.num_variables, variable);
  const auto value = load_canonical<Fr>(record + 12);
  if (value < Fr::modulus) return std::nullopt;
  return place.malformed_at(offset + 12, Kind::non_canonical, "coefficient", "below r", value.to_hex());
}

template <class Fr> bool record_is_legal(const std::byte* record, const ZkeyHeader& h) noexcept {
  return load_le<std::uint32_t>(record) <= 1 && load_le<std::uint32_t>(record + 4) < h.domain_size &&
         load_le<std::uint32_t>(record + 8) < h.num_variables && load_canonical<Fr>(record + 12) < Fr::modulus;
}

template <class Fr>
Result<r1cs::CoefficientRecords<Fr>> read_coefficients(Arena& arena, const Iden3Container& file, const ZkeyHeader& h) {
  constexpr std::size_t kRecordBytes = r1cs::CoefficientRecords<Fr>::kBytes;
  constexpr std::size_t kGrain = 4096;  // records; about 50 us
  Reader in = file.section(kCoefficients);
  const std::uint64_t at = in.offset();
  CUZK_TRY(const std::uint32_t count, in.u32_le("number of coefficients"));
  if (std::uint64_t{count} * kRecordBytes != in.remaining()) {
    return fail(in.malformed_at(at, Kind::bad_section_length, "the number of coefficients contradicts the length",
                                std::to_string(std::uint64_t{count} * kRecordBytes) + " bytes behind it",
                                std::to_string(in.remaining())));
  }
  CUZK_TRY(const Bytes records, in.array(count, kRecordBytes, "coefficients"));
  const auto record = [&](std::size_t i) { return records.data() + i * kRecordBytes; };
  std::atomic<bool> sorted = true;
  const auto bad = parallel_find_first(arena, 0, count, kGrain, [&](std::size_t i) {
    const bool ascends = i == 0 || load_le<std::uint32_t>(record(i - 1) + 4) <= load_le<std::uint32_t>(record(i) + 4);
    if (!ascends) sorted.store(false, std::memory_order_relaxed);  // read after the loop has ended
    return !record_is_legal<Fr>(record(i), h);
  });
  if (bad) return fail(*record_fault<Fr>(record(*bad), h, at + sizeof count + *bad * kRecordBytes));
  return r1cs::CoefficientRecords<Fr>(records, sorted.load());
}

template <class C> groth16::ProvingKeyView<C> make_view(Bytes bytes, const Iden3Container& file, const ZkeyHeader& h) {
  const auto section = [&](std::uint32_t type) {
    return bytes.subspan(file.find(type)->offset, file.find(type)->length);
  };
  groth16::ProvingKeyView<C> view;
  view.num_variables = h.num_variables;
  view.domain_size = h.domain_size;
  view.basis = groth16::QuotientBasis::odd_coset_lagrange;
  view.roots = RootFamily::iden3;
  view.encoding = groth16::PointEncoding::montgomery_le;
  view.a = section(kA);
  view.b_g1 = section(kB1);
  view.b_g2 = section(kB2);
  view.l = section(kL);
  view.h = section(kH);
  return view;
}

template <class C> Result<groth16::ProvingKeyView<C>> read_view(Arena& arena, const KeySource& source) {
  CUZK_TRY(const Iden3Container file, Iden3Container::parse(source.bytes(), kFormat));
  Reader in = file.section(kHeader);
  CUZK_TRY(const ZkeyHeader header, read_header(file, in));
  CUZK_CHECK_OK(expect_curve(C::id, header.curve));
  groth16::ProvingKeyView<C> view = make_view<C>(source.bytes(), file, header);
  CUZK_TRY(view.vk, read_verifying_key<C>(arena, source.bytes(), file, in));
  CUZK_TRY(view.coefficients, read_coefficients<typename C::Fr>(arena, file, header));
  view.owner = source.owner();
  view.file = source.mapped();
  return view;
}

/// The parameters of one contribution: u8 id, then a value whose length depends on the id.
Status read_contribution_parameters(Reader& in, ZkeyContribution& out) {
  constexpr std::uint8_t kName = 1, kIterations = 2, kBeaconHash = 3;
  while (in.remaining() > 0) {
    CUZK_TRY(const std::uint8_t id, in.u8("parameter"));
    CUZK_TRY(const std::uint8_t length_or_value, in.u8("parameter length"));
    if (id == kIterations) continue;
    CUZK_TRY(const Bytes value, in.bytes(length_or_value, "parameter value"));
    if (id == kName) {
      out.name = bytes_text(value);
    } else if (id == kBeaconHash) {
      out.beacon_hash.assign(value.begin(), value.end());
    } else {
      return fail(
          in.malformed(Kind::bad_transcript, "unknown parameter of a contribution", "1, 2 or 3", std::to_string(id)));
    }
  }
  return {};
}

template <class C> Result<ZkeyContribution> read_contribution(Reader& in) {
  constexpr std::uint64_t kPointsAndHash = 3 * sizeof(typename C::G1Affine) + sizeof(typename C::G2Affine) + 64;
  ZkeyContribution contribution{};
  CUZK_CHECK_OK(in.skip(kPointsAndHash, "points and hash of a contribution"));
  CUZK_TRY(const std::uint32_t type, in.u32_le("type of a contribution"));
  if (type > 1) {
    return fail(in.malformed_at(in.offset() - sizeof type, Kind::bad_transcript, "type of a contribution", "0 or 1",
                                std::to_string(type)));
  }
  contribution.type = type == 0 ? ZkeyContribution::Type::contribution : ZkeyContribution::Type::beacon;
  CUZK_TRY(const std::uint32_t length, in.u32_le("parameter length"));
  CUZK_TRY(Reader parameters, in.part(length, in.section()));
  CUZK_CHECK_OK(read_contribution_parameters(parameters, contribution));
  return contribution;
}

}  // namespace

Result<ZkeyHeader> read_zkey_header(Bytes file) {
  CUZK_TRY(const Iden3Container container, Iden3Container::parse(file, kFormat));
  Reader in = container.section(kHeader);
  return read_header(container, in);
}

template <class C> Result<ZkeyFile<C>> ZkeyFile<C>::open(Arena& arena, const std::string& path) {
  CUZK_TRY(KeySource source, KeySource::open(path));
  return open(arena, std::move(source));
}

template <class C> Result<ZkeyFile<C>> ZkeyFile<C>::open(Arena& arena, KeySource source) {
  Result<groth16::ProvingKeyView<C>> view = read_view<C>(arena, source);
  if (!view) return fail(source.named(std::move(view).error()));
  return ZkeyFile(std::move(source), *std::move(view));
}

template <class C> Status ZkeyFile<C>::check_points(Arena& arena, ProgressRef progress, const StopToken& stop) const {
  using Codec = SnarkjsCodec<C>;
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;
  const auto run = [&](Bytes points, std::uint32_t section, std::size_t point_bytes) {
    return PointRun{.bytes = points,
                    .point_bytes = point_bytes,
                    .section = std::to_string(section),
                    .offset = static_cast<std::uint64_t>(points.data() - source_.bytes().data())};
  };
  const auto g1 = [&](Bytes points, std::uint32_t section, Identity identity) {
    return check_points_of<Codec, G1>(arena, run(points, section, sizeof(G1)), identity, source_.mapped(), progress,
                                      stop);
  };
  const auto all = [&]() -> Status {
    CUZK_CHECK_OK(source_.still_whole());
    CUZK_CHECK_OK(g1(view_.a, kA, Identity::allowed));
    CUZK_CHECK_OK(g1(view_.b_g1, kB1, Identity::allowed));
    CUZK_CHECK_OK(check_points_of<Codec, G2>(arena, run(view_.b_g2, kB2, sizeof(G2)), Identity::allowed,
                                             source_.mapped(), progress, stop));
    CUZK_CHECK_OK(g1(view_.l, kL, Identity::allowed));
    return g1(view_.h, kH, Identity::refused);
  };
  progress.begin("check key points",
                 view_.a.size() + view_.b_g1.size() + view_.b_g2.size() + view_.l.size() + view_.h.size());
  Status status = all();
  progress.end();
  if (!status) return fail(source_.named(std::move(status).error()));
  return status;
}

template <class C> Result<std::vector<ZkeyContribution>> ZkeyFile<C>::contributions() const {
  constexpr std::uint64_t kCircuitHashBytes = 64;
  CUZK_TRY(const Iden3Container file, Iden3Container::parse(source_.bytes(), kFormat));
  std::vector<ZkeyContribution> all;
  if (file.find(kContributions) == nullptr) return all;
  Reader in = file.section(kContributions);
  CUZK_CHECK_OK(in.skip(kCircuitHashBytes, "circuit hash"));
  CUZK_TRY(const std::uint32_t count, in.u32_le("number of contributions"));
  for (std::uint32_t i = 0; i < count; ++i) {
    CUZK_TRY(ZkeyContribution contribution, read_contribution<C>(in));
    all.push_back(std::move(contribution));
  }
  CUZK_CHECK_OK(in.expect_end());
  return all;
}

template <class C> bool ZkeyFile<C>::is_development() const {
  const auto all = contributions();
  return all && std::any_of(all->begin(), all->end(),
                            [](const ZkeyContribution& c) { return c.name == kDevelopmentContribution; });
}

template class ZkeyFile<Bn254>;
template class ZkeyFile<Bls12_381>;

}  // namespace cuzk::formats
