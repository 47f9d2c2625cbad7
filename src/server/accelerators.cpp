#include "server/accelerators.h"

#include <algorithm>

namespace cuzk::server {

std::string full_name(const backend::CudaDeviceInfo& device) { return device.name + " (" + device.uuid + ")"; }

namespace {

using backend::CudaDeviceInfo;

bool is_meant(const std::string& name, const CudaDeviceInfo& device) {
  return name == std::to_string(device.ordinal) || device.uuid.starts_with(name);
}

std::string list_of(const std::vector<CudaDeviceInfo>& devices) {
  std::string list;
  for (const CudaDeviceInfo& device : devices) {
    list += (list.empty() ? "" : ", ") + std::to_string(device.ordinal) + " = " + full_name(device);
  }
  return list;
}

}  // namespace

ChosenAccelerators choose_accelerators(const std::vector<std::string>& named, const VisibleDevices& visible) {
  ChosenAccelerators chosen;
  if (!visible) {
    if (!named.empty()) {
      chosen.warnings.push_back("gpus.devices has no effect, the CPU proves: " + visible.error().message());
    }
    return chosen;
  }
  if (named.empty()) chosen.devices = *visible;
  for (const std::string& name : named) {
    const auto means = [&](const CudaDeviceInfo& device) { return is_meant(name, device); };
    const auto count = std::ranges::count_if(*visible, means);
    if (count != 1) {
      chosen.warnings.push_back("gpus.devices: " + name + (count == 0 ? " is no device" : " means several devices") +
                                " here; there are " + list_of(*visible));
      continue;
    }
    const CudaDeviceInfo& device = *std::ranges::find_if(*visible, means);
    const bool known =
        std::ranges::find(chosen.devices, device.ordinal, &CudaDeviceInfo::ordinal) != chosen.devices.end();
    if (!known) chosen.devices.push_back(device);
  }
  return chosen;
}

#ifdef CUZK_WITH_CUDA

bool built_with_cuda() noexcept { return true; }

VisibleDevices visible_accelerators() { return backend::cuda_devices(); }

Result<engine::Device> open_accelerator(Arena& arena, const CudaDeviceInfo& device,
                                        std::optional<std::uint64_t> limit_bytes) {
  backend::CudaOptions options;
  options.limit_bytes = limit_bytes;
  if (limit_bytes) options.margin_bytes = 0;  // the driver has all the rest
  CUZK_TRY(auto backends, backend::open_cuda_device(arena, device, options));
  engine::Device opened;
  opened.name = full_name(device);
  opened.is_cpu = false;
  opened.bn254 = std::move(backends.bn254);
  opened.bls12_381 = std::move(backends.bls12_381);
  return opened;
}

#else

bool built_with_cuda() noexcept { return false; }

VisibleDevices visible_accelerators() { return fail(Code::unavailable, "this program was built without CUDA"); }

Result<engine::Device> open_accelerator(Arena& /*arena*/, const CudaDeviceInfo& device,
                                        std::optional<std::uint64_t> /*limit_bytes*/) {
  return fail(Code::unavailable, full_name(device) + ": this program was built without CUDA");
}

#endif

}  // namespace cuzk::server
