#include "cli/remote_parser.h"

#include <map>

#include <CLI/CLI.hpp>

#include "cli/option_checks.h"
#include "server/duration.h"

namespace cuzk::cli {
namespace {

/// All names of a kind, and ours.
const std::map<std::string, std::string> kKindNames = {
    {"porep", "porep"},        {"porep-c2", "porep"},       {"seal-commit", "porep"},   {"seal", "porep"},
    {"winning", "winning"},    {"winning-post", "winning"}, {"winningpost", "winning"}, {"window", "window"},
    {"window-post", "window"}, {"windowpost", "window"},    {"wpost", "window"},        {"snap", "snap"},
    {"snap-deals", "snap"},    {"snap-update", "snap"},     {"update", "snap"},
};

const std::vector<std::string> kFieldNames = {
    "--registered-proof", "--miner-id",   "--sector-num", "--sector-size", "--randomness", "--comm-r-old",
    "--comm-r-new",       "--comm-d-new", "--label",      "--priority",    "--deadline",   "--retry"};

std::string check_node(const std::string& text) {
  const bool digits = text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (digits && text.size() == 64) return {};
  return "\"" + text + "\" is not 32 bytes in hexadecimal (64 digits)";
}

std::string to_kind(std::string& text) {
  const auto known = kKindNames.find(text);
  if (known == kKindNames.end()) return "\"" + text + "\" is none of porep, winning, window, snap";
  text = known->second;
  return {};
}

const CLI::Validator kNumber(check_number, "");
const CLI::Validator kNode(check_node, "HEX");
const CLI::Validator kKind(to_kind, "");

CLI::Option* add_duration(CLI::App& app, const std::string& names, Milliseconds& to, const std::string& text) {
  return app.add_option_function<std::string>(
      names,
      [&to, names](const std::string& value) {
        const auto span = server::parse_duration(value);
        if (!span) throw CLI::ValidationError(names, span.error().to_string());
        to = *span;
      },
      text);
}

void add_number(CLI::App& app, const std::string& names, std::optional<std::uint64_t>& to, const std::string& text) {
  app.add_option(names, to, text)->check(kNumber);
}

/// The input of submit and bench. What is positional in one is an option of the other.
void add_input(CLI::App& app, ProofInput& input, bool positional_witness) {
  app.add_option("-t,--kind,--type", input.kind, "porep, winning, window or snap; not for circom")->transform(kKind);
  app.add_option("--vanilla", input.vanilla,
                 "vanilla proofs: a C1 output as JSON (porep), or a JSON array of base64 strings; another file is sent "
                 "as one proof");
  app.add_option("--c1", input.vanilla, "the same, of a porep")->excludes("--vanilla");
  app.add_option("--public", input.public_data, "public data as JSON: numbers and commitments of the request");
  add_number(app, "--partition", input.partition, "window: the partition of the deadline; a label");
  app.add_option("--key", input.key, "circom: id of a key that the service has");
  app.add_option(positional_witness ? "WTNS,--wtns" : "--wtns", input.witness, "circom: witness, .wtns");
  add_request_fields(app, input);
}

/// Throws where the input is not one proof.
void check_input(const CLI::App& app, const ProofInput& input) {
  const bool circom = !input.key.empty() || !input.witness.empty();
  if (input.kind.empty()) {
    if (input.key.empty()) throw CLI::RequiredError("--kind or --key");
    if (input.witness.empty()) throw CLI::RequiredError("the witness (WTNS)");
    for (const char* name : {"--vanilla", "--c1", "--public", "--partition"}) {
      if (!app.get_option(name)->empty()) throw CLI::ExcludesError(name, "--key");
    }
    return;
  }
  if (circom) throw CLI::ExcludesError("--key and WTNS", "--kind");
  if (input.vanilla.empty()) throw CLI::RequiredError("--vanilla");
}

}  // namespace

void add_service(CLI::App& app, ServiceOptions& service, bool with_address) {
  const char* const group = "Service";
  if (with_address) {
    app.add_option("-a,--address,--addr", service.address,
                   "where the service is: unix:///path, host:port or http://host:port (default: CUZK_ADDRESS, else "
                   "unix:///run/curio/cuzk.sock)")
        ->group(group);
  }
  app.add_option("--token-file", service.token_file, "file whose first line is the token that the service wants")
      ->group(group);
  app.add_option("--tls-ca", service.tls_ca, "PEM roots by which the service is known; switches TLS on")->group(group);
  app.add_option("--tls-cert", service.tls_cert, "PEM chain of the client's own certificate")->group(group);
  app.add_option("--tls-key", service.tls_key, "PEM key of that certificate")->group(group);
}

void add_request_fields(CLI::App& app, ProofInput& input) {
  const char* const group = "Request";
  const auto in_group = [&](CLI::Option* option) { return option->group(group); };
  const auto number = [&](const char* names, std::optional<std::uint64_t>& to, const char* text) {
    in_group(app.add_option(names, to, text))->check(kNumber);
  };
  const auto node = [&](const char* names, std::string& to, const char* text) {
    in_group(app.add_option(names, to, text))->check(kNode);
  };
  number("--registered-proof", input.registered_proof,
         "number of the proof (porep: what its C1 output says goes first)");
  number("--miner-id,--miner", input.miner_id, "actor id (default: 1000)");
  number("--sector-num,--sector", input.sector_number, "porep: number of the sector (default: 1)");
  number("--sector-size", input.sector_size, "bytes (default: not stated)");
  node("--randomness", input.randomness, "winning, window: challenge seed (default: zeros)");
  node("--comm-r-old", input.comm_r_old, "snap");
  node("--comm-r-new", input.comm_r_new, "snap");
  node("--comm-d-new", input.comm_d_new, "snap");
  in_group(app.add_option("--label,--request-id", input.label, "name of the job (default: a random one)"));
  in_group(app.add_option("--priority", input.priority, "low, normal, high or critical (default: that of the kind)"))
      ->check(CLI::IsMember({"low", "normal", "high", "critical"}));
  in_group(add_duration(app, "--deadline", input.deadline,
                        "a job that is not proved so long after its acceptance fails: 30s, 10m (default: none)"));
}

void add_retry(CLI::App& app, ServiceOptions& service) {
  add_duration(app, "--retry", service.retry,
               "how long to try again where the service has no room or does not answer: 30s, 10m (default: not)")
      ->group("Request");
}

std::vector<std::string> request_field_names() { return kFieldNames; }

struct RemoteParser::Commands {
  template <class Options> struct Command {
    CLI::App* app = nullptr;
    Options options{};
  };

