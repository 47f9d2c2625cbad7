#include "cli/options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/option_checks.h"
#include "cli/remote_parser.h"
#include "cli/version.h"

namespace cuzk::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 done; 1 the proof does not verify or the witness does not satisfy the circuit; 2 bad usage;\n"
    "3 bad input (malformed, unsupported, not found); 4 out of resources, cancelled or unavailable, conflict;\n"
    "5 internal error. Of commands that speak to a service also: 6 it does not answer; 7 it knows no such job, "
    "circuit\n"
    "or key; 8 the time to wait is over, the job goes on. Of serve: 9 a GPU needs a new process (docs/operations.md).\n"
    "Environment: CUZK_CPU=portable|adx|ifma forces the arithmetic path; FIL_PROOFS_PARAMETER_CACHE is the folder of\n"
    "Filecoin's keys (default: /var/tmp/filecoin-proof-parameters); CUZK_ADDRESS is where the service is.";

/// With one of them in front the subcommand may be left out.
constexpr std::string_view kServeOptions[] = {"-c", "--config", "-l", "--listen", "--log-level", "--check-config"};

const std::vector<std::string> kKinds = {"porep", "winning", "window", "snap"};

const CLI::Validator kNumber(check_number, "");

/// One subcommand, two forms: the options of the other form are refused where the first is wanted.
using Names = std::vector<std::string>;
void need(const CLI::App& app, const Names& names) {
  for (const std::string& name : names)
    if (app.get_option(name)->empty()) throw CLI::RequiredError(name);
}
void refuse(const CLI::App& app, const Names& names, const std::string& form) {
  for (const std::string& name : names)
    if (!app.get_option(name)->empty()) throw CLI::ExcludesError(name, form);
}

void add_common(CLI::App& app, CommonOptions& common) {
  app.add_option("--threads", common.threads, "threads to use (default: all)")->check(CLI::Range(1u, 4096u));
  app.add_flag("--json", common.json, "results and errors as one JSON object on standard output");
  app.add_flag("--quiet", common.quiet, "no progress and no summary; warnings stay");
}

struct ProveForms {
  ProveOptions circuit;
  ProveFilecoinOptions filecoin;
  ProveRemoteOptions remote;
};

void add_prove(CLI::App& app, ProveForms& prove) {
  ProveOptions& circuit = prove.circuit;
  app.add_option("KEY", circuit.key, "proving key: .zkey (snarkjs) or .params (bellperson)");
  app.add_option("WITNESS", circuit.witness, "witness: .wtns");
  app.add_option("PROOF", circuit.proof,
                 "proof to write: snarkjs JSON; for a .params key 192 bytes, unless the name ends in .json");
  app.add_option("PUBLIC", circuit.public_inputs, "public inputs to write: snarkjs JSON");
  app.add_option("--r1cs", circuit.r1cs,
                 "the circuit; needed with a .params key; with it an unsatisfied constraint is named");
  app.add_flag("--allow-insecure-key", circuit.allow_insecure_key,
               "accept a key without phase-2 contribution: anyone can forge proofs for it");
  app.add_flag("--check-key", circuit.check_key, "check every point of the key first (as inspect --check does)");

  ProveFilecoinOptions& filecoin = prove.filecoin;
  const char* const group = "Filecoin (instead of KEY WITNESS PROOF)";
  app.add_option("--kind", filecoin.kind, "porep, winning, window or snap")->check(CLI::IsMember(kKinds))->group(group);
  app.add_option("--vanilla", filecoin.vanilla,
                 "vanilla proofs: a C1 output as JSON (porep), or a JSON array of base64 strings (others)")
      ->group(group);
  app.add_option("--public", filecoin.public_data,
                 "public data as JSON; the vanilla proof is checked against it; needed for winning, window and snap")
      ->group(group);
  app.add_option("--partition", filecoin.partition, "prove this one alone; window: which one the vanilla proofs are of")
      ->check(kNumber)
      ->group(group);
  app.add_option("--params", filecoin.params, "folder of keys under their official names (default: see cuzk --help)")
      ->group(group);
  app.add_option("--circuits", filecoin.circuits, "folder where compiled circuits are kept (default: none is kept)")
      ->group(group);
  app.add_option("--out", filecoin.out, "proof to write: 192 bytes a partition")->group(group);
  app.add_option("--blinding", filecoin.blinding, "JSON with r and s of each partition; its proof hides nothing")
      ->group("");

  app.add_option(
         "--remote", prove.remote.service.address,
         "let the service at this address prove: unix:///path or host:port; KEY is then the id of a key that it "
         "has")
      ->group("Service");
  add_service(app, prove.remote.service, false);
  add_request_fields(app, prove.remote.input);
  add_retry(app, prove.remote.service);
}

