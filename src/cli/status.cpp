#include "cli/remote.h"
#include "cli/service_json.h"
#include "cli/table.h"

namespace cuzk::cli {
namespace {

using client::ServiceState;

std::string seconds(std::uint64_t ms) { return human_seconds(static_cast<double>(ms) / 1000); }

std::string devices_table(const ServiceState& state) {
  Table table({"DEVICE", "NAME", "STATE", "PROOFS", "ERRORS", "BUSY", "IN FLIGHT"});
  for (const ServiceState::Device& device : state.devices) {
    std::string work;
    for (const ServiceState::Work& on_it : device.in_flight) {
      work += (work.empty() ? "" : "; ") + on_it.job_id + " partition " + std::to_string(on_it.partition) + " " +
              seconds(on_it.age_ms);
    }
    table.add({std::to_string(device.ordinal), device.name,
               device.in_service ? "in service" : "OUT OF SERVICE: " + device.trouble, std::to_string(device.proofs),
               std::to_string(device.errors), seconds(device.busy_ms),
               work.empty() ? "0 of " + std::to_string(device.max_in_flight) : work});
  }
  return table.empty() ? "no device" : table.text();
}

std::string queues_table(const ServiceState& state) {
  Table table({"KIND", "WAITING", "RUNNING"});
  for (const ServiceState::Queue& queue : state.queues) {
    table.add({queue.kind, std::to_string(queue.waiting), std::to_string(queue.running)});
  }
  return table.text();
}

std::string keys_table(const ServiceState& state) {
  Table table({"KEY", "TIER", "SIZE", "USERS"});
  for (const ServiceState::Key& key : state.keys) {
    table.add({key.circuit, key.tier, human_bytes(key.bytes), std::to_string(key.users)});
  }
  return table.empty() ? "no key is resident" : table.text();
}

std::string memory_lines(const ServiceState::Memory& memory) {
  std::string text = "memory: " + human_bytes(memory.used_bytes) + " of " + human_bytes(memory.total_bytes) +
                     " (peak " + human_bytes(memory.peak_bytes) + ", " + std::to_string(memory.waiting) + " waiting)";
  for (const ServiceState::MemoryUse& use : memory.uses) {
    if (use.bytes > 0) text += "\n  " + use.tag + " " + human_bytes(use.bytes);
  }
  return text;
}

}  // namespace

Status status(const StatusOptions& options, Report& report) {
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const ServiceState state, client->status());
  report.say("cuzk " + state.version + ", up " + seconds(1000 * state.uptime_seconds) + ", " +
             (state.accepting ? "accepting" : "STOPPING") + ": " + std::to_string(state.completed) +
             " jobs completed, " + std::to_string(state.failed) + " failed");
  report.say(memory_lines(state.memory));
  report.say("\n" + queues_table(state) + "\n\n" + devices_table(state) + "\n\n" + keys_table(state));
  JsonWriter json;
  write_state(json, state);
  report.result(std::move(json));
  return {};
}

Status devices(const DevicesOptions& options, Report& report) {
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const ServiceState state, client->status());
  report.say(devices_table(state));
  JsonWriter json;
  json.begin_object();
  write_devices(json.key("devices"), state);
  write_slots(json.key("gpus"), state);
  json.end_object();
  report.result(std::move(json));
  return {};
}

}  // namespace cuzk::cli
