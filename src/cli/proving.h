// What both forms of `cuzk prove` share: the times of their phases, and what they say about doubtful keys.
// Thread-safety: external.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "groth16/verifying_key.h"
#include "support/clock.h"
#include "support/json_writer.h"
#include "support/result.h"

namespace cuzk::cli {

/// Seconds of each phase, in the order of their first ends; for the summary and the JSON.
class Phases {
 public:
  /// The time since the last end belongs to this phase; one that ends repeatedly is summed up.
  void end(std::string_view name);
  double total() const;
  std::string text() const;
  void write(JsonWriter& json) const;

 private:
  Stopwatch watch_;
  std::vector<std::pair<std::string, double>> phases_;
};

/// Error: malformed / insecure_key for a key without phase-2 contribution, unless it is allowed: a warning then.
template <class C>
Status check_security(const std::string& path, const groth16::VerifyingKey<C>& vk, bool allow_insecure_key);

void warn_development(const std::string& key);

}  // namespace cuzk::cli
