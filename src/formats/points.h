// Points inside files: decoding with the place in the error, and the check of long runs of them by all threads.
//
// A Codec says how a kind of file encodes points: decode(Bytes, tag of G) for both groups, with range, curve and
// subgroup check. Decoders speak of offsets inside a point; here they become offsets in the file. Thread-safety: pure
// functions.
#pragma once

#include <span>
#include <string>

#include "curve/curves.h"
#include "curve/encoding.h"
#include "formats/key_source.h"
#include "support/function_ref.h"
#include "support/parallel.h"
#include "support/progress.h"
#include "support/reader.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::formats {

enum class Identity : std::uint8_t { refused, allowed };

/// Little-endian Montgomery: .zkey.
template <class C> struct SnarkjsCodec {
  template <class G> static constexpr std::size_t point_bytes = sizeof(G);
  static Result<typename C::G1Affine> decode(Bytes in, const typename C::G1Affine*) {
    return snarkjs::decode_g1<C>(in, Validation::subgroup);
  }
  static Result<typename C::G2Affine> decode(Bytes in, const typename C::G2Affine*) {
    return snarkjs::decode_g2<C>(in, Validation::subgroup);
  }
};

/// Uncompressed Zcash points: .params, .vk.
struct ZcashCodec {
  using G1 = Bls12_381::G1Affine;
  using G2 = Bls12_381::G2Affine;
  template <class G> static constexpr std::size_t point_bytes = sizeof(G);
  static_assert(sizeof(G1) == zcash::kG1Uncompressed && sizeof(G2) == zcash::kG2Uncompressed);
  static Result<G1> decode(Bytes in, const G1*) { return zcash::decode_g1_uncompressed(in, Validation::subgroup); }
  static Result<G2> decode(Bytes in, const G2*) { return zcash::decode_g2_uncompressed(in, Validation::subgroup); }
};

/// Compressed Zcash points: proofs.
struct ZcashCompressedCodec {
  using G1 = Bls12_381::G1Affine;
  using G2 = Bls12_381::G2Affine;
  template <class G>
  static constexpr std::size_t point_bytes = std::is_same_v<G, G1> ? zcash::kG1Compressed : zcash::kG2Compressed;
  static Result<G1> decode(Bytes in, const G1*) { return zcash::decode_g1_compressed(in, Validation::subgroup); }
  static Result<G2> decode(Bytes in, const G2*) { return zcash::decode_g2_compressed(in, Validation::subgroup); }
};

/// The same fault, its place moved from inside a point to the file.
Error at_place(Error&& error, std::string section, std::uint64_t point_offset);
Error identity_error(std::string section, std::uint64_t point_offset);

template <class Codec, class G> Result<G> decode_point(Bytes in, Identity identity) {
  Result<G> point = Codec::decode(in, static_cast<const G*>(nullptr));
  if (point && identity == Identity::refused && point->is_identity()) return fail(identity_error({}, 0));
  return point;
}

/// Takes one point; `section` is the name in its error. Cut short: truncated, at the end of the reader's bytes.
template <class Codec, class G>
Result<G> read_point(Reader& in, const std::string& section, Identity identity = Identity::refused) {
  constexpr std::uint64_t kBytes = Codec::template point_bytes<G>;
  const std::uint64_t at = in.offset();
  if (in.remaining() < kBytes) {
    return fail(Reader({}, section)
                    .malformed_at(at + in.remaining(), Kind::truncated, "cut inside a point",
                                  std::to_string(kBytes) + " bytes", std::to_string(in.remaining())));
  }
  CUZK_TRY(const Bytes raw, in.bytes(kBytes, "point"));
  Result<G> point = decode_point<Codec, G>(raw, identity);
  if (!point) return fail(at_place(std::move(point).error(), section, at));
  return point;
}

/// A run of points in a file.
struct PointRun {
  Bytes bytes;
  std::size_t point_bytes;
  std::string section;
  std::uint64_t offset;  // in the file

  std::size_t size() const noexcept { return bytes.size() / point_bytes; }
};

/// bellperson's queries: u32 BE count and as many points. A count that no file of this size could hold is bad_count at
/// the count; otherwise missing bytes mean a cut file: truncated, at its end.
Result<PointRun> read_counted_run(Reader& in, std::string section, std::size_t point_bytes);
template <class G> Result<PointRun> read_counted_run(Reader& in, std::string section) {
  return read_counted_run(in, std::move(section), sizeof(G));
}

/// check(i, bytes of point i), concurrently; the error of the first bad point, placed. Progress counts bytes.
/// `mapped` (may be null): pages behind the check are given back, so that the run may be larger than memory.
Status check_run(Arena& arena, const PointRun& run, FunctionRef<Status(std::size_t, Bytes)> check,
                 const MappedFile* mapped = nullptr, ProgressRef progress = {}, const StopToken& stop = {});

/// Every point of the run, decoded completely and thrown away.
template <class Codec, class G>
Status check_points_of(Arena& arena, const PointRun& run, Identity identity, const MappedFile* mapped,
                       ProgressRef progress, const StopToken& stop) {
  const auto check = [identity](std::size_t, Bytes point) -> Status {
    CUZK_CHECK_OK(decode_point<Codec, G>(point, identity));
    return {};
  };
  return check_run(arena, run, check, mapped, progress, stop);
}

/// Every point of the run; out.size() == run.size().
template <class Codec, class G>
Status decode_run(Arena& arena, const PointRun& run, Identity identity, std::span<G> out) {
  const auto check = [identity, out](std::size_t i, Bytes point) -> Status {
    CUZK_TRY(out[i], decode_point<Codec, G>(point, identity));
    return {};
  };
  return check_run(arena, run, check);
}

}  // namespace cuzk::formats
