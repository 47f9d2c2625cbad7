// Writing of .params files and of the marker beside development keys; the reader is bellperson_params.cpp.
#include <algorithm>
#include <limits>

#include <sys/stat.h>

#include "curve/encoding.h"
#include "formats/bellperson_params.h"
#include "formats/bellperson_vk.h"
#include "support/atomic_file.h"
#include "support/hex.h"
#include "support/json_writer.h"

namespace cuzk::formats {

namespace {

using G1 = Bls12_381::G1Affine;
using G2 = Bls12_381::G2Affine;
using Key = groth16::ProvingKey<Bls12_381>;

constexpr std::string_view kMarkerSuffix = ".dev.json";
constexpr std::string_view kWarning = "cuzk development key: trapdoor known, never for production";

void encode(const G1& point, MutableBytes out) noexcept { zcash::encode_g1_uncompressed(point, out); }
void encode(const G2& point, MutableBytes out) noexcept { zcash::encode_g2_uncompressed(point, out); }

template <class G> std::size_t count_finite(const std::vector<G>& points) {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const G& p) { return !p.is_identity(); }));
}

/// A query: the count and the points, identities left out.
template <class G> Status write_query(AtomicFile& out, const std::vector<G>& points) {
  std::byte raw[sizeof(G)];
  store_be(raw, static_cast<std::uint32_t>(count_finite(points)));
  CUZK_CHECK_OK(out.append(std::span(raw).first(sizeof(std::uint32_t))));
  for (const G& point : points) {
    if (point.is_identity()) continue;
    encode(point, raw);
    CUZK_CHECK_OK(out.append(raw));
  }
  return {};
}

Status check_key(const Key& key) {
  if (key.basis != groth16::QuotientBasis::coset_monomials || key.roots != RootFamily::bellperson) {
    return fail(Code::invalid_argument,
                "a .params file holds the quotient in the coset-monomial basis with bellperson's roots of unity");
  }
  const std::size_t m = key.num_variables, inputs = key.vk.ic.size();
  if (key.a.size() != m || key.b_g1.size() != m || key.b_g2.size() != m || key.l.size() != m - inputs ||
      key.h.size() + 1 != key.domain_size) {
    return fail(Code::invalid_argument, "the key's queries do not fit its number of variables");
  }
  if (m > std::numeric_limits<std::uint32_t>::max() || key.h.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(Code::unsupported, "a .params file counts points in 32 bits");
  }
  if (count_finite(key.l) != key.l.size() || count_finite(key.vk.ic) != inputs) {
    return fail(Code::unsupported,
                "a variable occurs in no constraint: its point is the identity, which a .params "
                "file does not hold");
  }
  return {};
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

Status write_marker(const std::string& path, const Key& key) {
  JsonWriter json(JsonWriter::Style::indented);
  json.begin_object();
  json.key("warning").string(kWarning);
  json.key("file").string(file_name(path));
  json.key("verifying_key_sha256").string(encode_hex(groth16::digest(key.vk)));
  json.end_object();
  return write_file_atomically(development_marker_path(path), text_bytes(json.take() + "\n"));
}

}  // namespace

std::string development_marker_path(const std::string& params_path) {
  const std::size_t name = params_path.find_last_of('/') + 1;  // 0 without a folder
  const std::size_t dot = params_path.find_last_of('.');
  const bool has_extension = dot != std::string::npos && dot > name;
  return params_path.substr(0, has_extension ? dot : params_path.size()) + std::string(kMarkerSuffix);
}

bool has_development_marker(const std::string& params_path) {
  struct stat status{};
  return ::stat(development_marker_path(params_path).c_str(), &status) == 0;
}

Status write_params(const std::string& path, const Key& key, KeyOrigin origin) {
  CUZK_CHECK_OK(check_key(key));
  // The marker goes first: no moment in which the key lies there unmarked.
  if (origin == KeyOrigin::development) CUZK_CHECK_OK(write_marker(path, key));
  CUZK_TRY(AtomicFile out, AtomicFile::create(path));
  CUZK_CHECK_OK(out.append(write_bellperson_vk(key.vk)));
  CUZK_CHECK_OK(write_query(out, key.h));
  CUZK_CHECK_OK(write_query(out, key.l));
  CUZK_CHECK_OK(write_query(out, key.a));
  CUZK_CHECK_OK(write_query(out, key.b_g1));
  CUZK_CHECK_OK(write_query(out, key.b_g2));
  return out.commit();
}

}  // namespace cuzk::formats
