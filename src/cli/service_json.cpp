#include "cli/service_json.h"

namespace cuzk::cli {

using client::ServiceState;

namespace {

void write_memory(JsonWriter& json, const ServiceState& state) {
  const ServiceState::Memory& memory = state.memory;
  json.begin_object().key("total_bytes").integer(memory.total_bytes).key("used_bytes").integer(memory.used_bytes);
  json.key("peak_bytes").integer(memory.peak_bytes).key("available_bytes").integer(memory.available_bytes);
  json.key("critical_reserve_bytes").integer(memory.critical_reserve_bytes).key("waiting").integer(memory.waiting);
  json.key("pool_pinned_bytes").integer(memory.pool_pinned_bytes);
  json.key("pool_pageable_bytes").integer(memory.pool_pageable_bytes);
  json.key("pool_idle_bytes").integer(memory.pool_idle_bytes).key("by_tag").begin_object();
  for (const ServiceState::MemoryUse& use : memory.uses) json.key(use.tag).integer(use.bytes);
  json.end_object().end_object();
}

void write_queues(JsonWriter& json, const ServiceState& state) {
  json.key("queues").begin_array();
  for (const ServiceState::Queue& queue : state.queues) {
    json.begin_object().key("proof_kind").string(queue.kind).key("waiting").integer(queue.waiting);
    json.key("running").integer(queue.running).end_object();
  }
  json.end_array().key("stages").begin_array();
  for (const ServiceState::Stage& stage : state.stages) {
    json.begin_object().key("name").string(stage.name).key("length").integer(stage.length);
    json.key("capacity").integer(stage.capacity).key("oldest_ms").integer(stage.oldest_ms).end_object();
  }
  json.end_array().key("keys").begin_array();
  for (const ServiceState::Key& key : state.keys) {
    json.begin_object().key("circuit_id").string(key.circuit).key("tier").string(key.tier);
    json.key("size_bytes").integer(key.bytes).key("users").integer(key.users).end_object();
  }
  json.end_array();
}

void write_partition(JsonWriter& json, const client::PartitionState& partition) {
  json.begin_object().key("index").integer(partition.index).key("stage").string(partition.stage);
  json.key("attempts").integer(partition.attempts).key("device").string(partition.device);
  json.key("error").string(partition.error).key("witness_ms").integer(partition.witness_ms);
  json.key("evaluate_ms").integer(partition.evaluate_ms).key("device_queue_ms").integer(partition.device_queue_ms);
  json.key("prove_ms").integer(partition.prove_ms).key("verify_ms").integer(partition.verify_ms);
  json.key("queue_ms").integer(partition.queue_ms).key("key_ms").integer(partition.key_ms);
  json.key("memory_ms").integer(partition.memory_ms).key("note").string(partition.note);
  json.key("memory_path").string(partition.memory_path).key("pinned_bytes").integer(partition.pinned_bytes);
  json.key("pageable_bytes").integer(partition.pageable_bytes).end_object();
}

}  // namespace

void write_devices(JsonWriter& json, const ServiceState& state) {
  json.begin_array();
  for (const ServiceState::Device& device : state.devices) {
    json.begin_object().key("ordinal").integer(device.ordinal).key("name").string(device.name);
    json.key("is_cpu").boolean(device.is_cpu).key("in_service").boolean(device.in_service);
    json.key("proofs").integer(device.proofs).key("errors").integer(device.errors);
    json.key("busy_ms").integer(device.busy_ms).key("max_in_flight").integer(device.max_in_flight);
    json.key("trouble").string(device.trouble).key("budget_bytes").integer(device.budget_bytes);
    json.key("used_bytes").integer(device.used_bytes).key("in_flight").begin_array();
    for (const ServiceState::Work& work : device.in_flight) {
      json.begin_object().key("job_id").string(work.job_id).key("kind").string(work.kind);
      json.key("partition").integer(work.partition).key("age_ms").integer(work.age_ms).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_slots(JsonWriter& json, const ServiceState& state) {
  json.begin_array();
  for (const ServiceState::Slot& slot : state.slots) {
    json.begin_object().key("ordinal").integer(slot.ordinal).key("name").string(slot.name);
    json.key("vram_total_bytes").integer(slot.memory_total_bytes);
    json.key("vram_free_bytes").integer(slot.memory_free_bytes);
    json.key("current_job_id").string(slot.job_id).key("current_proof_kind").string(slot.kind).end_object();
  }
  json.end_array();
}

void write_state(JsonWriter& json, const ServiceState& state) {
  json.begin_object().key("version").string(state.version).key("accepting").boolean(state.accepting);
  json.key("uptime_seconds").integer(state.uptime_seconds).key("completed").integer(state.completed);
  json.key("failed").integer(state.failed).key("pinned_memory_bytes").integer(state.pinned_bytes);
  json.key("pinned_memory_limit_bytes").integer(state.pinned_limit_bytes);
  write_memory(json.key("memory"), state);
  write_devices(json.key("devices"), state);
  write_slots(json.key("gpus"), state);
  write_queues(json, state);
  json.end_object();
}

void write_job(JsonWriter& json, const client::JobState& job) {
  json.begin_object().key("job_id").string(job.job_id).key("label").string(job.label).key("kind").string(job.kind);
  json.key("circuit").string(job.circuit).key("priority").string(job.priority).key("state").string(job.state);
  json.key("partitions").integer(job.partitions).key("finished_partitions").integer(job.finished_partitions);
  json.key("decoding").boolean(job.decoding).key("payload_bytes").integer(job.payload_bytes);
  json.key("age_ms").integer(job.age_ms).key("error").string(job.error).key("failure").string(job.failure);
  json.key("progress").begin_array();
  for (const client::PartitionState& partition : job.progress) write_partition(json, partition);
  json.end_array().end_object();
}

}  // namespace cuzk::cli
