// The engine as a ProvingService.
//
// The engine must outlive it and all jobs it gave out. Thread-safety: concurrently.
#pragma once

#include <memory>

#include "engine/engine.h"
#include "server/proving_service.h"

namespace cuzk::server {

std::unique_ptr<ProvingService> engine_service(engine::Engine& engine);

}  // namespace cuzk::server
