#include <cstdlib>

#include "cli/commands.h"

int main(int argc, char** argv) {
  // Read when CUDA starts, and to be set before there are threads: kernels are loaded then, and not one by one in the
  // first proof, which took half as long again.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  return cuzk::cli::run(argc, argv);
}
