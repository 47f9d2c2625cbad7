// What only a device can show: kernels against the host's code, and their times. A program of its own, since the
// machines that have devices need not have the libraries of the tests.
//
//   device_check [--figures] [--small] [PART...]
//
// Every check, or those of some parts: transforms, pairs, sums, witnesses, circuits, subsets, multiples. With --figures
// the times of kernels as JSON too; --small leaves out large sizes, for tools that make a program slow.
//
// Prints a line for each check and "N passed, N failed" last; exit status 1 when one has failed or there is no device.
#include "tests/device/parts_check.h"

namespace cuzk::test {
namespace {

struct Options {
  bool figures = false;
  std::vector<std::string> parts;

  bool has(const char* part) const {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  }
};

void check(Counts& counts, const Options& options) {
  if (options.has("transforms")) check_transforms(counts);
  if (options.has("pairs")) check_pairs(counts);
  if (options.has("sums")) check_sums(counts);
  if (options.has("witnesses")) check_witnesses(counts);
  if (options.has("circuits")) check_circuits(counts);
  if (options.has("subsets")) check_subset_sums(counts);
  if (options.has("multiples")) check_multiples(counts);
}

void time(const Options& options) {
  if (options.has("subsets")) time_subset_sums();
  if (options.has("circuits")) time_circuits();
  if (options.has("transforms")) time_transforms();
  if (options.has("sums")) time_sums();
  if (options.has("multiples")) time_multiples();
}

int run(const Options& options) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no device\n");
    return 1;
  }
  Counts counts;
  check(counts, options);
  if (options.figures) {
    std::printf("{\n");
    time(options);
    std::printf("  \"failed\": %u\n}\n", counts.failed);
  }
  std::printf("%u passed, %u failed\n", counts.passed, counts.failed);
  return counts.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cuzk::test

int main(int argc, char** argv) {
  cuzk::test::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string given = argv[i];
    if (given == "--figures") {
      options.figures = true;
    } else if (given == "--small") {
      cuzk::test::small_sizes() = true;
    } else {
      options.parts.push_back(given);
    }
  }
  return cuzk::test::run(options);
}