  Command<SubmitOptions> submit;
  Command<AwaitOptions> await;
  Command<CancelOptions> cancel;
  Command<JobsOptions> jobs;
  Command<StatusOptions> status;
  Command<DevicesOptions> devices;
  Command<MetricsOptions> metrics;
  Command<TopOptions> top;
  Command<PreloadOptions> preload;
  Command<EvictOptions> evict;
  Command<BenchOptions> bench;
  CLI::App* single = nullptr;
  CLI::App* batch = nullptr;
  CLI::App* stress = nullptr;

  template <class Options>
  static CLI::App& add(CLI::App& app, Command<Options>& command, const char* name, const char* text) {
    command.app = app.add_subcommand(name, text);
    command.app->group("Service");
    add_service(*command.app, command.options.service);
    return *command.app;
  }

  void add_all(CLI::App& app) {
    add_jobs(app);
    add_service_commands(app);
    add_bench(app);
  }

 private:
  void add_jobs(CLI::App& app) {
    CLI::App& of_submit = add(app, submit, "submit", "give a proof to a service; its job is told at once");
    of_submit.footer(
        "  cuzk submit --kind window --vanilla window.json --public window-public.json\n"
        "  cuzk submit --key multiplier witness.wtns");
    add_input(of_submit, submit.options.input, true);
    add_retry(of_submit, submit.options.service);

    CLI::App& of_await = add(app, await, "await", "wait for a job's proof");
    of_await.add_option("JOB", await.options.job, "as submit told it")->required();
    of_await.add_option("--out", await.options.files.proof, "proof to write");
    of_await.add_option("--public", await.options.files.public_inputs, "circom: public inputs to write");
    add_duration(of_await, "--timeout", await.options.timeout, "how long to wait: 30s, 5m (default: to the job's end)");
    add_retry(of_await, await.options.service);

    CLI::App& of_cancel = add(app, cancel, "cancel", "end a job, waiting or running");
    of_cancel.add_option("JOB", cancel.options.job, "as submit told it")->required();

    CLI::App& of_jobs = add(app, jobs, "jobs", "jobs that are open or ended lately");
    of_jobs.add_option("--kind", jobs.options.kind, "porep-c2, snap-update, window-post, winning-post or circom");
    of_jobs
        .add_option("--state", jobs.options.states, "accepted, running, completed, failed, cancelled (default: all)")
        ->check(CLI::IsMember({"accepted", "running", "completed", "failed", "cancelled"}))
        ->delimiter(',');
    of_jobs.add_option("--limit", jobs.options.limit, "the newest ones only");
    of_jobs.add_flag("--partitions", jobs.options.partitions, "with the partitions of each");
  }

