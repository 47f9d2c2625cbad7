// Records a circuit into a circuit file, re-opens it, and prints what is in it and what it took, as JSON. The digest is
// the file's own, computed from it re-opened; that is most of the time to save it.
//
//   record_circuit CIRCUIT-ID FILE
//
// Circuit ids: "porep-32g", "winning-2k", "wpost-8m", "snap-64g", ... Memory: the distinct pieces, tens of megabytes.
#include <cstdio>
#include <filesystem>

#include "filecoin/circuits/circuit.h"
#include "filecoin/registry.h"
#include "r1cs/circuit_file.h"
#include "r1cs/density.h"
#include "r1cs/recording_system.h"
#include "support/hex.h"
#include "timer.h"

namespace {

using namespace cuzk;
using Fr = bls12_381::Fr;

void print_file(JsonWriter& json, const r1cs::CircuitFile<Fr>& file) {
  const auto& circuit = *file.circuit;
  const auto non_zeros = circuit.non_zeros();
  json.key("num_inputs").integer(circuit.num_inputs()).key("num_aux").integer(circuit.num_aux());
  json.key("num_constraints").integer(circuit.num_constraints());
  json.key("nonzeros").begin_object();
  json.key("a").integer(non_zeros.a).key("b").integer(non_zeros.b).key("c").integer(non_zeros.c).end_object();
  json.key("dense_a_aux").integer(file.densities.a_aux).key("dense_b_inputs").integer(file.densities.b_inputs);
  json.key("dense_b_aux").integer(file.densities.b_aux);
  json.key("matrices_sha256").string(encode_hex(file.matrices_sha256));
  const auto& parts = circuit.parts();
  json.key("pieces").integer(parts.pieces.size()).key("placements").integer(parts.placements.size());
  json.key("stored_terms").integer(parts.terms.size()).key("ports").integer(parts.ports.size());
  json.key("coefficients").integer(parts.coefficients.size());
}

/// Bits [first, first + count) as bytes, bit i at bit i % 8 of byte i / 8: what reference vectors hash.
std::string bitmap_sha256(const r1cs::Bitmap& map, std::size_t first, std::size_t count) {
  std::vector<std::byte> bytes((count + 7) / 8);
  for (std::size_t i = 0; i < count; ++i) {
    if (map.test(first + i)) bytes[i / 8] |= std::byte{1} << static_cast<int>(i % 8);
  }
  return encode_hex(sha256(bytes));
}

void print_densities(JsonWriter& json, const r1cs::BlockCircuit<Fr>& circuit) {
  const r1cs::DensityMaps maps = r1cs::density_maps<Fr>(circuit);
  json.key("density_bitmaps_sha256").begin_object();
  json.key("a_aux").string(bitmap_sha256(maps.a, circuit.num_inputs(), circuit.num_aux()));
  json.key("b_input").string(bitmap_sha256(maps.b, 0, circuit.num_inputs()));
  json.key("b_aux").string(bitmap_sha256(maps.b, circuit.num_inputs(), circuit.num_aux())).end_object();
}

Status record_to(const filecoin::Circuit& circuit, const char* path, JsonWriter& json) {
  Timer timer;
  const filecoin::OwnedInstance blank = filecoin::blank_instance(circuit);
  r1cs::RecordingSystem<Fr> cs;
  filecoin::synthesize(cs, blank.instance);
  const auto recorded = std::move(cs).finish();
  timer.print(json, "record");
  json.key("record_peak_mib").real(peak_mebibytes());
  timer = Timer();
  CUZK_CHECK_OK(r1cs::save_circuit<Fr>(path, circuit.id(), recorded));
  timer.print(json, "save");
  return {};
}

Status record(const char* id, const char* path) {
  CUZK_TRY(const filecoin::Circuit circuit, filecoin::find_circuit(id));
  JsonWriter json;
  json.begin_object().key("circuit").string(id);
  CUZK_CHECK_OK(record_to(circuit, path, json));
  const Timer timer;
  CUZK_TRY(const auto file, r1cs::open_circuit<Fr>(path));
  timer.print(json, "open");
  json.key("file_bytes").integer(std::filesystem::file_size(path));
  print_file(json, file);
  print_densities(json, *file.circuit);
  json.key("peak_mib").real(peak_mebibytes()).end_object();
  std::printf("%s\n", json.take().c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CIRCUIT-ID FILE\n", argv[0]);
    return 2;
  }
  const Status done = record(argv[1], argv[2]);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
  return exit_status(done.error().code());
}
