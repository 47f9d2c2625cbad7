#include "cli/version.h"

#include "server/accelerators.h"
#include "support/cpu_features.h"

namespace cuzk::cli {

std::string version_text() {
  return "cuzk " CUZK_VERSION " (CPU path: " + std::string(to_string(active_cpu_path())) +
         ", CUDA: " + (server::built_with_cuda() ? "on" : "off") + ")";
}

}  // namespace cuzk::cli
