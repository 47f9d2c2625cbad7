#include "formats/bellperson_params_writer.h"

#include <algorithm>
#include <limits>

#include <sys/stat.h>

#include "curve/encoding.h"
#include "formats/bellperson_vk.h"
#include "groth16/quotient.h"
#include "groth16/setup.h"
#include "support/hex.h"
#include "support/json_writer.h"

namespace cuzk::formats {

namespace {

using G1 = Bls12_381::G1Affine;
using G2 = Bls12_381::G2Affine;
using Key = groth16::ProvingKey<Bls12_381>;

constexpr std::size_t kPointsPerChunk = 1024;  // encoding: 150 ns each
constexpr std::string_view kMarkerSuffix = ".dev.json";
constexpr std::string_view kWarning = "cuzk development key: trapdoor known, never for production";

void encode(const G1& point, MutableBytes out) noexcept { zcash::encode_g1_uncompressed(point, out); }
void encode(const G2& point, MutableBytes out) noexcept { zcash::encode_g2_uncompressed(point, out); }

/// A key in memory as the sink's calls.
class KeyReplay {
 public:
  KeyReplay(const Key& key, ParamsWriter& writer) : key_(key), writer_(writer) {}

  Status run() {
    using groth16::KeyQuery;
    CUZK_CHECK_OK(
        writer_.begin({key_.num_variables, key_.num_public(), key_.domain_size, key_.basis, key_.roots}, key_.vk));
    CUZK_CHECK_OK(query(KeyQuery::h, key_.h));
    CUZK_CHECK_OK(query(KeyQuery::l, key_.l));
    CUZK_CHECK_OK(query(KeyQuery::a, key_.a));
    CUZK_CHECK_OK(query(KeyQuery::b_g1, key_.b_g1));
    return query(KeyQuery::b_g2, key_.b_g2);
  }

 private:
  template <class G> Status query(groth16::KeyQuery name, const std::vector<G>& points) {
    std::vector<std::uint32_t> positions;
    std::vector<G> finite;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].is_identity()) continue;
      positions.push_back(static_cast<std::uint32_t>(i));
      finite.push_back(points[i]);
    }
    CUZK_CHECK_OK(writer_.begin_query(name, points.size(), finite.size()));
    return writer_.append(positions, std::span<const G>(finite));
  }

  const Key& key_;
  ParamsWriter& writer_;
};

Status check_key(const Key& key) {
  const std::size_t m = key.num_variables, inputs = key.vk.ic.size();
  if (inputs == 0 || inputs > m || key.a.size() != m || key.b_g1.size() != m || key.b_g2.size() != m ||
      key.l.size() != m - inputs || key.h.size() != groth16::quotient_size(key.basis, key.domain_size)) {
    return fail(Code::invalid_argument, "the key's queries do not fit its number of variables");
  }
  return {};
}

Status unconstrained() {
  return fail(Code::unsupported,
              "a variable occurs in no constraint: its point is the identity, which a .params file does not hold");
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

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

std::uint64_t params_bytes(const r1cs::CompiledCircuit<Bls12_381::Fr>& circuit, const r1cs::DensityCounts& dense) {
  constexpr std::uint64_t kQueryCounts = 5 * sizeof(std::uint32_t);
  const std::uint64_t h =
      groth16::quotient_size(groth16::QuotientBasis::coset_monomials, groth16::domain_size_of(circuit));
  const std::uint64_t a = circuit.num_inputs() + dense.a_aux;
  const std::uint64_t b = dense.b_inputs + dense.b_aux;
  const std::uint64_t g1 = circuit.num_inputs() + h + circuit.num_aux() + a + b;
  return kBellpersonVkFixedBytes + kQueryCounts + g1 * sizeof(G1) + b * sizeof(G2);
}

Result<ParamsWriter> ParamsWriter::create(Arena& arena, const std::string& path, KeyOrigin origin) {
  CUZK_TRY(AtomicFile file, AtomicFile::create(path));
  return ParamsWriter(arena, path, origin, std::move(file));
}

Status ParamsWriter::begin(const groth16::KeyShape& shape, const groth16::VerifyingKey<Bls12_381>& vk) {
  if (shape.basis != groth16::QuotientBasis::coset_monomials || shape.roots != RootFamily::bellperson) {
    return fail(Code::invalid_argument,
                "a .params file holds the quotient in the coset-monomial basis with bellperson's roots of unity");
  }
  if (std::max(shape.num_variables, shape.domain_size) > std::size_t{std::numeric_limits<std::uint32_t>::max()}) {
    return fail(Code::unsupported, "a .params file counts points in 32 bits");
  }
  if (std::any_of(vk.ic.begin(), vk.ic.end(), [](const G1& point) { return point.is_identity(); })) {
    return unconstrained();
  }
  shape_ = shape;
  vk_ = vk;
  return file_.append(write_bellperson_vk(vk));
}

Status ParamsWriter::begin_query(groth16::KeyQuery query, std::size_t size, std::size_t finite) {
  CUZK_REQUIRE(missing_ == 0);
  const bool filtered = query != groth16::KeyQuery::h && query != groth16::KeyQuery::l;
  if (!filtered && finite != size) return unconstrained();
  missing_ = finite;
  std::byte count[sizeof(std::uint32_t)];
  store_be(count, static_cast<std::uint32_t>(finite));
  return file_.append(count);
}

template <class G> Status ParamsWriter::append_points(std::span<const G> points) {
  CUZK_REQUIRE(points.size() <= missing_);
  missing_ -= points.size();
  buffer_.resize(points.size() * sizeof(G));
  parallel_for(*arena_, 0, points.size(), kPointsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      encode(points[i], MutableBytes(buffer_).subspan(i * sizeof(G), sizeof(G)));
    }
  });
  return file_.append(buffer_);
}

Status ParamsWriter::append(std::span<const std::uint32_t>, std::span<const G1> points) {
  return append_points(points);
}
Status ParamsWriter::append(std::span<const std::uint32_t>, std::span<const G2> points) {
  return append_points(points);
}

Status ParamsWriter::write_marker() const {
  JsonWriter json(JsonWriter::Style::indented);
  json.begin_object();
  json.key("warning").string(kWarning);
  json.key("file").string(file_name(path_));
  json.key("verifying_key_sha256").string(encode_hex(groth16::digest(vk_)));
  json.end_object();
  return write_file_atomically(development_marker_path(path_), text_bytes(json.take() + "\n"));
}

Status ParamsWriter::commit() {
  CUZK_REQUIRE(missing_ == 0);
  CUZK_CHECK_OK(file_.settle());
  // The marker goes first: no moment in which the key lies there unmarked.
  if (origin_ == KeyOrigin::development) CUZK_CHECK_OK(write_marker());
  return file_.commit();
}

Status write_params(const std::string& path, const Key& key, KeyOrigin origin) {
  CUZK_CHECK_OK(check_key(key));
  Arena arena(1);
  CUZK_TRY(ParamsWriter writer, ParamsWriter::create(arena, path, origin));
  CUZK_CHECK_OK(KeyReplay(key, writer).run());
  return writer.commit();
}

}  // namespace cuzk::formats
