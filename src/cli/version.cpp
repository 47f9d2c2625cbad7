#include "cli/version.h"

#include "support/cpu_features.h"

namespace cuzk::cli {

std::string version_text() {
  return "cuzk " CUZK_VERSION " (CPU path: " + std::string(to_string(active_cpu_path())) + ", CUDA: off)";
}

}  // namespace cuzk::cli
