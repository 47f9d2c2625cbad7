// What a service says of itself and of its jobs, as JSON. Page: docs/client.md.
//
// Thread-safety: pure functions.
#pragma once

#include "client/job.h"
#include "support/json_writer.h"

namespace cuzk::cli {

void write_state(JsonWriter& json, const client::ServiceState& state);
/// Arrays: a value for each device; one for each partition that a device may have in flight.
void write_devices(JsonWriter& json, const client::ServiceState& state);
void write_slots(JsonWriter& json, const client::ServiceState& state);
void write_job(JsonWriter& json, const client::JobState& job);

}  // namespace cuzk::cli
