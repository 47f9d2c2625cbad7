#include "filecoin/params/compiled_circuit.h"

#include "filecoin/circuits/circuit.h"
#include "filecoin/params/key_files.h"
#include "r1cs/recording_system.h"

namespace cuzk::filecoin {
namespace {

using Fr = bls12_381::Fr;

Result<r1cs::BlockCircuit<Fr>> record(const Circuit& circuit, ProgressRef progress, const StopToken& stop) {
  progress.begin("recording the circuit " + circuit.id());
  const OwnedInstance blank = blank_instance(circuit);
  r1cs::RecordingSystem<Fr> recorder;
  synthesize(recorder, blank.instance, stop);
  progress.end();
  CUZK_CHECK_OK(check_stop(stop, "recording the circuit " + circuit.id()));
  return std::move(recorder).finish();
}

/// What is kept is only a copy of what can be made again.
Error damaged(Error&& error) {
  if (error.code() != Code::malformed) return std::move(error);
  return std::move(error).context("remove the file and the circuit is recorded again");
}

Result<CompiledCircuit> from_file(const Circuit& circuit, const std::string& path, r1cs::CircuitFile<Fr> file) {
  if (file.label != circuit.id()) {
    return fail(
        damaged(Error(Code::malformed, Kind::circuit_mismatch, "a compiled circuit under another's name")
                    .at({.file = path, .section = {}, .offset = 0, .expected = circuit.id(), .found = file.label})));
  }
  return CompiledCircuit{std::move(file.circuit), file.densities};
}

CompiledCircuit with_densities(r1cs::BlockCircuit<Fr> recorded) {
  auto matrices = std::make_shared<const r1cs::BlockCircuit<Fr>>(std::move(recorded));
  const r1cs::DensityCounts densities = r1cs::density_counts(*matrices);
  return {std::move(matrices), densities};
}

}  // namespace

CompiledCircuit record_circuit(const Circuit& circuit, ProgressRef progress) {
  return with_densities(*record(circuit, progress, {}));
}

std::string circuit_path(const Circuit& circuit, const std::string& folder) {
  return folder + "/" + circuit.id() + ".circuit";
}

Result<CompiledCircuit> compiled_circuit(const Circuit& circuit, const std::string& folder, ProgressRef progress,
                                         const StopToken& stop) {
  if (folder.empty()) {
    CUZK_TRY(auto recorded, record(circuit, progress, stop));
    return with_densities(std::move(recorded));
  }
  const std::string path = circuit_path(circuit, folder);
  auto file = r1cs::open_circuit<Fr>(path);
  if (!file && nothing_at(path)) {
    CUZK_TRY(const auto recorded, record(circuit, progress, stop));
    file = r1cs::save_circuit(path, circuit.id(), recorded, progress, stop);
  }
  if (!file) return fail(damaged(std::move(file).error().in_file(path)));
  return from_file(circuit, path, *std::move(file));
}

}  // namespace cuzk::filecoin
