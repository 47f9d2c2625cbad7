// The metrics in Prometheus' text form, version 0.0.4.
//
// Names that end in _total, _bucket, _sum and _count only grow; so do cuzk_proofs_completed and cuzk_proofs_failed,
// which have the names that scrapers know. docs/http.md lists them. Beside the snapshot it reads memory and processor
// time of this process. Thread-safety: concurrently.
#pragma once

#include <string>

#include "engine/snapshot.h"

namespace cuzk::server {

std::string metrics_text(const engine::EngineSnapshot& snapshot);

}  // namespace cuzk::server
