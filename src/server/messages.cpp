#include "server/messages.h"

#include <algorithm>
#include <climits>
#include <optional>

#include <cuzk/v1/proving.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "engine/failure.h"
#include "server/duration.h"

namespace cuzk::server {
namespace {

using engine::Phase;
using filecoin::ProofKind;

constexpr std::uint64_t kMs = 1'000'000;  // in nanoseconds

std::optional<ProofKind> kind_of(int number) {
  switch (number) {
    case v1::POREP_SEAL_COMMIT:
      return ProofKind::porep;
    case v1::SNAP_DEALS_UPDATE:
      return ProofKind::snap;
    case v1::WINDOW_POST_PARTITION:
      return ProofKind::window;
    case v1::WINNING_POST:
      return ProofKind::winning;
    default:
      return std::nullopt;
  }
}

/// Numbers that are none count as normal.
std::optional<engine::Priority> priority_of(int number) {
  switch (number) {
    case v1::PRIORITY_UNSPECIFIED:
      return std::nullopt;
    case v1::LOW:
      return engine::Priority::low;
    case v1::HIGH:
      return engine::Priority::high;
    case v1::CRITICAL:
      return engine::Priority::critical;
    default:
      return engine::Priority::normal;
  }
}

v1::Priority message_of(engine::Priority priority) {
  constexpr v1::Priority kValues[] = {v1::LOW, v1::NORMAL, v1::HIGH, v1::CRITICAL};
  return kValues[static_cast<std::size_t>(priority)];
}

v1::JobState::Code message_of(engine::JobState state) {
  constexpr v1::JobState::Code kValues[] = {v1::JobState::ACCEPTED, v1::JobState::RUNNING, v1::JobState::COMPLETED,
                                            v1::JobState::FAILED, v1::JobState::CANCELLED};
  return kValues[static_cast<std::size_t>(state)];
}

v1::AwaitProofResponse::Status message_of_end(engine::JobState state) {
  switch (state) {
    case engine::JobState::completed:
      return v1::AwaitProofResponse::COMPLETED;
    case engine::JobState::cancelled:
      return v1::AwaitProofResponse::CANCELLED;
    default:
      return v1::AwaitProofResponse::FAILED;
  }
}

Status check_name(const std::string& field, const std::string& name) {
  if (name.size() > RequestLimits::kLabelBytes) {
    return fail(Code::invalid_argument, field + " has " + std::to_string(name.size()) + " bytes, at most " +
                                            std::to_string(RequestLimits::kLabelBytes) + " are allowed");
  }
  if (name.find('\0') != std::string::npos) return fail(Code::invalid_argument, field + " holds a NUL character");
  return {};
}

Status check_size(std::string_view name, std::size_t bytes, std::uint64_t limit) {
  if (bytes <= limit) return {};
  return fail(Code::exhausted, std::string(name) + " has " + std::to_string(bytes) + " bytes, at most " +
                                   std::to_string(limit) + " are accepted");
}

Status check_payload_sizes(ProofKind kind, const v1::SubmitProofRequest& message, const engine::PayloadLimits& limits) {
  CUZK_CHECK_OK(check_size("vanilla_proof", message.vanilla_proof().size(), limits.c1_bytes));
  const std::uint64_t limit = kind == ProofKind::window ? limits.window_bytes : limits.vanilla_bytes;
  for (int i = 0; i < message.vanilla_proofs_size(); ++i) {
    CUZK_CHECK_OK(check_size("vanilla_proofs[" + std::to_string(i) + "]", message.vanilla_proofs(i).size(), limit));
  }
  return {};
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const Bytes bytes = text_bytes(text);
  return {bytes.begin(), bytes.end()};
}

/// A payload whose bytes are taken out of a message's field.
engine::Payload payload_of(std::string& field) {
  auto bytes = std::make_shared<const std::string>(std::move(field));
  return {text_bytes(*bytes), bytes};
}

using google::protobuf::internal::WireFormatLite;

/// Counts down from `left` for each field; false: there are more, or the bytes are none of a message.
bool count_fields(google::protobuf::io::CodedInputStream& in, const google::protobuf::Descriptor& type,
                  unsigned& left) {
  while (const std::uint32_t tag = in.ReadTag()) {
    if (left-- == 0) return false;
    std::uint64_t value = 0;
    std::uint32_t length = 0;
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_VARINT:
        if (!in.ReadVarint64(&value)) return false;
        continue;
      case WireFormatLite::WIRETYPE_FIXED64:
        length = 8;
        break;
      case WireFormatLite::WIRETYPE_FIXED32:
        length = 4;
        break;
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        if (!in.ReadVarint32(&length)) return false;
        break;
      default:
        return false;  // groups are not of proto3
    }
    const auto* const field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    if (field == nullptr || field->message_type() == nullptr) {
      if (length > static_cast<std::uint32_t>(INT_MAX) || !in.Skip(static_cast<int>(length))) return false;
      continue;
    }
    const auto outer = in.PushLimit(static_cast<int>(length));
    if (!count_fields(in, *field->message_type(), left)) return false;
    in.PopLimit(outer);
  }
  return in.ConsumedEntireMessage();
}

std::uint32_t narrow(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

void set_phases(const engine::PartitionTimeline& timeline, std::uint64_t now_ns, v1::PartitionProgress& out) {
  const auto ms = [&](Phase phase) { return timeline[phase].duration_ns(now_ns) / kMs; };
  out.set_witness_ms(ms(Phase::witness));
  out.set_evaluate_ms(ms(Phase::evaluate));
  out.set_device_queue_ms(ms(Phase::device_queue));
  out.set_prove_ms(ms(Phase::start) + ms(Phase::finish));
  out.set_verify_ms(ms(Phase::verify));
  out.set_queue_ms(ms(Phase::queue));
  out.set_key_ms(ms(Phase::key));
  out.set_memory_ms(ms(Phase::memory));
  out.set_memory_path(std::string(to_string(timeline.path)));
  out.set_pinned_bytes(timeline.pinned_bytes);
  out.set_pageable_bytes(timeline.pageable_bytes);
}

void fill_device(const engine::DeviceSnapshot& device, v1::GetStatusResponse& out) {
  const std::size_t slots = std::max<std::size_t>(device.max_in_flight, device.in_flight.size());
  for (std::size_t slot = 0; slot < slots; ++slot) {
    v1::GPUStatus& gpu = *out.add_gpus();
    gpu.set_ordinal(device.ordinal);
    gpu.set_name(device.name);
    if (device.memory) {
      gpu.set_vram_total_bytes(device.memory->total_bytes);
      gpu.set_vram_free_bytes(device.memory->free_bytes);
    }
    if (slot < device.in_flight.size()) {
      gpu.set_current_job_id(device.in_flight[slot].job_id);
      gpu.set_current_proof_kind(device.in_flight[slot].kind);
    }
  }
}

void fill_memory(const engine::EngineSnapshot& snapshot, v1::MemoryStatus& out) {
  const memory::BudgetSnapshot& memory = snapshot.memory;
  out.set_total_bytes(memory.total);
  out.set_used_bytes(memory.used);
  out.set_peak_bytes(memory.used_peak);
  out.set_available_bytes(memory.available);
  out.set_critical_reserve_bytes(memory.critical_reserve);
  for (std::size_t tag = 0; tag < memory::kMemoryTags; ++tag) {
    v1::MemoryStatus::Use& use = *out.add_uses();
    use.set_tag(std::string(to_string(static_cast<memory::MemoryTag>(tag))));
    use.set_bytes(memory.by_tag[tag].bytes);
  }
  out.set_waiting(narrow(memory.waiting.size()));
  if (!snapshot.pool) return;
  out.set_pool_pinned_bytes(snapshot.pool->in_use_pinned_bytes);
  out.set_pool_pageable_bytes(snapshot.pool->in_use_pageable_bytes);
  out.set_pool_idle_bytes(snapshot.pool->idle_bytes);
}

void fill_device_state(const engine::DeviceSnapshot& device, std::uint64_t now_ns, v1::DeviceStatus& out) {
  out.set_ordinal(device.ordinal);
  out.set_name(device.name);
  out.set_is_cpu(device.is_cpu);
  out.set_in_service(device.in_service);
  out.set_trouble(device.trouble);
  if (device.memory) {
    out.set_budget_bytes(device.memory->budget_bytes);
    out.set_used_bytes(device.memory->used_bytes);
  }
  out.set_proofs(device.proofs);
  out.set_errors(device.errors);
  out.set_busy_ms(device.busy_ns / kMs);
  out.set_max_in_flight(device.max_in_flight);
  for (const engine::DeviceSnapshot::Proving& proving : device.in_flight) {
    v1::DeviceStatus::Work& work = *out.add_in_flight();
    work.set_job_id(proving.job_id);
    work.set_kind(proving.kind);
    work.set_partition(proving.partition);
    work.set_age_ms((now_ns - std::min(now_ns, proving.since_ns)) / kMs);
  }
}

/// What a client of the first messages does not look at.
void fill_details(const engine::EngineSnapshot& snapshot, v1::GetStatusResponse& out) {
  out.set_version(CUZK_VERSION);
  out.set_accepting(snapshot.accepting);
  fill_memory(snapshot, *out.mutable_memory());
  for (const engine::DeviceSnapshot& device : snapshot.devices) {
    fill_device_state(device, snapshot.now_ns, *out.add_devices());
  }
  for (const engine::QueueSnapshot& queue : snapshot.queues) {
    v1::StageStatus& stage = *out.add_stages();
    stage.set_name(queue.name);
    stage.set_length(narrow(queue.length));
    stage.set_capacity(narrow(queue.capacity));
    stage.set_oldest_ms(queue.oldest_ns / kMs);
  }
}

bool is_wanted(const v1::ListJobsRequest& request, const engine::JobStatus& status) {
  const auto& states = request.states();
  return (request.kind().empty() || request.kind() == status.kind) &&
         (states.empty() || std::ranges::find(states, static_cast<int>(message_of(status.state))) != states.end());
}

}  // namespace

Status check_fields(const google::protobuf::Descriptor& type, google::protobuf::io::ZeroCopyInputStream& bytes) {
  google::protobuf::io::CodedInputStream in(&bytes);
  unsigned left = kMaxFields;
  if (count_fields(in, type, left)) return {};
  return fail(Code::invalid_argument,
              "the message cannot be decoded, or has more than " + std::to_string(kMaxFields) + " fields");
}

Result<Submission> submission_of(v1::SubmitProofRequest&& message, const engine::PayloadLimits& limits) {
  const std::optional<ProofKind> kind = kind_of(message.proof_kind());
  if (!kind) {
    return fail(Code::invalid_argument,
                "proof_kind " + std::to_string(static_cast<int>(message.proof_kind())) + " is none of 1 to 4");
  }
  CUZK_CHECK_OK(check_name("request_id", message.request_id()));
  CUZK_CHECK_OK(check_payload_sizes(*kind, message, limits));

  FilecoinWork work;
  work.sector_size = message.sector_size();
  work.request.kind = *kind;
  work.request.limits = limits;
  work.request.registered_proof = narrow(message.registered_proof());
  work.request.sector_number = message.sector_number();
  work.request.miner_id = message.miner_id();
  work.request.randomness = bytes_of(message.randomness());
  work.request.comm_r_old = bytes_of(message.comm_r_old());
  work.request.comm_r_new = bytes_of(message.comm_r_new());
  work.request.comm_d_new = bytes_of(message.comm_d_new());
  if (*kind == ProofKind::porep) {
    work.request.payloads.push_back(payload_of(*message.mutable_vanilla_proof()));
  } else {
    for (std::string& proof : *message.mutable_vanilla_proofs()) {
      work.request.payloads.push_back(payload_of(proof));
    }
  }
  return Submission{.label = message.request_id(),
                    .work = std::move(work),
                    .priority = priority_of(message.priority()),
                    .deadline = bounded_ms(message.deadline_ms()),
                    .repetition = message.repetition()};
}

Result<Submission> submission_of(v1::SubmitCircomProofRequest&& message) {
  CUZK_CHECK_OK(check_name("request_id", message.request_id()));
  CUZK_CHECK_OK(check_name("key_id", message.key_id()));
  if (message.key_id().empty()) return fail(Code::invalid_argument, "key_id is missing");
  return Submission{.label = message.request_id(),
                    .work = CircomWork{message.key_id(), payload_of(*message.mutable_wtns())},
                    .priority = priority_of(message.priority()),
                    .deadline = bounded_ms(message.deadline_ms()),
                    .repetition = message.repetition()};
}

void fill_accepted(const engine::JobStatus& status, v1::SubmitProofResponse& out) {
  out.set_job_id(status.job_id);
  out.set_queue_position(status.queue_position);
  const auto assigned = std::ranges::find_if(
      status.partitions, [](const engine::PartitionStatus& partition) { return !partition.timeline.device.empty(); });
  if (assigned != status.partitions.end()) out.set_assigned_gpu(assigned->timeline.device);
}

void fill_result(std::string_view job_id, const engine::JobResult& result, v1::AwaitProofResponse& out) {
  out.set_job_id(std::string(job_id));
  out.set_status(message_of_end(result.state));
  if (result.state == engine::JobState::completed) {
    out.set_proof(result.proof.data(), result.proof.size());
  } else {
    out.set_error_message(result.error);
    if (result.failure) out.set_failure(std::string(store::to_string(*result.failure)));
    // The journal keeps whose fault it was, and no code.
    const bool is_known = result.code != Code::internal || result.failure == engine::FailureClass::defect;
    if (is_known) out.set_error_code(std::string(to_string(result.code)));
  }
  for (const std::string& note : result.notes) out.add_notes(note);
  out.set_queue_wait_ms(result.times.queue / kMs);
  out.set_srs_load_ms(result.times.key / kMs);
  out.set_synthesis_ms(result.times.witness / kMs);
  out.set_gpu_compute_ms(result.times.compute / kMs);
  out.set_total_ms(result.times.total / kMs);
}

void fill_failed(std::string_view job_id, const Error& error, v1::AwaitProofResponse& out) {
  out.set_job_id(std::string(job_id));
  out.set_status(v1::AwaitProofResponse::FAILED);
  out.set_error_message(error.to_string());
  out.set_error_code(std::string(to_string(error.code())));
  out.set_failure(std::string(store::to_string(engine::failure_class(error))));
}

void fill_timeout(std::string_view job_id, v1::AwaitProofResponse& out) {
  out.set_job_id(std::string(job_id));
  out.set_status(v1::AwaitProofResponse::TIMEOUT);
}

void fill_status(const engine::EngineSnapshot& snapshot, v1::GetStatusResponse& out) {
  for (const engine::DeviceSnapshot& device : snapshot.devices) fill_device(device, out);
  for (const engine::ResidentSnapshot& key : snapshot.keys) {
    v1::SRSStatus& srs = *out.add_loaded_srs();
    srs.set_circuit_id(key.circuit);
    srs.set_tier(key.loading ? v1::SRSStatus::WARM : v1::SRSStatus::HOT);
    srs.set_size_bytes(key.bytes);
    srs.set_ref_count(key.users);
  }
  for (const engine::KindCount& kind : snapshot.kinds) {
    v1::QueueStatus& queue = *out.add_queues();
    queue.set_proof_kind(kind.kind);
    queue.set_pending(kind.waiting);
    queue.set_in_progress(kind.running);
  }
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  for (const auto& [name, kind] : snapshot.metrics.kinds) {
    completed += kind.completed;
    failed += kind.failures();
  }
  out.set_total_proofs_completed(completed);
  out.set_total_proofs_failed(failed);
  out.set_uptime_seconds(snapshot.uptime_ns / (1000 * kMs));
  out.set_pinned_memory_bytes(snapshot.pool ? snapshot.pool->in_use_pinned_bytes : 0);
  out.set_pinned_memory_limit_bytes(snapshot.memory.total);
  fill_details(snapshot, out);
}

void fill_progress(const engine::JobStatus& status, std::uint64_t now_ns, bool with_partitions, v1::JobProgress& out) {
  out.set_job_id(status.job_id);
  out.set_request_id(status.label);
  out.set_kind(status.kind);
  out.set_circuit(status.circuit);
  out.set_priority(message_of(status.priority));
  out.set_state(message_of(status.state));
  out.set_partitions(static_cast<std::uint32_t>(status.partitions.size()));
  out.set_finished_partitions(status.finished_partitions);
  out.set_decoding(status.decoding);
  out.set_payload_bytes(status.payload_bytes);
  const std::uint64_t end = status.timeline.finished_ns == 0 ? now_ns : status.timeline.finished_ns;
  out.set_age_ms((end - std::min(end, status.timeline.accepted_ns)) / kMs);
  out.set_error_message(status.error);
  if (status.failure) out.set_failure(std::string(store::to_string(*status.failure)));
  if (!with_partitions) return;
  for (std::size_t i = 0; i < status.partitions.size(); ++i) {
    const engine::PartitionStatus& partition = status.partitions[i];
    v1::PartitionProgress& progress = *out.add_progress();
    progress.set_index(static_cast<std::uint32_t>(i));
    progress.set_stage(static_cast<v1::PartitionProgress::Stage>(partition.stage));  // the same order
    progress.set_attempts(partition.timeline.attempts);
    progress.set_device(partition.timeline.device);
    progress.set_error_message(partition.error);
    progress.set_note(engine::note_of(partition));
    set_phases(partition.timeline, now_ns, progress);
  }
}

void fill_jobs(const v1::ListJobsRequest& request, const std::vector<engine::JobStatus>& jobs, std::uint64_t now_ns,
               v1::ListJobsResponse& out) {
  std::vector<const engine::JobStatus*> wanted;
  for (const engine::JobStatus& status : jobs) {
    if (is_wanted(request, status)) wanted.push_back(&status);
  }
  const std::size_t skipped =
      request.limit() != 0 && wanted.size() > request.limit() ? wanted.size() - request.limit() : 0;
  for (std::size_t i = skipped; i < wanted.size(); ++i) {
    fill_progress(*wanted[i], now_ns, request.with_partitions(), *out.add_jobs());
  }
}

static_assert(static_cast<int>(engine::Stage::failed) == static_cast<int>(v1::PartitionProgress::FAILED));
static_assert(static_cast<int>(engine::Stage::proving) == static_cast<int>(v1::PartitionProgress::PROVING));

}  // namespace cuzk::server
