// Workload: the proofs of a benchmark and how often each is asked for.
//
// A file is TOML, one table a proof (docs/client.md):
//
//   [winning]
//   kind = "winning"                # or key = "multiplier" and wtns = "witness.wtns"
//   vanilla = "winning.json"        # names are relative to the file's folder
//   public = "winning-public.json"
//   weight = 3                      # 1 where it is not said
//   deadline = "30s"                # or a number of seconds; none where it is not said
//
// Thread-safety: const methods concurrently.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/request_input.h"
#include "support/result.h"

namespace cuzk::cli {

struct WorkItem {
  std::string name;
  std::uint64_t weight = 1;
  RequestInput input;
};

class Workload {
 public:
  static Result<Workload> of(const ProofInput& input);
  /// Errors: malformed, naming file and line; those of the files that it names.
  static Result<Workload> read(const std::string& path);

  const std::vector<WorkItem>& items() const noexcept { return items_; }
  /// The item of the n-th proof: by the weights, in an order that the seed decides.
  std::size_t choose(std::uint64_t n, std::uint64_t seed) const noexcept;

 private:
  std::vector<WorkItem> items_;
  std::uint64_t weights_ = 0;
};

}  // namespace cuzk::cli
