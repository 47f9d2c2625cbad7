#include "backend/cpu/cpu_key.h"

#include "groth16/quotient.h"
#include "support/parallel_find.h"

namespace cuzk::backend {

namespace {

constexpr std::size_t kPointsPerChunk = 256;  // some 100 us with the curve equation

/// Points a query may hold.
struct CountRange {
  std::size_t least, most;
};

Status check_count(std::string_view query, Bytes bytes, std::size_t point_bytes, CountRange expected) {
  const std::size_t count = bytes.size() / point_bytes;
  if (bytes.size() % point_bytes == 0 && count >= expected.least && count <= expected.most) return {};
  const std::string range = expected.least == expected.most
                                ? std::to_string(expected.least)
                                : std::to_string(expected.least) + " to " + std::to_string(expected.most);
  return fail(Code::malformed, Kind::bad_count,
              "query " + std::string(query) + " of the key holds " + std::to_string(bytes.size()) +
                  " bytes, expected " + range + " points of " + std::to_string(point_bytes) + " bytes");
}

template <class C> Status check_counts(const groth16::ProvingKeyView<C>& view) {
  const std::size_t inputs = view.num_public() + 1;
  const std::size_t variables = view.num_variables;
  if (inputs > variables) {
    return fail(Code::malformed, Kind::bad_count, "the key has more public inputs than variables");
  }
  const std::size_t g1 = sizeof(typename C::G1Affine);  // the same in both encodings
  const std::size_t g2 = sizeof(typename C::G2Affine);
  const CountRange dense{variables, variables};
  const std::size_t h = groth16::quotient_size(view.basis, view.domain_size);
  CUZK_CHECK_OK(check_count("a", view.a, g1, view.filtered ? CountRange{inputs, variables} : dense));
  CUZK_CHECK_OK(check_count("b_g1", view.b_g1, g1, view.filtered ? CountRange{0, variables} : dense));
  CUZK_CHECK_OK(check_count("b_g2", view.b_g2, g2, CountRange{view.b_g1.size() / g1, view.b_g1.size() / g1}));
  CUZK_CHECK_OK(check_count("l", view.l, g1, CountRange{variables - inputs, variables - inputs}));
  return check_count("h", view.h, g1, CountRange{h, h});
}

/// Where a query lies: its name, its bytes, and the file that they are part of or null.
struct QueryPlace {
  std::string_view name;
  Bytes bytes;
  const MappedFile* file;
};

/// The error of a point, at its place in the file (in the query when there is none).
Error at_point(const Error& error, const QueryPlace& query, std::size_t index, std::size_t offset) {
  Where where{.file = {}, .section = std::string(query.name), .offset = offset, .expected = {}, .found = {}};
  if (error.where() != nullptr) where.offset += error.where()->offset;
  if (query.file != nullptr) {
    where.file = query.file->path();
    where.offset += static_cast<std::uint64_t>(query.bytes.data() - query.file->bytes().data());
  }
  return Error(error.code(), error.kind(), "point " + std::to_string(index) + ": " + error.message())
      .at(std::move(where));
}

/// All points of a query; the error of the first bad one.
template <class Point>
Result<std::vector<Point>> decode_query(Arena& arena, const QueryPlace& query, Validation validation,
                                        const StopToken& stop, Result<Point> (*decode)(Bytes, Validation)) {
  std::vector<Point> points(query.bytes.size() / sizeof(Point));
  const auto decode_at = [&](std::size_t i) {
    return decode(query.bytes.subspan(i * sizeof(Point), sizeof(Point)), validation);
  };
  const auto bad = parallel_find_first(arena, 0, points.size(), kPointsPerChunk, [&](std::size_t i) {
    if (i % kPointsPerChunk == 0 && stop.stop_requested()) return true;
    const auto point = decode_at(i);
    if (point) points[i] = *point;
    return !point;
  });
  if (query.file != nullptr) query.file->drop(query.bytes);  // its pages are not read again
  CUZK_CHECK_OK(check_stop(stop, "loading a key"));
  if (!bad) return points;
  return fail(at_point(decode_at(*bad).error(), query, *bad, *bad * sizeof(Point)));
}

}  // namespace

template <class C> void CpuKey<C>::use_in_place() noexcept {
  queries_ = {G1Points(view_.a), G1Points(view_.b_g1), G1Points(view_.l), G1Points(view_.h), G2Points(view_.b_g2)};
}

template <class C> Status CpuKey<C>::decode_zcash(Arena& arena, Validation validation, const StopToken& stop) {
  if constexpr (std::is_same_v<C, Bls12_381>) {
    const auto g1 = [&](std::string_view name, Bytes query) {
      return decode_query(arena, {name, query, view_.file}, validation, stop, zcash::decode_g1_uncompressed);
    };
    CUZK_TRY(decoded_.a, g1("a", view_.a));
    CUZK_TRY(decoded_.b_g1, g1("b_g1", view_.b_g1));
    CUZK_TRY(decoded_.l, g1("l", view_.l));
    CUZK_TRY(decoded_.h, g1("h", view_.h));
    CUZK_TRY(decoded_.b_g2,
             decode_query(arena, {"b_g2", view_.b_g2, view_.file}, validation, stop, zcash::decode_g2_uncompressed));
    queries_ = {G1Points(decoded_.a), G1Points(decoded_.b_g1), G1Points(decoded_.l), G1Points(decoded_.h),
                G2Points(decoded_.b_g2)};
    return {};
  } else {
    return fail(Code::unsupported, "the ZCash encoding has no form for " + std::string(C::name));
  }
}

template <class C>
Result<std::shared_ptr<const CpuKey<C>>> CpuKey<C>::load(Arena& arena, const groth16::ProvingKeyView<C>& view,
                                                         Validation validation, const StopToken& stop) {
  CUZK_TRY(auto domain, groth16::quotient_domain<C>(arena, view.domain_size, view.basis, view.roots, stop));
  CUZK_CHECK_OK(check_counts(view));
  std::shared_ptr<CpuKey> key(new CpuKey(view, std::move(domain)));
  if (view.encoding == groth16::PointEncoding::montgomery_le) {
    key->use_in_place();
  } else {
    CUZK_CHECK_OK(key->decode_zcash(arena, validation, stop));
  }
  return key;
}

template class CpuKey<Bn254>;
template class CpuKey<Bls12_381>;

}  // namespace cuzk::backend
