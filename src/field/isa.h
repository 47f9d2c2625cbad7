// How field products are computed, as a type: Fp<P, Isa> has the same bytes in memory for every Isa.
//
// A hot entry point (MSM, NTT, pairing, ...) picks the best Isa of the machine once with `with_isa` and runs one
// template over views of its arguments (`view_as`, field/fp.h). No branch per product, and no translation unit needs
// compiler flags of its own: the Adx products are inline assembly, lanes are functions with a target of their own
// (field/fp_lanes.h). CUZK_CPU=portable|adx|ifma forces one (support/cpu_features.h).
#pragma once

#include "support/cpu_features.h"

namespace cuzk {

/// unsigned __int128 arithmetic; runs everywhere and in constant expressions.
struct Portable {};
/// x86-64 MULX, ADCX, ADOX (BMI2 and ADX; Intel since Broadwell, AMD since Zen).
struct Adx {};

/// Calls f.template operator()<Isa>() with the Isa of active_cpu_path() and returns its result.
template <class F> decltype(auto) with_isa(F&& f) {
#if defined(__x86_64__)
  if (active_cpu_path() != CpuPath::portable) return f.template operator()<Adx>();
#endif
  return f.template operator()<Portable>();
}

/// Whether kernels that have lanes use them. As with_isa, to be asked once, on the thread on which the work begins.
inline bool has_lanes() noexcept {
#if defined(__x86_64__)
  return active_cpu_path() == CpuPath::ifma;
#else
  return false;
#endif
}

}  // namespace cuzk
