#include "formats/bellperson_vk.h"

#include "formats/points.h"

namespace cuzk::formats {

namespace {

using G1 = Bls12_381::G1Affine;
using G2 = Bls12_381::G2Affine;
using VerifyingKey = groth16::VerifyingKey<Bls12_381>;

Result<VerifyingKey> read_fixed_points(Reader& in) {
  VerifyingKey vk;
  CUZK_TRY(vk.alpha_g1, read_point<ZcashCodec, G1>(in, "alpha_g1"));
  CUZK_TRY(vk.beta_g1, read_point<ZcashCodec, G1>(in, "beta_g1"));
  CUZK_TRY(vk.beta_g2, read_point<ZcashCodec, G2>(in, "beta_g2"));
  CUZK_TRY(vk.gamma_g2, read_point<ZcashCodec, G2>(in, "gamma_g2"));
  CUZK_TRY(vk.delta_g1, read_point<ZcashCodec, G1>(in, "delta_g1"));
  CUZK_TRY(vk.delta_g2, read_point<ZcashCodec, G2>(in, "delta_g2"));
  return vk;
}

Status read_ic(Arena& arena, const PointRun& run, VerifyingKey& vk) {
  if (run.size() == 0) {
    return fail(Reader({}, run.section)
                    .malformed_at(run.offset - sizeof(std::uint32_t), Kind::bad_count,
                                  "ic begins with the point of ONE", ">= 1", "0"));
  }
  vk.ic.resize(run.size());
  return decode_run<ZcashCodec, G1>(arena, run, Identity::refused, std::span(vk.ic));
}

/// A file of a .vk's form with a wrong count is told from one that was cut by its length: whole points or not.
Status check_file_size(Bytes file) {
  if (file.size() < kBellpersonVkFixedBytes) return {};  // reading says where it ends
  const std::uint64_t rest = file.size() - kBellpersonVkFixedBytes;
  constexpr std::uint64_t kCountAt = kBellpersonVkFixedBytes - sizeof(std::uint32_t);
  const std::uint64_t count = load_be<std::uint32_t>(file.data() + kCountAt);
  if (rest % sizeof(G1) == 0 && rest / sizeof(G1) < count) {
    return fail(Reader({}, "ic").malformed_at(kCountAt, Kind::bad_count, "more ic points announced than there are",
                                              std::to_string(rest / sizeof(G1)), std::to_string(count)));
  }
  return {};
}

void append_g1(std::vector<std::byte>& out, const G1& point) {
  out.resize(out.size() + sizeof point);
  zcash::encode_g1_uncompressed(point, std::span(out).last(sizeof point));
}

void append_g2(std::vector<std::byte>& out, const G2& point) {
  out.resize(out.size() + sizeof point);
  zcash::encode_g2_uncompressed(point, std::span(out).last(sizeof point));
}

}  // namespace

Result<VerifyingKey> read_bellperson_vk_prefix(Arena& arena, Reader& in) {
  CUZK_TRY(VerifyingKey vk, read_fixed_points(in));
  CUZK_TRY(const PointRun ic, read_counted_run<G1>(in, "ic"));
  CUZK_CHECK_OK(read_ic(arena, ic, vk));
  return vk;
}

Result<VerifyingKey> read_bellperson_vk(Arena& arena, Bytes file) {
  CUZK_CHECK_OK(check_file_size(file));
  Reader in(file, "");
  CUZK_TRY(VerifyingKey vk, read_bellperson_vk_prefix(arena, in));
  CUZK_CHECK_OK(in.expect_end());
  return vk;
}

std::vector<std::byte> write_bellperson_vk(const VerifyingKey& key) {
  std::vector<std::byte> out;
  out.reserve(kBellpersonVkFixedBytes + key.ic.size() * sizeof(G1));
  append_g1(out, key.alpha_g1);
  append_g1(out, key.beta_g1);
  append_g2(out, key.beta_g2);
  append_g2(out, key.gamma_g2);
  append_g1(out, key.delta_g1);
  append_g2(out, key.delta_g2);
  out.resize(out.size() + sizeof(std::uint32_t));
  store_be(out.data() + out.size() - sizeof(std::uint32_t), static_cast<std::uint32_t>(key.ic.size()));
  for (const G1& point : key.ic) append_g1(out, point);
  return out;
}

}  // namespace cuzk::formats