/// A proof by a service, in the terms of the two local forms.
void take_remote(const CLI::App& app, ProveForms&& prove) {
  ProofInput& input = prove.remote.input;
  refuse(app, {"--r1cs", "--allow-insecure-key", "--check-key", "--params", "--circuits", "--blinding"}, "--remote");
  if (app.get_option("--kind")->empty()) {
    refuse(app, {"--vanilla", "--public", "--partition", "--out"}, "a proof without --kind");
    need(app, {"KEY", "WITNESS", "PROOF"});
    input.key = std::move(prove.circuit.key);
    input.witness = std::move(prove.circuit.witness);
    prove.remote.files = {std::move(prove.circuit.proof), std::move(prove.circuit.public_inputs)};
    return;
  }
  refuse(app, {"KEY", "WITNESS", "PROOF", "PUBLIC"}, "--kind");
  need(app, {"--vanilla"});
  input.kind = std::move(prove.filecoin.kind);
  input.vanilla = std::move(prove.filecoin.vanilla);
  input.public_data = std::move(prove.filecoin.public_data);
  input.partition = prove.filecoin.partition;
  prove.remote.files.proof = std::move(prove.filecoin.out);
}

/// Of the three forms, the one that was meant, complete.
template <class Command> void take_prove(const CLI::App& app, ProveForms&& prove, Command& command) {
  if (!app.get_option("--remote")->empty()) {
    take_remote(app, std::move(prove));
    command = RemoteCommand(std::move(prove.remote));
    return;
  }
  refuse(app, {"--token-file", "--tls-ca", "--tls-cert", "--tls-key"}, "a proof without --remote");
  refuse(app, request_field_names(), "a proof without --remote");
  if (app.get_option("--kind")->empty()) {
    refuse(app, {"--vanilla", "--public", "--partition", "--params", "--circuits", "--out", "--blinding"},
           "a proof without --kind");
    need(app, {"KEY", "WITNESS", "PROOF"});
    command = std::move(prove.circuit);
    return;
  }
  refuse(app, {"KEY", "WITNESS", "PROOF", "PUBLIC", "--r1cs"}, "--kind");
  need(app, {"--vanilla"});
  prove.filecoin.allow_insecure_key = prove.circuit.allow_insecure_key;
  prove.filecoin.check_key = prove.circuit.check_key;
  command = std::move(prove.filecoin);
}

void add_verify(CLI::App& app, VerifyOptions& verify) {
  app.add_option("VKEY", verify.vkey, "verifying key: snarkjs JSON, .vk, .zkey or .params");
  app.add_option("PUBLIC", verify.public_inputs, "public inputs: snarkjs JSON");
  app.add_option("PROOF", verify.proof, "proof: snarkjs JSON or 192 bytes");
}

