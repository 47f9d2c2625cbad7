#include "cli/proving.h"

#include <algorithm>

#include "cli/report.h"
#include "support/log.h"

namespace cuzk::cli {

void Phases::end(std::string_view name) {
  const auto named = [name](const auto& phase) { return phase.first == name; };
  auto at = std::find_if(phases_.begin(), phases_.end(), named);
  if (at == phases_.end()) at = phases_.insert(at, {std::string(name), 0.0});
  at->second += watch_.seconds();
  watch_.restart();
}

double Phases::total() const {
  double sum = 0;
  for (const auto& [name, seconds] : phases_) sum += seconds;
  return sum;
}

std::string Phases::text() const {
  std::string line;
  for (const auto& [name, seconds] : phases_) line += (line.empty() ? "" : ", ") + name + " " + human_seconds(seconds);
  return line;
}

void Phases::write(JsonWriter& json) const {
  json.begin_object();
  for (const auto& [name, seconds] : phases_) json.key(name + "_seconds").real(seconds);
  json.key("total_seconds").real(total()).end_object();
}

template <class C>
Status check_security(const std::string& path, const groth16::VerifyingKey<C>& vk, bool allow_insecure_key) {
  Status secure = groth16::check_ceremony(vk);
  if (secure) return {};
  Error error = std::move(secure).error().in_file(path);
  if (!allow_insecure_key)
    return fail(std::move(error).context("--allow-insecure-key proves anyway; such proofs convince nobody"));
  log_warn("insecure key, used because of --allow-insecure-key: " + error.to_string());
  return {};
}

void warn_development(const std::string& key) {
  log_warn(key +
           " is a development key: its trapdoor was known to whoever made it, so its proofs prove nothing to others");
}

template Status check_security(const std::string&, const groth16::VerifyingKey<Bn254>&, bool);
template Status check_security(const std::string&, const groth16::VerifyingKey<Bls12_381>&, bool);

}  // namespace cuzk::cli
