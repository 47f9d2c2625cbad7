// The subcommands. Each does its work, tells its result through the Report, and returns what went wrong, if anything.
// Thread-safety: one at a time.
#pragma once

#include "cli/options.h"
#include "cli/report.h"
#include "support/parallel.h"
#include "support/result.h"

namespace cuzk::cli {

/// Proof and public inputs are written only after the proof was verified, both or neither under their names.
Status prove(const ProveOptions& options, Arena& arena, Report& report);
Status prove_filecoin(const ProveFilecoinOptions& options, Arena& arena, Report& report);
/// Code::unsatisfied, Kind::invalid_proof when the proof does not verify.
Status verify(const VerifyOptions& options, Arena& arena, Report& report);
/// The same for Filecoin's proofs, from their public data.
Status verify_filecoin(const VerifyFilecoinOptions& options, Arena& arena, Report& report);
Status setup(const SetupOptions& options, Arena& arena, Report& report);
Status setup_filecoin(const SetupFilecoinOptions& options, Arena& arena, Report& report);
/// list: tells; check: malformed, not_found, ... of the worst file, after all were told.
Status keys(const KeysOptions& options, Arena& arena, Report& report);
/// device when one of them fails.
Status selftest(const SelftestOptions& options, Arena& arena, Report& report);
/// The request and its public data, both or neither under their names.
Status gen_vanilla(const GenVanillaOptions& options, Arena& arena, Report& report);
Status inspect(const InspectOptions& options, Arena& arena, Report& report);
/// Proves for clients until a signal ends it. Errors: those of the configuration, conflict (an address is taken),
/// unavailable (stopped with jobs that are open and kept nowhere).
Status serve(const ServeOptions& options, const CommonOptions& common, Report& report);

/// Everything that speaks to a service (remote.h). Exit statuses: docs/client.md.
Status remote(const RemoteCommand& command, Report& report);

/// The program: parses, runs, reports; returns the exit status.
int run(int argc, const char* const* argv);

}  // namespace cuzk::cli
