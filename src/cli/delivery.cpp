#include "cli/delivery.h"

#include <optional>

#include "cli/files.h"
#include "cli/job_progress.h"
#include "cli/table.h"
#include "engine/circom_jobs.h"

namespace cuzk::cli {
namespace {

constexpr std::size_t kProofBytes = 192;  // of a partition

Result<client::Outcome> wait_for(const client::Client& client, const Delivery& delivery,
                                 const Interruption& interruption, Report& report) {
  std::optional<JobProgressLine> line;
  if (report.progress() != nullptr) line.emplace(client, delivery.job_id);
  auto outcome = client.await(delivery.job_id, delivery.timeout, interruption.token());
  line.reset();
  if (!interruption.happened() || outcome) return outcome;
  return fail(Code::cancelled,
              "interrupted; the job goes on: cuzk await " + delivery.job_id + ", or cuzk cancel " + delivery.job_id);
}

/// What the service says of a finished job beside its proof; nothing where it does not say.
client::JobState state_of(const client::Client& client, const std::string& job_id) {
  client::JobState state;
  const auto first = [&](const client::JobState& told) {
    state = told;
    return false;
  };
  static_cast<void>(client.watch(job_id, first).has_value());
  return state;
}

/// The files of a proof. Those of a circom job are two documents.
Result<engine::CircomResult> documents_of(const client::Outcome& outcome) {
  if (looks_like_json(text_bytes(outcome.proof))) return engine::split_circom_result(text_bytes(outcome.proof));
  return engine::CircomResult{outcome.proof, {}};
}

void tell(const Delivery& delivery, const client::Outcome& outcome, const client::JobState& state, Report& report) {
  const bool circom = looks_like_json(text_bytes(outcome.proof));
  const std::size_t partitions = circom ? 1 : outcome.proof.size() / kProofBytes;
  const double seconds = static_cast<double>(outcome.times.total) / 1000;
  report.say("proved and verified by the service: " + (state.circuit.empty() ? "job" : state.circuit) + ", " +
             std::to_string(partitions) + (partitions == 1 ? " partition, " : " partitions, ") +
             human_seconds(seconds) + " (" + text_of(outcome.times) + ")");
  for (const std::string& note : outcome.notes) report.say("  " + printable(note));
  JsonWriter json;
  json.begin_object().key("proved").boolean(true).key("job_id").string(delivery.job_id);
  json.key("kind").string(state.kind).key("circuit").string(state.circuit);
  json.key("partitions").begin_array();
  for (std::size_t k = 0; k < partitions; ++k) json.integer(delivery.partition.value_or(0) + k);
  json.end_array().key("proof").string(delivery.files.proof).key("public").string(delivery.files.public_inputs);
  json.key("proof_bytes").integer(outcome.proof.size());
  write_times(json.key("phases"), outcome.times);
  json.key("notes").begin_array();
  for (const std::string& note : outcome.notes) json.string(note);
  json.end_array();
  json.end_object();
  report.result(std::move(json));
}

}  // namespace

Status deliver(const client::Client& client, const Delivery& delivery, OutputFiles outputs,
               const Interruption& interruption, Report& report) {
  CUZK_TRY(const client::Outcome outcome, wait_for(client, delivery, interruption, report));
  if (outcome.end != client::End::completed || outcome.proof.empty()) return fail(not_proved(outcome, report));
  CUZK_TRY(const engine::CircomResult documents, documents_of(outcome));
  if (!delivery.files.public_inputs.empty() && documents.public_json.empty()) {
    return fail(Code::invalid_argument, "a Filecoin proof has no file of public inputs: leave the name out");
  }
  CUZK_CHECK_OK(outputs.write(text_bytes(documents.proof_json), documents.public_json));
  tell(delivery, outcome, state_of(client, delivery.job_id), report);
  return {};
}

}  // namespace cuzk::cli
