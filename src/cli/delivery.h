// Waiting for a job's proof and writing it: what `cuzk await` and `cuzk prove --remote` share.
//
// Thread-safety: external.
#pragma once

#include "cli/interruption.h"
#include "cli/output_files.h"
#include "cli/remote.h"

namespace cuzk::cli {

struct Delivery {
  std::string job_id;
  ResultFiles files;
  Milliseconds timeout{0};                   // 0: none
  std::optional<std::uint64_t> partition{};  // the number that the one partition has
};

/// Errors: those of the call, of the files, and not_proved(). What is told: job, circuit, partitions, times, files.
Status deliver(const client::Client& client, const Delivery& delivery, OutputFiles outputs,
               const Interruption& interruption, Report& report);

}  // namespace cuzk::cli
