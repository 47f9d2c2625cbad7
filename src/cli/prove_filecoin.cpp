#include "backend/cpu/cpu_backend.h"
#include "backend/prover.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/proving.h"
#include "filecoin/params/proving_key.h"
#include "filecoin/proof_request.h"
#include "filecoin/verify/statement_json.h"
#include "filecoin/wire/c1_json.h"
#include "filecoin/wire/vanilla_list.h"
#include "formats/bellperson_proof.h"
#include "formats/scalars_json.h"
#include "support/atomic_file.h"

namespace cuzk::cli {
namespace {

using Curve = Bls12_381;
using Proof = groth16::Proof<Curve>;
using filecoin::ProofKind;
using filecoin::ProofRequest;

/// Decodes and checks what is asked for.
class RequestReader {
 public:
  RequestReader(const ProveFilecoinOptions& options, Arena& arena, ProgressRef progress)
      : options_(options), arena_(arena), progress_(progress), kind_(kind_from(options.kind)) {}

  Result<ProofRequest> read() {
    CUZK_TRY(const MappedFile file, open_input(options_.vanilla));
    CUZK_TRY(const auto statement, read_statement());
    return in_file(options_.vanilla, read_request(text_of(file), statement));
  }

 private:
  static ProofKind kind_from(std::string_view name) {
    const auto kind = filecoin::proof_kind_from(name);
    CUZK_REQUIRE(kind.has_value());  // the parser took no other names
    return *kind;
  }

  Result<std::optional<filecoin::Statement>> read_statement() const {
    if (options_.public_data.empty()) {
      if (kind_ == ProofKind::porep) return std::optional<filecoin::Statement>();
      return fail(Code::invalid_argument, "a proof of kind " + options_.kind + " needs its public data: --public FILE");
    }
    CUZK_TRY(const MappedFile file, open_input(options_.public_data));
    CUZK_TRY(auto statement, in_file(options_.public_data, filecoin::read_statement_json(kind_, text_of(file))));
    return std::optional(std::move(statement));
  }

  Result<ProofRequest> read_request(std::string_view vanilla, const std::optional<filecoin::Statement>& statement) {
    if (kind_ == ProofKind::porep) {
      CUZK_TRY(auto c1, filecoin::read_c1_json(vanilla));
      const auto* seal = statement ? &std::get<filecoin::SealStatement>(*statement) : nullptr;
      CUZK_CHECK_OK(check_sector(c1, seal));
      return filecoin::porep_request(arena_, std::move(c1.proof), seal, options_.partition, progress_);
    }
    CUZK_REQUIRE(statement.has_value());  // read_statement() leaves it out for porep alone
    switch (kind_) {
      case ProofKind::winning:
      case ProofKind::window: {
        const auto& post = std::get<filecoin::PostStatement>(*statement);
        CUZK_TRY(auto proofs, filecoin::read_post_proofs(vanilla, *post.proof.sector, kind_));
        return filecoin::post_request(arena_, std::move(proofs), post, options_.partition, progress_);
      }
      case ProofKind::porep:
      case ProofKind::snap:
        break;
    }
    const auto& update = std::get<filecoin::UpdateStatement>(*statement);
    CUZK_TRY(auto proofs, filecoin::read_update_proofs(vanilla, *update.sector));
    return filecoin::update_request(arena_, std::move(proofs), update, options_.partition, progress_);
  }

  static Status check_sector(const filecoin::C1Output& c1, const filecoin::SealStatement* seal) {
    if (seal == nullptr || !c1.sector_number || *c1.sector_number == seal->sector_number) return {};
    return fail(Error(Code::malformed, Kind::replica_id_mismatch, "the C1 output is of another sector")
                    .at({.file = {},
                         .section = "SectorNum",
                         .offset = 0,
                         .expected = std::to_string(seal->sector_number),
                         .found = std::to_string(*c1.sector_number)}));
  }

  const ProveFilecoinOptions& options_;
  Arena& arena_;
  ProgressRef progress_;
  ProofKind kind_;
};

/// The randomness of the k-th proof: the system's, unless it is given.
Result<backend::Blinding<Curve>> blinding_of(const ProveFilecoinOptions& options, std::size_t k) {
  if (options.blinding.empty()) return backend::Blinding<Curve>::random();
  constexpr std::string_view kNames[] = {"r", "s"};
  CUZK_TRY(const MappedFile file, open_input(options.blinding[k]));
  CUZK_TRY(const auto scalars, in_file(options.blinding[k], formats::read_scalars_json<Curve>(text_of(file), kNames)));
  return backend::Blinding<Curve>::fixed(scalars[0].canonical(), scalars[1].canonical());
}

/// Keys and circuit of one run, resident.
struct Prover {
  filecoin::ProvingKey key;
  filecoin::CompiledCircuit compiled;
  backend::CpuBackend<Curve> backend;
  groth16::PreparedVerifyingKey<Curve> verifying_key;
  backend::ProvingContext<Curve> context;

