#include "formats/bellperson_params.h"

#include <array>
#include <bit>

#include "formats/bellperson_vk.h"
#include "formats/points.h"

namespace cuzk::formats {

namespace {

using G1 = Bls12_381::G1Affine;
using G2 = Bls12_381::G2Affine;
using View = groth16::ProvingKeyView<Bls12_381>;

constexpr std::uint64_t kTranscriptHashBytes = 64;
constexpr std::uint64_t kTranscriptEntryBytes = 3 * sizeof(G1) + sizeof(G2) + 64;

struct Queries {
  PointRun h, l, a, b_g1, b_g2;
};

Result<Queries> read_queries(Reader& in) {
  Queries q;
  CUZK_TRY(q.h, read_counted_run<G1>(in, "h"));
  CUZK_TRY(q.l, read_counted_run<G1>(in, "l"));
  CUZK_TRY(q.a, read_counted_run<G1>(in, "a"));
  CUZK_TRY(q.b_g1, read_counted_run<G1>(in, "b_g1"));
  CUZK_TRY(q.b_g2, read_counted_run<G2>(in, "b_g2"));
  return q;
}

/// The place is the count in front of the run.
Error count_error(const PointRun& run, Kind kind, std::string message, std::string expected) {
  return Reader({}, run.section)
      .malformed_at(run.offset - sizeof(std::uint32_t), kind, std::move(message), std::move(expected),
                    std::to_string(run.size()));
}

Status check_counts(const Queries& q, std::uint64_t inputs) {
  const std::uint64_t domain = q.h.size() + std::uint64_t{1};
  const std::uint64_t variables = inputs + q.l.size();
  if (!std::has_single_bit(domain)) {
    return fail(count_error(q.h, Kind::bad_domain, "h has one point less than the domain", "2^k - 1"));
  }
  if (domain < inputs) {
    return fail(count_error(q.h, Kind::bad_domain, "every input has a row of its own",
                            std::to_string(inputs) + " - 1 or more"));
  }
  if (q.a.size() < inputs || q.a.size() > variables) {
    return fail(count_error(q.a, Kind::bad_count, "a holds all inputs and some auxiliary variables",
                            std::to_string(inputs) + " to " + std::to_string(variables)));
  }
  if (q.b_g1.size() > variables) {
    return fail(
        count_error(q.b_g1, Kind::bad_count, "more points than variables", "at most " + std::to_string(variables)));
  }
  if (q.b_g2.size() != q.b_g1.size()) {
    return fail(
        count_error(q.b_g2, Kind::bad_count, "b_g2 holds the variables of b_g1", std::to_string(q.b_g1.size())));
  }
  return {};
}

/// The number of entries; 0 when the file ends behind the key.
Result<std::uint64_t> read_tail(Reader& in, ParamsTail tail) {
  if (tail == ParamsTail::none || in.remaining() == 0) {
    CUZK_CHECK_OK(in.expect_end());
    return std::uint64_t{0};
  }
  const std::uint64_t begin = in.offset();
  const auto bad = [&](std::string expected) {
    return fail(Reader({}, "transcript")
                    .malformed_at(begin, Kind::bad_transcript, "no transcript of a known kind behind the key",
                                  std::move(expected), std::to_string(in.remaining()) + " bytes"));
  };
  if (in.remaining() < kTranscriptHashBytes + sizeof(std::uint32_t)) return bad("68 bytes or more");
  CUZK_CHECK_OK(in.skip(kTranscriptHashBytes, "circuit hash"));
  CUZK_TRY(const std::uint32_t count, in.u32_be("number of contributions"));
  if (in.remaining() != count * kTranscriptEntryBytes) return bad(std::to_string(count) + " entries of 544 bytes");
  return std::uint64_t{count};
}

View make_view(groth16::VerifyingKey<Bls12_381> vk, const Queries& q) {
  View view;
  view.num_variables = vk.ic.size() + q.l.size();
  view.domain_size = q.h.size() + 1;
  view.basis = groth16::QuotientBasis::coset_monomials;
  view.roots = RootFamily::bellperson;
  view.encoding = groth16::PointEncoding::zcash_uncompressed;
  view.filtered = true;
  view.vk = std::move(vk);
  view.a = q.a.bytes;
  view.b_g1 = q.b_g1.bytes;
  view.b_g2 = q.b_g2.bytes;
  view.l = q.l.bytes;
  view.h = q.h.bytes;
  return view;
}

struct Opened {
  View view;
  std::uint64_t transcript_entries;
};

Result<Opened> read_view(Arena& arena, const KeySource& source, ParamsTail tail) {
  Reader in(source.bytes(), "");
  CUZK_TRY(groth16::VerifyingKey<Bls12_381> vk, read_bellperson_vk_prefix(arena, in));
  CUZK_TRY(const Queries queries, read_queries(in));
  CUZK_CHECK_OK(check_counts(queries, vk.ic.size()));
  CUZK_TRY(const std::uint64_t entries, read_tail(in, tail));
  View view = make_view(std::move(vk), queries);
  view.owner = source.owner();
  view.file = source.mapped();
  return Opened{std::move(view), entries};
}

}  // namespace

Result<ParamsFile> ParamsFile::open(Arena& arena, const std::string& path, ParamsTail tail) {
  CUZK_TRY(KeySource source, KeySource::open(path));
  return open(arena, std::move(source), tail);
}

Result<ParamsFile> ParamsFile::open(Arena& arena, KeySource source, ParamsTail tail) {
  Result<Opened> opened = read_view(arena, source, tail);
  if (!opened) return fail(source.named(std::move(opened).error()));
  return ParamsFile(std::move(source), std::move(opened->view), opened->transcript_entries);
}

Status ParamsFile::check_points(Arena& arena, ProgressRef progress, const StopToken& stop) const {
  const auto run = [&](Bytes points, std::string section, std::size_t point_bytes) {
    return PointRun{.bytes = points,
                    .point_bytes = point_bytes,
                    .section = std::move(section),
                    .offset = static_cast<std::uint64_t>(points.data() - source_.bytes().data())};
  };
  const auto g1 = [&](Bytes points, std::string section) {
    return check_points_of<ZcashCodec, G1>(arena, run(points, std::move(section), sizeof(G1)), Identity::refused,
                                           source_.mapped(), progress, stop);
  };
  const auto all = [&]() -> Status {
    CUZK_CHECK_OK(source_.still_whole());
    CUZK_CHECK_OK(g1(view_.h, "h"));
    CUZK_CHECK_OK(g1(view_.l, "l"));
    CUZK_CHECK_OK(g1(view_.a, "a"));
    CUZK_CHECK_OK(g1(view_.b_g1, "b_g1"));
    return check_points_of<ZcashCodec, G2>(arena, run(view_.b_g2, "b_g2", sizeof(G2)), Identity::refused,
                                           source_.mapped(), progress, stop);
  };
  progress.begin("check key points",
                 view_.h.size() + view_.l.size() + view_.a.size() + view_.b_g1.size() + view_.b_g2.size());
  Status status = all();
  progress.end();
  if (!status) return fail(source_.named(std::move(status).error()));
  return status;
}

}  // namespace cuzk::formats
