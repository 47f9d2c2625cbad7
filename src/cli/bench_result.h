// What a benchmark saw: a sample for each proof, and what follows from them.
//
// Thread-safety: values; pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/job.h"
#include "support/json_writer.h"

namespace cuzk::cli {

/// How a proof ended for its caller.
enum class SampleEnd : std::uint8_t { completed, refused, caller, transient, defect };

struct Sample {
  std::size_t item = 0;  // of the workload
  SampleEnd end = SampleEnd::completed;
  double seconds = 0;  // from the call to its answer
  client::Times times;
  std::string error;
  std::optional<bool> met_deadline{};  // none: it had no deadline
};

/// Of proofs with a deadline: how many there were, and of how many the service says that they were made in time.
struct Deadlines {
  std::size_t proofs = 0, met = 0;
};

/// Of seconds. Percentiles are values that occurred: the least one that so many are not above.
struct Distribution {
  std::size_t count = 0;
  double min = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
};
Distribution distribution_of(std::vector<double> values);

struct BenchResult {
  std::string mode;
  std::uint64_t asked = 0;
  unsigned concurrency = 1;
  double wall_seconds = 0;
  std::vector<std::string> items;  // names
  std::vector<Sample> samples;

  std::size_t count(SampleEnd end) const noexcept;
  /// Of one item, or of all.
  Deadlines deadlines(std::optional<std::size_t> item = {}) const noexcept;
  double per_minute() const noexcept;
};

void write_result(JsonWriter& json, const BenchResult& result);
/// For people.
std::string text_of(const BenchResult& result);

}  // namespace cuzk::cli