void add_verify_filecoin(CLI::App& app, VerifyFilecoinOptions& verify) {
  CLI::Option_group* group = app.add_option_group("Filecoin", "instead of VKEY PUBLIC PROOF");
  CLI::Option* kind = group->add_option("--kind", verify.kind, "what is proved")
                          ->check(CLI::IsMember({"porep", "seal", "winning", "window", "snap", "update"}));
  const auto of_kind = [&](CLI::Option* option) { return option->needs(kind); };
  of_kind(group->add_option("--public", verify.public_data, "public data: JSON (docs/formats/filecoin-public.md)"));
  of_kind(group->add_option("--proof", verify.proof, "192 bytes a partition, or their hexadecimal or base64 text"));
  CLI::Option* vk = of_kind(group->add_option("--vk", verify.vk, "verifying key: .vk or .params"));
  of_kind(group->add_option("--params", verify.params,
                            "folder of keys under their official names (default: see cuzk --help)"))
      ->excludes(vk);
  of_kind(group->add_option("--partition", verify.partition, "the proof is of this partition alone"))->check(kNumber);
}

/// Which of the two forms of `cuzk verify` was meant, and whether it is complete.
Status choose_verify(Invocation& invocation, VerifyOptions&& plain, VerifyFilecoinOptions&& filecoin) {
  const bool has_plain = !plain.vkey.empty() || !plain.public_inputs.empty() || !plain.proof.empty();
  if (filecoin.kind.empty()) {
    if (plain.vkey.empty() || plain.public_inputs.empty() || plain.proof.empty())
      return fail(Code::invalid_argument, "VKEY, PUBLIC and PROOF are required, or --kind (see cuzk verify --help)");
    invocation.command = std::move(plain);
    return {};
  }
  if (has_plain || filecoin.public_data.empty() || filecoin.proof.empty())
    return fail(Code::invalid_argument,
                "with --kind, --public and --proof are required, and VKEY, PUBLIC, PROOF have no place");
  invocation.command = std::move(filecoin);
  return {};
}

struct SetupForms {
  SetupOptions r1cs;
  SetupFilecoinOptions filecoin;
};

void add_setup(CLI::App& app, SetupForms& setup) {
  app.add_option("R1CS", setup.r1cs.r1cs, "circuit: .r1cs");
  app.add_option("KEY", setup.r1cs.key, "proving key to write: .zkey, or .params (BLS12-381)");
  app.add_option("VKEY", setup.r1cs.vkey, "verifying key to write: .json (snarkjs) or .vk (bellperson)");
  app.add_option("--trapdoor", setup.r1cs.trapdoor,
                 "JSON file with tau, alpha, beta, gamma, delta as little-endian hex (default: random and forgotten)");
  app.add_option("--device", setup.r1cs.device,
                 "what makes the key's points: cpu, an ordinal or a UUID (default: auto, a GPU where there is one)");
  const char* const group = "Filecoin (instead of R1CS KEY VKEY)";
  app.add_option("--circuit", setup.filecoin.circuit, "circuit by name: porep-2k, winning-32g, wpost-8m, snap-2k, ...")
      ->group(group);
  app.add_option(
         "--out", setup.filecoin.out,
         "folder to write .params and .vk to under their official names (made if its name ends in / and it is not "
         "there), or a name that ends in .params")
      ->group(group);
  app.add_option("--circuits", setup.filecoin.circuits,
                 "folder where compiled circuits are kept (default: none is kept)")
      ->group(group);
}

template <class Command> void take_setup(const CLI::App& app, SetupForms&& setup, Command& command) {
  if (app.get_option("--circuit")->empty()) {
    refuse(app, {"--out", "--circuits"}, "a setup without --circuit");
    need(app, {"R1CS", "KEY"});
    command = std::move(setup.r1cs);
    return;
  }
  refuse(app, {"R1CS", "KEY", "VKEY"}, "--circuit");
  need(app, {"--out"});
  setup.filecoin.trapdoor = std::move(setup.r1cs.trapdoor);
  setup.filecoin.device = std::move(setup.r1cs.device);
  command = std::move(setup.filecoin);
}

