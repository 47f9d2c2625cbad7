#include "filecoin/params/proving_key.h"

#include "groth16/setup.h"

namespace cuzk::filecoin {
namespace {

using G1 = Bls12_381::G1Affine;
using G2 = Bls12_381::G2Affine;

/// Compares counts of one key with those of its circuit.
class Comparison {
 public:
  Comparison(const Circuit& circuit, std::string path) : circuit_(circuit), path_(std::move(path)) {}

  Status expect(std::string_view what, std::uint64_t expected, std::uint64_t found) const {
    if (expected == found) return {};
    return fail(
        Error(Code::malformed, Kind::circuit_mismatch, "not a key of " + circuit_.id() + ": " + std::string(what))
            .at({.file = path_,
                 .section = {},
                 .offset = 0,
                 .expected = std::to_string(expected),
                 .found = std::to_string(found)}));
  }

 private:
  const Circuit& circuit_;
  std::string path_;
};

}  // namespace

Result<ProvingKey> open_proving_key(Arena& arena, const Circuit& circuit, const std::string& folder) {
  const std::string path = key_files(circuit, folder).params;
  auto params = formats::ParamsFile::open(arena, path);
  if (!params && nothing_at(path)) return fail(missing_key(circuit, path));
  if (!params) return fail(std::move(params).error().in_file(path));
  CUZK_CHECK_OK(Comparison(circuit, path).expect("public inputs", circuit.num_public(), params->view().num_public()));
  return ProvingKey{*std::move(params), formats::has_development_marker(path)};
}

Status check_key_fits(const formats::ParamsFile& key, const Circuit& circuit, const CompiledCircuit& compiled) {
  const Comparison compare(circuit, key.source().path());
  const groth16::ProvingKeyView<Bls12_381>& view = key.view();
  const std::size_t inputs = compiled.matrices->num_inputs();
  const r1cs::DensityCounts& dense = compiled.densities;
  CUZK_CHECK_OK(compare.expect("public inputs", compiled.matrices->num_public(), view.num_public()));
  CUZK_CHECK_OK(compare.expect("variables", compiled.matrices->num_variables(), view.num_variables));
  CUZK_CHECK_OK(compare.expect("rows", groth16::domain_size_of(*compiled.matrices), view.domain_size));
  CUZK_CHECK_OK(compare.expect("points of query a", inputs + dense.a_aux, view.a.size() / sizeof(G1)));
  CUZK_CHECK_OK(compare.expect("points of query b_g1", dense.b_inputs + dense.b_aux, view.b_g1.size() / sizeof(G1)));
  return compare.expect("points of query b_g2", dense.b_inputs + dense.b_aux, view.b_g2.size() / sizeof(G2));
}

}  // namespace cuzk::filecoin