  void add_service_commands(CLI::App& app) {
    add(app, status, "status", "what a service does: jobs, devices, keys, memory");
    add(app, devices, "devices", "its devices and what is on them");
    add(app, metrics, "metrics", "its metrics, in Prometheus' text form");
    CLI::App& of_top = add(app, top, "top", "its state on the screen, as it changes (q ends it)");
    add_duration(of_top, "--interval", top.options.interval, "time between two looks (default: 1s)");
    of_top.add_flag("--once", top.options.once, "print one look and end");
    CLI::App& of_preload = add(app, preload, "preload", "make key and circuit resident before they are needed");
    of_preload.add_option("CIRCUIT,-c,--circuit-id", preload.options.circuit, "porep-32g, ..., or id of a circom key")
        ->required();
    CLI::App& of_evict = add(app, evict, "evict", "drop key and circuit from memory");
    of_evict.add_option("CIRCUIT,-c,--circuit-id", evict.options.circuit, "as preload's")->required();
  }

  void add_bench(CLI::App& app) {
    bench.app = app.add_subcommand("bench", "measure a service");
    bench.app->group("Service");
    bench.app->require_subcommand(1);
    bench.app->fallthrough();
    add_service(*bench.app, bench.options.service);
    bench.app->add_option("--log-level")->group("");  // of other programs' command lines; there is no log
    BenchOptions& options = bench.options;
    single = bench.app->add_subcommand("single", "one proof");
    batch = bench.app->add_subcommand("batch", "the same proof several times");
    stress = bench.app->add_subcommand("stress", "a mixture of proofs");
    for (CLI::App* form : {single, batch, stress}) {
      add_input(*form, options.input, false);
      form->add_flag("--same", options.same, "let the service join or keep what it has proved (default: prove again)");
      if (form == single) continue;
      form->add_option("-c,--count", options.count, form == batch ? "proofs (default: 3)" : "proofs (default: 100)")
          ->check(kNumber);
      form->add_option("-j,--concurrency", options.concurrency,
                       form == batch ? "at the same time (default: 1)" : "at the same time (default: 16)")
          ->check(CLI::Range(1u, 4096u));
    }
    stress->add_option("--workload", options.workload, "TOML file with a table for each proof (docs/client.md)");
    stress->add_option("--seed", options.seed, "of the order of proofs (default: 1)")->check(kNumber);
    add_duration(*stress, "--duration", options.duration, "begin no proof after it");
  }

 public:
  std::optional<RemoteCommand> take() {
    std::optional<RemoteCommand> command;
    const auto taken = [&](auto& of) {
      if (of.app->parsed()) command = std::move(of.options);
    };
    if (submit.app->parsed()) check_input(*submit.app, submit.options.input);
    if (bench.app->parsed()) finish_bench();
    taken(submit);
    taken(await);
    taken(cancel);
    taken(jobs);
    taken(status);
    taken(devices);
    taken(metrics);
    taken(top);
    taken(preload);
    taken(evict);
    taken(bench);
    return command;
  }

 private:
  void finish_bench() {
    BenchOptions& options = bench.options;
    options.mode = single->parsed()  ? BenchOptions::Mode::single
                   : batch->parsed() ? BenchOptions::Mode::batch
                                     : BenchOptions::Mode::stress;
    CLI::App* const form = single->parsed() ? single : batch->parsed() ? batch : stress;
    if (form != single && form->get_option("--count")->empty()) options.count = form == batch ? 3 : 100;
    if (form != single && form->get_option("--concurrency")->empty()) options.concurrency = form == batch ? 1 : 16;
    if (options.workload.empty()) {
      check_input(*form, options.input);
    } else if (!options.input.kind.empty() || !options.input.key.empty()) {
      throw CLI::ExcludesError("--workload", "--kind and --key");
    }
  }
};

RemoteParser::RemoteParser(CLI::App& app) : commands_(std::make_unique<Commands>()) { commands_->add_all(app); }
RemoteParser::~RemoteParser() = default;
std::optional<RemoteCommand> RemoteParser::take() { return commands_->take(); }

}  // namespace cuzk::cli
