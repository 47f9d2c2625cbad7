#include "support/cpu_features.h"

#include <cstdlib>
#include <string>

#include "support/cpu_path_scope.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace cuzk {

namespace {

#if defined(__x86_64__)

constexpr bool bit(unsigned word, unsigned index) noexcept { return (word >> index & 1U) != 0; }

/// The vector state that the operating system saves (XCR0); 0 when it saves none beyond SSE.
unsigned saved_state(unsigned leaf1_ecx) noexcept {
  if (!bit(leaf1_ecx, 27)) return 0;  // OSXSAVE
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

CpuFeatures read_cpu_features() noexcept {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return {};
  constexpr unsigned kAvx512State = 0xe6;  // SSE, AVX, opmask, upper halves of ZMM0-15, ZMM16-31
  const bool avx512_saved = (saved_state(ecx) & kAvx512State) == kAvx512State;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return {};
  const bool avx512_f = bit(ebx, 16);
  const bool avx512_vl = bit(ebx, 31);
  return {.bmi2 = bit(ebx, 8),
          .adx = bit(ebx, 19),
          .avx512_ifma = bit(ebx, 21) && avx512_f && avx512_vl && avx512_saved,
          .sha = bit(ebx, 29)};
}

#else

CpuFeatures read_cpu_features() noexcept { return {}; }

#endif

struct ThreadPath {
  CpuPath path = CpuPath::portable;
  bool is_set = false;
};
constinit thread_local ThreadPath of_thread;

CpuPath initial_cpu_path() noexcept {
  const auto chosen = select_cpu_path(std::getenv("CUZK_CPU"));
  return chosen ? *chosen : best_cpu_path(cpu_features());
}

}  // namespace

const CpuFeatures& cpu_features() noexcept {
  static const CpuFeatures features = read_cpu_features();
  return features;
}

std::string_view to_string(CpuPath path) noexcept {
  switch (path) {
    case CpuPath::ifma:
      return "ifma";
    case CpuPath::adx:
      return "adx";
    case CpuPath::portable:
      break;
  }
  return "portable";
}

CpuPath best_cpu_path(const CpuFeatures& features) noexcept {
  if (!features.bmi2 || !features.adx) return CpuPath::portable;
  return features.avx512_ifma ? CpuPath::ifma : CpuPath::adx;
}

Result<CpuPath> select_cpu_path(const char* setting, const CpuFeatures& features) {
  const std::string_view word = setting == nullptr ? "" : setting;
  const CpuPath best = best_cpu_path(features);
  if (word.empty() || word == "auto") return best;
  if (word == "portable") return CpuPath::portable;
  if (word != "adx" && word != "ifma") {
    return fail(Code::invalid_argument,
                "CUZK_CPU is '" + std::string(word) + "', expected portable, adx, ifma or auto");
  }
  if (best == CpuPath::portable)
    return fail(Code::invalid_argument,
                "CUZK_CPU is " + std::string(word) + ", but this processor has no BMI2 and ADX");
  if (word == "adx") return CpuPath::adx;
  if (best != CpuPath::ifma)
    return fail(Code::invalid_argument, "CUZK_CPU is ifma, but this processor has no AVX-512 IFMA");
  return CpuPath::ifma;
}

CpuPath process_cpu_path() noexcept {
  static const CpuPath path = initial_cpu_path();
  return path;
}

CpuPath active_cpu_path() noexcept { return of_thread.is_set ? of_thread.path : process_cpu_path(); }

CpuPathScope::CpuPathScope(CpuPath path) noexcept : former_(of_thread.path), had_former_(of_thread.is_set) {
  of_thread = {.path = path, .is_set = true};
}

CpuPathScope::~CpuPathScope() { of_thread = {.path = former_, .is_set = had_former_}; }

}  // namespace cuzk