void add_key_choice(CLI::App& app, KeysOptions& keys) {
  app.add_option("--kind", keys.kinds, "porep, winning, window, snap (default: all)")
      ->check(CLI::IsMember(kKinds))
      ->delimiter(',');
  app.add_option("--sector-size", keys.sector_sizes, "2KiB, 8MiB, 512MiB, 32GiB, 64GiB (default: 32GiB)")
      ->delimiter(',');
  app.add_option("--params", keys.params, "folder of keys under their official names (default: see cuzk --help)");
}

void add_keys(CLI::App& app, KeysOptions& keys) {
  app.require_subcommand(1);
  CLI::App* list = app.add_subcommand("list", "the files needed, with sizes and published digests");
  add_key_choice(*list, keys);
  CLI::App* check = app.add_subcommand("check", "what is wrong with the files there are");
  add_key_choice(*check, keys);
  check->add_flag("!--no-digests", keys.digests, "do not read the files to compare their digests");
  check->add_flag("--points", keys.points, "check every point of the proving keys (hours for the large ones)");
  check->add_flag("--allow-development", keys.allow_development, "development keys are not a fault");
  check->callback([&keys] { keys.check = true; });
}

void add_gen_vanilla(CLI::App& app, GenVanillaOptions& gen) {
  app.footer(
      "Seals a sector in memory (up to 512 MiB; 2 KiB takes milliseconds) and writes what a prover receives and what "
      "a\n"
      "verifier knows. The same arguments give the same bytes.\n"
      "  cuzk gen-vanilla --kind porep --out c1.json --public porep.json\n"
      "  cuzk gen-vanilla --kind window --sector-size 32g --synthetic --out window.json --public window-public.json");
  CLI::Option* from = app.add_option("--public-from", gen.public_from,
                                     "make what belongs to this public data file again: one of --public's, or a "
                                     "reference vector's");
  app.add_option("--kind", gen.kind, "porep, winning, window or snap")->check(CLI::IsMember(kKinds));
  app.add_option("--sector-size", gen.sector_size, "2k (default), 8m, 512m, 32g or 64g")->excludes(from);
  app.add_option("--seed", gen.seed, "number from which content, ticket and challenges follow (default: 1)")
      ->check(kNumber)
      ->excludes(from);
  app.add_option("--registered-proof", gen.registered_proof,
                 "number of the proof, of a seal 0 to 19, a PoSt 0 to 14 (default: V1_1; 15 to 19 are non-interactive)")
      ->check(kNumber)
      ->excludes(from);
  app.add_option("--miner", gen.miner, "actor id (default: 1000)")->check(kNumber)->excludes(from);
  app.add_option("--sector", gen.sector, "number of the sector; window: of the first (default: 1)")
      ->check(kNumber)
      ->excludes(from);
  app.add_option("--sectors", gen.sectors, "window: sectors of all partitions (default: the partition is full)")
      ->check(kNumber)
      ->excludes(from);
  app.add_option("--partition", gen.partition, "window: partition to write (default: 0)")->check(kNumber);
  CLI::Option* synthetic =
      app.add_flag("--synthetic", gen.synthetic, "seal nothing: only what is opened exists; any size, in seconds");
  app.add_option("--replicas", gen.replicas, "synthetic window: distinct replicas (default: one a sector)")
      ->check(kNumber)
      ->needs(synthetic);
  app.add_option("--out", gen.out, "request to write: C1 JSON (porep), or a JSON array of base64 strings")->required();
  app.add_option("--public", gen.public_data, "public data to write: JSON")->required();
}

void add_inspect(CLI::App& app, InspectOptions& inspect) {
  app.add_option("FILE", inspect.file, "any file that cuzk reads")->required();
  app.add_flag("--check", inspect.check, "validate everything in it: ranges, points, subgroups");
}

void add_serve(CLI::App& app, ServeOptions& serve) {
  app.footer("The signals, the log and the exit statuses of the service are in docs/operations.md.");
  app.add_option("-c,--config", serve.config, "configuration: TOML (default: /data/zk/cuzk.toml, if it is there)");
  app.add_option("-l,--listen", serve.listen, "where gRPC listens instead: unix:///path or host:port; may be repeated");
  app.add_option("--log-level", serve.log_level, "trace, debug, info, warn, error or off; CUZK_LOG goes before it");
  app.add_flag("--check-config", serve.check_config, "say what the configuration means, or what is wrong, and end");
}

