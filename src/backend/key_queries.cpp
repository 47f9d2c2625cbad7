#include "backend/key_queries.h"

#include "curve/encoding_batch.h"
#include "groth16/quotient.h"
#include "support/parallel_copy.h"
#include "support/parallel_find.h"

namespace cuzk::backend {

namespace {

constexpr std::size_t kPointsPerBlock = 256;  // some 20 us with the curve equation, where there are lanes
constexpr std::size_t kBlocksPerChunk = 2;    // of 8 MiB that cross at once, enough chunks for many cores

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

template <class Point> Result<Point> decode_zcash(Bytes bytes, Validation validation) {
  if constexpr (std::is_same_v<Point, Bls12_381::G1Affine>) {
    return zcash::decode_g1_uncompressed(bytes, validation);
  } else if constexpr (std::is_same_v<Point, Bls12_381::G2Affine>) {
    return zcash::decode_g2_uncompressed(bytes, validation);
  } else {
    return fail(Code::unsupported, "the ZCash encoding is one of BLS12-381 alone");
  }
}

/// The index of the first point that is refused; their number where none is.
template <class Point> std::size_t decode_block(Bytes bytes, std::span<Point> to, Validation validation) {
  if constexpr (std::is_same_v<Point, Bls12_381::G1Affine>) {
    return zcash::decode_g1_uncompressed_n(bytes, to, validation);
  } else if constexpr (std::is_same_v<Point, Bls12_381::G2Affine>) {
    return zcash::decode_g2_uncompressed_n(bytes, to, validation);
  } else {
    return 0;
  }
}

template <class Point>
Status decode_points(Arena& arena, const QueryPlace& query, std::size_t first, std::span<Point> to,
                     Validation validation, const StopToken& stop) {
  const auto bytes_at = [&](std::size_t i, std::size_t count) {
    return query.bytes.subspan((first + i) * sizeof(Point), count * sizeof(Point));
  };
  const auto refused_of = [&](std::size_t block) -> std::optional<std::size_t> {
    const std::size_t begin = block * kPointsPerBlock;
    const std::span<Point> part = to.subspan(begin, std::min(kPointsPerBlock, to.size() - begin));
    const std::size_t done = decode_block(bytes_at(begin, part.size()), part, validation);
    return done < part.size() ? std::optional(begin + done) : std::nullopt;
  };
  const std::size_t blocks = (to.size() + kPointsPerBlock - 1) / kPointsPerBlock;
  const auto bad = parallel_find_first(arena, 0, blocks, kBlocksPerChunk, [&](std::size_t block) {
    return stop.stop_requested() || refused_of(block).has_value();
  });
  CUZK_CHECK_OK(check_stop(stop, "loading a key"));
  if (!bad) return {};
  const std::size_t index = refused_of(*bad).value_or(*bad * kPointsPerBlock);
  const auto point = decode_zcash<Point>(bytes_at(index, 1), validation);
  if (point) return fail(Code::unavailable, "the key's bytes changed while they were read");
  return fail(at_point(point.error(), query, first + index, (first + index) * sizeof(Point)));
}

}  // namespace

template <class C> Status check_queries(const groth16::ProvingKeyView<C>& view) {
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
  CUZK_CHECK_OK(check_count("h", view.h, g1, CountRange{h, h}));
  if (view.encoding == groth16::PointEncoding::zcash_uncompressed && !std::is_same_v<C, Bls12_381>) {
    return fail(Code::unsupported, "the ZCash encoding has no form for " + std::string(C::name));
  }
  return {};
}

template <class Point>
Status read_points(Arena& arena, const QueryPlace& query, std::size_t first, std::span<Point> to, Validation validation,
                   const StopToken& stop) {
  Status done;
  const Bytes from = query.bytes.subspan(first * sizeof(Point), to.size_bytes());
  if (query.encoding == groth16::PointEncoding::zcash_uncompressed) {
    done = decode_points(arena, query, first, to, validation, stop);
  } else {
    parallel_copy(arena, std::as_writable_bytes(to), from);
    done = check_stop(stop, "loading a key");
  }
  if (query.file != nullptr) query.file->drop(from);  // its pages are not read again
  return done;
}

template Status check_queries(const groth16::ProvingKeyView<Bn254>&);
template Status check_queries(const groth16::ProvingKeyView<Bls12_381>&);
#define CUZK_INSTANTIATE(Point)                                                                            \
  template Status read_points<Point>(Arena&, const QueryPlace&, std::size_t, std::span<Point>, Validation, \
                                     const StopToken&);
CUZK_INSTANTIATE(Bn254::G1Affine)
CUZK_INSTANTIATE(Bn254::G2Affine)
CUZK_INSTANTIATE(Bls12_381::G1Affine)
CUZK_INSTANTIATE(Bls12_381::G2Affine)

}  // namespace cuzk::backend
