#include <optional>

#include "backend/cpu/cpu_backend.h"
#include "backend/prover.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output_files.h"
#include "cli/proving.h"
#include "formats/bellperson_params.h"
#include "formats/bellperson_proof.h"
#include "formats/r1cs_file.h"
#include "formats/snarkjs_json.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "support/clock.h"

namespace cuzk::cli {
namespace {

using formats::FileKind;

/// A key of either format, opened and checked as far as the options ask.
template <class C>
Result<groth16::ProvingKeyView<C>> open_key(const ProveOptions& options, FileKind kind, Arena& arena, Report& report) {
  if constexpr (std::is_same_v<C, Bls12_381>) {
    if (kind == FileKind::bellperson_params) {
      CUZK_TRY(const auto params, formats::ParamsFile::open(arena, options.key, formats::ParamsTail::zcash_transcript));
      if (formats::has_development_marker(options.key)) warn_development(options.key);
      if (options.check_key) CUZK_CHECK_OK(params.check_points(arena, report.progress()));
      return params.view();
    }
  }
  CUZK_TRY(const auto zkey, formats::ZkeyFile<C>::open(arena, options.key));
  if (zkey.is_development()) warn_development(options.key);
  if (options.check_key) CUZK_CHECK_OK(zkey.check_points(arena, report.progress()));
  return zkey.view();
}

template <class C> Result<std::shared_ptr<const r1cs::Witness>> read_witness(const std::string& path) {
  CUZK_TRY(const MappedFile file, open_input(path));
  CUZK_TRY(auto witness, in_file(path, formats::read_wtns<C>(file.bytes())));
  return std::make_shared<const r1cs::Witness>(std::move(witness));
}

template <class C> using CircuitPtr = std::shared_ptr<const r1cs::CompiledCircuit<typename C::Fr>>;

/// Null when no circuit was given.
template <class C> Result<CircuitPtr<C>> read_circuit(const ProveOptions& options, FileKind key_kind, Report& report) {
  if (options.r1cs.empty()) {
    if (key_kind == FileKind::zkey) return CircuitPtr<C>();
    return fail(Code::invalid_argument, "a .params key does not hold its circuit: give it with --r1cs");
  }
  CUZK_TRY(const MappedFile file, open_input(options.r1cs));
  CUZK_TRY(auto circuit, in_file(options.r1cs, formats::read_r1cs<C>(file.bytes(), report.progress())));
  return std::make_shared<const r1cs::RowCircuit<typename C::Fr>>(std::move(circuit));
}

template <class C>
std::vector<std::byte> encode_proof(const ProveOptions& options, FileKind key_kind, const groth16::Proof<C>& proof) {
  if constexpr (std::is_same_v<C, Bls12_381>) {
    if (key_kind == FileKind::bellperson_params && !options.proof.ends_with(".json"))
      return formats::write_bellperson_proof(proof);
  }
  const std::string text = formats::write_proof_json(proof);
  const Bytes bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

template <class C> Status prove_on(const ProveOptions& options, FileKind kind, Arena& arena, Report& report) {
  Phases phases;
  CUZK_TRY(OutputFiles outputs, OutputFiles::open(options.proof, options.public_inputs));
  CUZK_TRY(const groth16::ProvingKeyView<C> view, open_key<C>(options, kind, arena, report));
  CUZK_CHECK_OK(check_security(options.key, view.vk, options.allow_insecure_key));
  backend::CpuBackend<C> backend(arena, {.drop_pages = true});  // one proof: every page of the key is used once
  const groth16::PreparedVerifyingKey<C> verifying_key(view.vk);
  backend::ProvingContext<C> context{
      .key = nullptr, .circuit = nullptr, .verifying_key = verifying_key, .compiled = nullptr};
  CUZK_TRY(context.key, backend.load_key(view));
  phases.end("key");

  CUZK_TRY(const auto witness, read_witness<C>(options.witness));
  CUZK_TRY(const CircuitPtr<C> circuit, read_circuit<C>(options, kind, report));
  if (circuit != nullptr) {
    context.compiled = circuit.get();
    CUZK_TRY(context.circuit, backend.load_circuit(circuit));
  }
  phases.end("witness");

  CUZK_TRY(auto blinding, backend::Blinding<C>::random());
  auto proved = backend::prove_verified<C>(
      arena, backend, context,
      {.witness = witness, .blinding = std::move(blinding), .stop = {}, .progress = report.progress()});
  if (!proved) {
    Error error = std::move(proved).error();
    if (error.kind() == Kind::not_in_subgroup) return fail(std::move(error).in_file(options.key));
    const bool unexplained = error.kind() == Kind::invalid_proof && options.r1cs.empty();
    if (unexplained) error = std::move(error).context("with --r1cs FILE the first unsatisfied constraint is named");
    return fail(std::move(error).in_file(options.witness));
  }
  phases.end("prove");

  const std::size_t num_public = view.num_public();
  CUZK_CHECK_OK(outputs.write(encode_proof<C>(options, kind, *proved),
                              formats::write_public_json(witness->public_inputs(num_public))));
  phases.end("write");

  report.say("proved and verified: " + std::to_string(view.num_variables) + " variables, " +
             std::to_string(num_public) + " public inputs, domain " + std::to_string(view.domain_size) + ", " +
             std::string(C::name) + ", " + human_seconds(phases.total()) + " (" + phases.text() + ")");
  JsonWriter json;
  json.begin_object().key("proved").boolean(true).key("curve").string(C::name);
  json.key("num_variables").integer(view.num_variables).key("num_public").integer(num_public);
  json.key("domain_size").integer(view.domain_size);
  json.key("proof").string(options.proof).key("public").string(options.public_inputs);
  phases.write(json.key("phases"));
  json.key("peak_resident_bytes")
      .integer(peak_resident_bytes())
      .key("cpu_seconds")
      .real(static_cast<double>(process_cpu_ns()) * 1e-9);
  json.end_object();
  report.result(std::move(json));
  return {};
}

Result<CurveId> curve_of_key(const MappedFile& file, FileKind kind) {
  if (kind == FileKind::bellperson_params) return CurveId::bls12_381;
  if (kind != FileKind::zkey)
    return fail(Error(Code::unsupported, "not a proving key")
                    .at({.file = file.path(),
                         .section = {},
                         .offset = 0,
                         .expected = ".zkey or .params",
                         .found = std::string(formats::to_string(kind))}));
  CUZK_TRY(const auto header, in_file(file.path(), formats::read_zkey_header(file.bytes())));
  return header.curve;
}

}  // namespace

Status prove(const ProveOptions& options, Arena& arena, Report& report) {
  CUZK_CHECK_OK(check_distinct({options.key, options.witness, options.r1cs}, {options.proof, options.public_inputs}));
  if (is_standard_output(options.proof) || is_standard_output(options.public_inputs)) report.leave_standard_output();
  FileKind kind{};
  CurveId curve{};
  {
    CUZK_TRY(const MappedFile file, open_input(options.key));
    CUZK_TRY(kind, kind_of(file));
    CUZK_TRY(curve, curve_of_key(file, kind));
  }
  return with_curve(curve, [&]<class C>() { return prove_on<C>(options, kind, arena, report); });
}

}  // namespace cuzk::cli
