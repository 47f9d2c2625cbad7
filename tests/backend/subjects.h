// The backends that the conformance tests hold to the same contract: the CPU's everywhere, CUDA's where the program has
// it and the machine a device.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/cuda/devices.h"

namespace cuzk::test {

template <class C> struct OnCpu {
  using Curve = C;
  static std::shared_ptr<backend::Backend<C>> make(Arena& arena) {
    return std::make_shared<backend::CpuBackend<C>>(arena);
  }
  static std::string why_none() { return {}; }
};

#ifdef CUZK_WITH_CUDA
/// The first device, opened once for all tests.
inline const Result<backend::CudaBackends>& first_device() {
  static Arena arena;
  static const Result<backend::CudaBackends> opened = [&]() -> Result<backend::CudaBackends> {
    CUZK_TRY(const auto devices, backend::cuda_devices());
    backend::CudaOptions options;
    options.margin_bytes = 0;
    options.limit_bytes = std::uint64_t{1} << 30;
    return backend::open_cuda_device(arena, devices.front(), options);
  }();
  return opened;
}
#else
inline Result<backend::CudaBackends> first_device() {
  return fail(Code::unavailable, "this program was built without CUDA");
}
#endif

template <class C> struct OnCuda {
  using Curve = C;
  static std::shared_ptr<backend::Backend<C>> make(Arena& /*arena*/) {
    const auto& device = first_device();
    if (!device) return nullptr;
    if constexpr (std::is_same_v<C, Bn254>) {
      return device->bn254;
    } else {
      return device->bls12_381;
    }
  }
  static std::string why_none() { return first_device().error().message(); }
};

using EveryBackend = testing::Types<OnCpu<Bn254>, OnCpu<Bls12_381>, OnCuda<Bn254>, OnCuda<Bls12_381>>;

/// What tests are called: "cpu_bn254".
struct BackendNames {
  template <class Subject> static std::string GetName(int /*index*/) {
    using C = typename Subject::Curve;
    const std::string curve = std::is_same_v<C, Bn254> ? "bn254" : "bls12_381";
    return (std::is_same_v<Subject, OnCpu<C>> ? "cpu_" : "cuda_") + curve;
  }
};

}  // namespace cuzk::test