/// `cuzk --config X` is `cuzk serve --config X`: the form of installations that know no subcommands.
std::vector<std::string> arguments_of(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  std::size_t first = 0;  // that is no common option
  while (first < arguments.size() && (arguments[first] == "--json" || arguments[first] == "--quiet")) ++first;
  if (first == arguments.size()) return arguments;
  const std::string name = arguments[first].substr(0, arguments[first].find('='));
  if (std::ranges::find(kServeOptions, name) != std::end(kServeOptions)) {
    arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(first), "serve");
  }
  return arguments;
}

}  // namespace

Result<Invocation> parse(int argc, const char* const* argv) {
  Invocation invocation;
  ProveForms prove;
  VerifyOptions verify;
  VerifyFilecoinOptions verify_filecoin;
  SetupForms setup;
  KeysOptions keys;
  SelftestOptions selftest;
  GenVanillaOptions gen_vanilla;
  InspectOptions inspect;
  ServeOptions serve;

  CLI::App app("cuzk: Groth16 proofs for circom and Filecoin circuits (BN254, BLS12-381)", "cuzk");
  app.footer(kFooter);
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.fallthrough();  // common options may stand before or after the subcommand
  add_common(app, invocation.common);
  CLI::App* prove_app = app.add_subcommand("prove", "prove a witness, verify the proof, write it");
  CLI::App* verify_app = app.add_subcommand("verify", "verify a proof");
  CLI::App* setup_app = app.add_subcommand("setup", "make development keys for a circuit (never for production)");
  CLI::App* keys_app = app.add_subcommand("keys", "the keys of Filecoin's proofs: which are needed, which are sound");
  CLI::App* gen_app = app.add_subcommand("gen-vanilla", "make a Filecoin proof's input: a sector, sealed or made up");
  CLI::App* selftest_app =
      app.add_subcommand("selftest", "make a proof with a known result on each device of this machine");
  selftest_app->add_option("--device", selftest.devices, "cpu, an ordinal or a UUID (default: all; may be repeated)");
  CLI::App* inspect_app = app.add_subcommand("inspect", "say what a file is and holds");
  add_prove(*prove_app, prove);
  add_verify(*verify_app, verify);
  add_verify_filecoin(*verify_app, verify_filecoin);
  add_setup(*setup_app, setup);
  add_keys(*keys_app, keys);
  add_gen_vanilla(*gen_app, gen_vanilla);
  add_inspect(*inspect_app, inspect);
  CLI::App* serve_app = app.add_subcommand("serve", "prove as a service: gRPC, HTTP, journal (docs/operations.md)");
  add_serve(*serve_app, serve);
  RemoteParser remote(app);

  try {
    std::vector<std::string> arguments = arguments_of(argc, argv);
    std::ranges::reverse(arguments);  // as the library wants them
    app.parse(std::move(arguments));
    if (prove_app->parsed()) take_prove(*prove_app, std::move(prove), invocation.command);
    if (setup_app->parsed()) take_setup(*setup_app, std::move(setup), invocation.command);
    if (auto command = remote.take()) invocation.command = *std::move(command);
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

  if (verify_app->parsed()) CUZK_CHECK_OK(choose_verify(invocation, std::move(verify), std::move(verify_filecoin)));
  if (keys_app->parsed()) invocation.command = std::move(keys);
  if (selftest_app->parsed()) invocation.command = std::move(selftest);
  if (gen_app->parsed()) invocation.command = std::move(gen_vanilla);
  if (inspect_app->parsed()) invocation.command = std::move(inspect);
  if (serve_app->parsed()) invocation.command = std::move(serve);
  return invocation;
}

}  // namespace cuzk::cli
