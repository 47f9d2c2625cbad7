// The CUDA devices that the service proves on: which there are, which of them a configuration means, and how they
// become devices of the engine. A program that was built without CUDA, or that runs where there is no driver, has none.
//
// Thread-safety: pure functions of their arguments and of the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/devices.h"
#include "engine/proving_circuit.h"

namespace cuzk::server {

/// Whether this program can use CUDA devices at all.
bool built_with_cuda() noexcept;

using VisibleDevices = Result<std::vector<backend::CudaDeviceInfo>>;

/// unavailable, saying why: built without CUDA, no driver, no device.
VisibleDevices visible_accelerators();

struct ChosenAccelerators {
  std::vector<backend::CudaDeviceInfo> devices;
  std::vector<std::string> warnings;
};
/// `named`: ordinals, or UUIDs or their first letters; empty: all that there are. A name that means none, or several,
/// is a warning, and so are names where there is no device at all.
ChosenAccelerators choose_accelerators(const std::vector<std::string>& named, const VisibleDevices& visible);

/// As the engine's devices are called: "NVIDIA H200 (GPU-...)".
std::string full_name(const backend::CudaDeviceInfo& device);

/// Takes the device's free memory, or as much of it as the limit says. Errors: of open_cuda_device. The arena must
/// outlive the device.
Result<engine::Device> open_accelerator(Arena& arena, const backend::CudaDeviceInfo& device,
                                        std::optional<std::uint64_t> limit_bytes = std::nullopt);

}  // namespace cuzk::server
