// What the commands share that speak to a service: the way to it, and how its answers end the program.
//
// Thread-safety: external.
#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
#include "cli/report.h"
#include "client/client.h"
#include "support/result.h"

namespace cuzk::cli {

/// Exit statuses beside those of error codes (support/error_codes.h).
inline constexpr int kExitUnreachable = 6;
inline constexpr int kExitUnknown = 7;  // job, circuit or key
inline constexpr int kExitStillOpen = 8;

/// As the options, the environment or the default say it.
std::string address_of(const ServiceOptions& options);
/// Reads the files that the options name. `patience`: of calls that do not wait for a proof. Errors: those of the
/// files, invalid_argument.
Result<std::unique_ptr<client::Client>> open_client(const ServiceOptions& options,
                                                    Milliseconds patience = std::chrono::seconds{30});

/// A proof that was not made, as an error; sets the exit status: whose fault it was.
Error not_proved(const client::Outcome& outcome, Report& report);

/// Times of a proof as an object of "<name>_seconds".
void write_times(JsonWriter& json, const client::Times& times);
/// "queue 12 ms, witness 1.20 s, ..."
std::string text_of(const client::Times& times);

// The commands. Each tells its result and returns what went wrong.

Status submit(const SubmitOptions& options, Report& report);
Status prove_remote(const ProveRemoteOptions& options, Report& report);
Status await(const AwaitOptions& options, Report& report);
Status cancel(const CancelOptions& options, Report& report);
Status jobs(const JobsOptions& options, Report& report);
Status status(const StatusOptions& options, Report& report);
Status devices(const DevicesOptions& options, Report& report);
Status metrics(const MetricsOptions& options, Report& report);
Status top(const TopOptions& options, Report& report);
Status preload(const PreloadOptions& options, Report& report);
Status evict(const EvictOptions& options, Report& report);
Status bench(const BenchOptions& options, Report& report);

}  // namespace cuzk::cli
