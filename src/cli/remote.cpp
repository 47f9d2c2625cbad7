#include "cli/remote.h"

#include <cstdlib>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/table.h"

namespace cuzk::cli {
namespace {

constexpr const char* kNoService =
    "start one with \"cuzk serve\", or say where it is with --address or CUZK_ADDRESS (docs/client.md)";

Status read_if_named(const std::string& path, std::string& out) {
  if (path.empty()) return {};
  CUZK_TRY(const MappedFile file, open_input(path));
  out = text_of(file);
  return {};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of("\r\n")); }

/// Errors of calls name no file; those of our own files do.
bool is_of_service(const Error& error) { return error.where() == nullptr; }

Error ended(Error error, Report& report) {
  if (!is_of_service(error)) return error;
  switch (error.code()) {
    case Code::unavailable:
    case Code::deadline:
      report.set_exit_status(kExitUnreachable);
      return std::move(error).context(kNoService);
    case Code::not_found:
      report.set_exit_status(kExitUnknown);
      return error;
    default:
      return error;
  }
}

struct Runner {
  Report& report;

  Status operator()(const SubmitOptions& o) const { return submit(o, report); }
  Status operator()(const ProveRemoteOptions& o) const { return prove_remote(o, report); }
  Status operator()(const AwaitOptions& o) const { return await(o, report); }
  Status operator()(const CancelOptions& o) const { return cancel(o, report); }
  Status operator()(const JobsOptions& o) const { return jobs(o, report); }
  Status operator()(const StatusOptions& o) const { return status(o, report); }
  Status operator()(const DevicesOptions& o) const { return devices(o, report); }
  Status operator()(const MetricsOptions& o) const { return metrics(o, report); }
  Status operator()(const TopOptions& o) const { return top(o, report); }
  Status operator()(const PreloadOptions& o) const { return preload(o, report); }
  Status operator()(const EvictOptions& o) const { return evict(o, report); }
  Status operator()(const BenchOptions& o) const { return bench(o, report); }
};

/// What a failure is called where the service does not say: nothing is known of it, so it is not the caller's.
Code code_of(const client::Outcome& outcome) {
  if (outcome.error_code == to_string(Code::unsatisfied)) return Code::unsatisfied;
  if (outcome.error_code == to_string(Code::not_found)) return Code::not_found;
  if (outcome.failure == "caller") return Code::malformed;
  if (outcome.failure == "transient") return Code::exhausted;
  return Code::internal;
}

}  // namespace

std::string address_of(const ServiceOptions& options) {
  if (!options.address.empty()) return options.address;
  const char* const environment = std::getenv("CUZK_ADDRESS");
  if (environment != nullptr && *environment != '\0') return environment;
  return std::string(client::kDefaultAddress);
}

Result<std::unique_ptr<client::Client>> open_client(const ServiceOptions& options, Milliseconds patience) {
  client::Connection connection;
  connection.call_timeout = patience;
  connection.patience = options.retry;
  CUZK_TRY(connection.address, client::parse_address(address_of(options)));
  CUZK_CHECK_OK(read_if_named(options.token_file, connection.token));
  connection.token = first_line(connection.token);
  CUZK_CHECK_OK(read_if_named(options.tls_ca, connection.tls_roots));
  CUZK_CHECK_OK(read_if_named(options.tls_cert, connection.tls_certificate));
  CUZK_CHECK_OK(read_if_named(options.tls_key, connection.tls_key));
  return client::Client::create(std::move(connection));
}

Error not_proved(const client::Outcome& outcome, Report& report) {
  switch (outcome.end) {
    case client::End::timeout:
      report.set_exit_status(kExitStillOpen);
      return {Code::deadline, "not yet: job " + outcome.job_id + " goes on"};
    case client::End::cancelled:
      report.set_exit_status(exit_status(Code::cancelled));
      return {Code::cancelled, "job " + outcome.job_id + " was cancelled"};
    case client::End::completed:
      return {Code::internal, "job " + outcome.job_id + " is completed, but its proof is empty"};
    case client::End::failed:
    case client::End::unknown:
      break;
  }
  const Code code = code_of(outcome);
  const int by_class = outcome.failure == "caller" ? 3 : outcome.failure == "transient" ? 4 : 5;
  report.set_exit_status(code == Code::unsatisfied && outcome.failure == "caller" ? 1 : by_class);
  const std::string whose = outcome.failure.empty() ? std::string("the service") : outcome.failure;
  return {code, "job " + outcome.job_id + " failed (" + whose + "): " + printable(outcome.error)};
}

void write_times(JsonWriter& json, const client::Times& times) {
  const auto seconds = [&](const char* name, std::uint64_t ms) { json.key(name).real(static_cast<double>(ms) / 1000); };
  json.begin_object();
  seconds("queue_seconds", times.queue);
  seconds("key_seconds", times.key);
  seconds("witness_seconds", times.witness);
  seconds("compute_seconds", times.compute);
  seconds("total_seconds", times.total);
  json.end_object();
}

std::string text_of(const client::Times& times) {
  const auto part = [](const char* name, std::uint64_t ms) {
    return std::string(name) + " " + human_seconds(static_cast<double>(ms) / 1000);
  };
  return part("queue", times.queue) + ", " + part("key", times.key) + ", " + part("witness", times.witness) + ", " +
         part("compute", times.compute);
}

Status remote(const RemoteCommand& command, Report& report) {
  Status status = std::visit(Runner{report}, command);
  if (status) return status;
  if (report.has_exit_status()) return status;
  return fail(ended(std::move(status).error(), report));
}

}  // namespace cuzk::cli
