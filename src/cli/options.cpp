#include "cli/options.h"

#include <CLI/CLI.hpp>

#include "cli/version.h"

namespace cuzk::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 done; 1 the proof does not verify or the witness does not satisfy the circuit; 2 bad usage;\n"
    "3 bad input (malformed, unsupported, not found); 4 out of resources, cancelled or unavailable; 5 internal error.\n"
    "Environment: CUZK_CPU=portable|adx forces the arithmetic path.";

void add_common(CLI::App& app, CommonOptions& common) {
  app.add_option("--threads", common.threads, "threads to use (default: all)")->check(CLI::Range(1u, 4096u));
  app.add_flag("--json", common.json, "results and errors as one JSON object on standard output");
  app.add_flag("--quiet", common.quiet, "no progress and no summary; warnings stay");
}

void add_prove(CLI::App& app, ProveOptions& prove) {
  app.add_option("KEY", prove.key, "proving key: .zkey (snarkjs) or .params (bellperson)")->required();
  app.add_option("WITNESS", prove.witness, "witness: .wtns")->required();
  app.add_option("PROOF", prove.proof,
                 "proof to write: snarkjs JSON; for a .params key 192 bytes, unless the name ends in .json")
      ->required();
  app.add_option("PUBLIC", prove.public_inputs, "public inputs to write: snarkjs JSON");
  app.add_option("--r1cs", prove.r1cs,
                 "the circuit; needed with a .params key; with it an unsatisfied constraint is named");
  app.add_flag("--allow-insecure-key", prove.allow_insecure_key,
               "accept a key without phase-2 contribution: anyone can forge proofs for it");
  app.add_flag("--check-key", prove.check_key, "check every point of the key first (as inspect --check does)");
}

void add_verify(CLI::App& app, VerifyOptions& verify) {
  app.add_option("VKEY", verify.vkey, "verifying key: snarkjs JSON, .vk, .zkey or .params")->required();
  app.add_option("PUBLIC", verify.public_inputs, "public inputs: snarkjs JSON")->required();
  app.add_option("PROOF", verify.proof, "proof: snarkjs JSON or 192 bytes")->required();
}

void add_setup(CLI::App& app, SetupOptions& setup) {
  app.add_option("R1CS", setup.r1cs, "circuit: .r1cs")->required();
  app.add_option("KEY", setup.key, "proving key to write: .zkey, or .params (BLS12-381)")->required();
  app.add_option("VKEY", setup.vkey, "verifying key to write: .json (snarkjs) or .vk (bellperson)");
  app.add_option("--trapdoor", setup.trapdoor,
                 "JSON file with tau, alpha, beta, gamma, delta as little-endian hex (default: random and forgotten)");
}

void add_inspect(CLI::App& app, InspectOptions& inspect) {
  app.add_option("FILE", inspect.file, "any file that cuzk reads")->required();
  app.add_flag("--check", inspect.check, "validate everything in it: ranges, points, subgroups");
}

}  // namespace

Result<Invocation> parse(int argc, const char* const* argv) {
  Invocation invocation;
  ProveOptions prove;
  VerifyOptions verify;
  SetupOptions setup;
  InspectOptions inspect;

  CLI::App app("cuzk: Groth16 proofs for circom and Filecoin circuits (BN254, BLS12-381)", "cuzk");
  app.footer(kFooter);
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.fallthrough();  // common options may stand before or after the subcommand
  add_common(app, invocation.common);
  CLI::App* prove_app = app.add_subcommand("prove", "prove a witness, verify the proof, write it");
  CLI::App* verify_app = app.add_subcommand("verify", "verify a proof");
  CLI::App* setup_app = app.add_subcommand("setup", "make development keys for a circuit (never for production)");
  CLI::App* inspect_app = app.add_subcommand("inspect", "say what a file is and holds");
  add_prove(*prove_app, prove);
  add_verify(*verify_app, verify);
  add_setup(*setup_app, setup);
  add_inspect(*inspect_app, inspect);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    invocation.command = Text{app.help()};
    return invocation;
  } catch (const CLI::CallForAllHelp&) {
    invocation.command = Text{app.help("", CLI::AppFormatMode::All)};
    return invocation;
  } catch (const CLI::CallForVersion&) {
    invocation.command = Text{version_text()};
    return invocation;
  } catch (const CLI::ParseError& error) {
    return fail(Code::invalid_argument, std::string(error.what()) + " (see cuzk --help)");
  }

  if (prove_app->parsed()) invocation.command = std::move(prove);
  if (verify_app->parsed()) invocation.command = std::move(verify);
  if (setup_app->parsed()) invocation.command = std::move(setup);
  if (inspect_app->parsed()) invocation.command = std::move(inspect);
  return invocation;
}

}  // namespace cuzk::cli
