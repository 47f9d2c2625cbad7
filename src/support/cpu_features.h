// What this processor can do, and which of the code paths for field products runs.
//
// Features are read once (CPUID leaf 7, and XGETBV for the vector state that the operating system saves; Intel SDM
// volume 1, chapter 15.4). On other architectures all are false. The path comes from the environment variable CUZK_CPU:
// portable, adx, ifma, or auto (also when unset or empty). A program calls select_cpu_path(getenv("CUZK_CPU")) at its
// start and ends with the message of a failure; a library that is only linked uses active_cpu_path(), which then takes
// the best path. Thread-safety: concurrently.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/result.h"

namespace cuzk {

struct CpuFeatures {
  bool bmi2 = false;
  bool adx = false;
  bool avx512_ifma = false;  // with AVX512F and VL, and the operating system saves the registers
  bool sha = false;
};

const CpuFeatures& cpu_features() noexcept;

/// Each has what the one before it has: ifma is adx with lanes where a kernel takes them (field/fp_lanes.h).
enum class CpuPath : std::uint8_t { portable, adx, ifma };

std::string_view to_string(CpuPath path) noexcept;

CpuPath best_cpu_path(const CpuFeatures& features) noexcept;

/// The path that a setting asks for (null or empty: auto). Error: invalid_argument for an unknown word or a path that
/// the features do not allow.
Result<CpuPath> select_cpu_path(const char* setting, const CpuFeatures& features = cpu_features());

/// The path of this process: CUZK_CPU as it was at the first call; the best one where that fails.
CpuPath active_cpu_path() noexcept;

}  // namespace cuzk