  Prover(Arena& arena, filecoin::ProvingKey proving_key, filecoin::CompiledCircuit circuit)
      : key(std::move(proving_key)),
        compiled(std::move(circuit)),
        backend(arena),
        verifying_key(key.params.view().vk),
        context{
            .key = nullptr, .circuit = nullptr, .verifying_key = verifying_key, .compiled = compiled.matrices.get()} {}
};

Result<std::unique_ptr<Prover>> load(const ProveFilecoinOptions& options, const filecoin::Circuit& circuit,
                                     Arena& arena, Report& report, Phases& phases) {
  const std::string folder = options.params.empty() ? filecoin::default_key_folder() : options.params;
  CUZK_TRY(auto key, filecoin::open_proving_key(arena, circuit, folder));
  const std::string& path = key.params.source().path();
  CUZK_CHECK_OK(check_security(path, key.params.view().vk, options.allow_insecure_key));
  if (key.development) warn_development(path);
  CUZK_TRY(auto compiled, filecoin::compiled_circuit(circuit, options.circuits, report.progress()));
  CUZK_CHECK_OK(filecoin::check_key_fits(key.params, circuit, compiled));
  phases.end("circuit");

  if (options.check_key) CUZK_CHECK_OK(key.params.check_points(arena, report.progress()));
  auto prover = std::make_unique<Prover>(arena, std::move(key), std::move(compiled));
  CUZK_TRY(prover->context.circuit, prover->backend.load_circuit(prover->compiled.matrices));
  CUZK_TRY(prover->context.key, prover->backend.load_key(prover->key.params.view()));
  phases.end("key");
  return prover;
}

/// One partition, verified.
Result<Proof> prove_partition(const ProveFilecoinOptions& options, const ProofRequest& request, std::size_t k,
                              Prover& prover, Arena& arena, Report& report, Phases& phases) {
  CUZK_TRY(auto blinding, blinding_of(options, k));
  const auto witness = std::make_shared<const r1cs::Witness>(request.witness(arena, k));
  phases.end("witness");
  auto proof = backend::prove_verified<Curve>(
      arena, prover.backend, prover.context,
      {.witness = witness, .blinding = std::move(blinding), .stop = {}, .progress = report.progress()});
  phases.end("prove");
  if (proof) return proof;
  Error error = std::move(proof).error().context("partition " + std::to_string(request.number(k)));
  // The vanilla proof was checked and satisfies the circuit: a proof of it that does not verify is the key's fault.
  const bool of_key = error.kind() == Kind::not_in_subgroup || error.kind() == Kind::invalid_proof;
  if (of_key) error = std::move(error).context("--check-key finds the damaged points of the key");
  return fail(std::move(error).in_file(of_key ? prover.key.params.source().path() : options.vanilla));
}

void tell(const ProveFilecoinOptions& options, const ProofRequest& request, const Prover& prover, const Phases& phases,
          Report& report) {
  const std::string circuit = request.circuit().id();
  const std::size_t variables = prover.key.params.view().num_variables;
  report.say("proved and verified: " + circuit + ", " + std::to_string(request.partitions()) +
             (request.partitions() == 1 ? " partition of " : " partitions of ") + std::to_string(variables) +
             " variables, " + human_seconds(phases.total()) + " (" + phases.text() + ")");
  JsonWriter json;
  json.begin_object().key("proved").boolean(true).key("circuit").string(circuit);
  json.key("partitions").begin_array();
  for (std::size_t k = 0; k < request.partitions(); ++k) json.integer(request.number(k));
  json.end_array().key("num_variables").integer(variables).key("domain_size");
  json.integer(prover.key.params.view().domain_size);
  json.key("development_key").boolean(prover.key.development).key("proof").string(options.out);
  phases.write(json.key("phases"));
  json.key("peak_resident_bytes").integer(peak_resident_bytes());
  json.key("cpu_seconds").real(static_cast<double>(process_cpu_ns()) * 1e-9).end_object();
  report.result(std::move(json));
}

}  // namespace

Status prove_filecoin(const ProveFilecoinOptions& options, Arena& arena, Report& report) {
  CUZK_CHECK_OK(check_distinct({options.vanilla, options.public_data}, {options.out}));
  if (is_standard_output(options.out)) report.leave_standard_output();
  Phases phases;
  CUZK_TRY(const ProofRequest request, RequestReader(options, arena, report.progress()).read());
  if (!options.blinding.empty() && options.blinding.size() != request.partitions()) {
    return fail(Code::invalid_argument, "--blinding is needed once for each partition");
  }
  phases.end("decode");

  std::optional<AtomicFile> output;  // a proof that cannot be written is not made
  if (!options.out.empty()) {
    CUZK_TRY(AtomicFile file, AtomicFile::create(options.out));
    output.emplace(std::move(file));
  }
  CUZK_TRY(const auto prover, load(options, request.circuit(), arena, report, phases));
  std::vector<Proof> proofs;
  for (std::size_t k = 0; k < request.partitions(); ++k) {
    CUZK_TRY(const Proof proof, prove_partition(options, request, k, *prover, arena, report, phases));
    proofs.push_back(proof);
  }
  if (output) {
    CUZK_CHECK_OK(output->append(formats::write_bellperson_proofs(proofs)));
    CUZK_CHECK_OK(output->commit());
  }
  phases.end("write");
  tell(options, request, *prover, phases, report);
  return {};
}

}  // namespace cuzk::cli
