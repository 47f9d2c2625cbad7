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
/// Code::unsatisfied, Kind::invalid_proof when the proof does not verify.
Status verify(const VerifyOptions& options, Arena& arena, Report& report);
Status setup(const SetupOptions& options, Arena& arena, Report& report);
Status inspect(const InspectOptions& options, Arena& arena, Report& report);

/// The program: parses, runs, reports; returns the exit status.
int run(int argc, const char* const* argv);

}  // namespace cuzk::cli
