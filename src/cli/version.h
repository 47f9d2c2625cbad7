// What `cuzk --version` says. Thread-safety: pure function.
#pragma once

#include <string>

namespace cuzk::cli {

/// "cuzk 0.1.0 (CPU path: adx, CUDA: on)"; on: built with it, whatever the machine has.
std::string version_text();

}  // namespace cuzk::cli
