#include "backend/cuda/device.h"

#include <array>
#include <cstdio>

namespace cuzk::backend {

namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (unsigned i = 0; i < 16; ++i) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits.data();
  }
  return text;
}

class MemoryReader final : public memory::DeviceMemoryReader {
 public:
  explicit MemoryReader(int ordinal) : ordinal_(ordinal) {}

  Result<memory::DeviceMemory> read() override {
    std::size_t free = 0, total = 0;
    CUZK_CUDA(cudaSetDevice(ordinal_));
    CUZK_CUDA(cudaMemGetInfo(&free, &total));
    return memory::DeviceMemory{.total_bytes = total, .free_bytes = free};
  }

 private:
  int ordinal_;
};

}  // namespace

Result<std::vector<CudaDeviceInfo>> cuda_devices() {
  int count = 0;
  if (const Status counted = cuda::check(cudaGetDeviceCount(&count), "cudaGetDeviceCount", __FILE__, __LINE__);
      !counted || count == 0) {
    return fail(Code::unavailable, counted ? "the CUDA driver sees no device" : counted.error().message());
  }
  std::vector<CudaDeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    CUZK_CUDA(cudaGetDeviceProperties(&properties, i));
    devices.push_back({i, properties.name, uuid_text(properties.uuid), properties.totalGlobalMem});
  }
  return devices;
}

Result<std::shared_ptr<CudaDevice>> CudaDevice::open(Arena& host, const CudaDeviceInfo& info,
                                                     const CudaOptions& options) {
  CUZK_CUDA(cudaSetDevice(info.ordinal));
  // What the runtime itself takes is taken before the free memory is read.
  CUZK_TRY(auto copies, cuda::Stream::create(true));
  CUZK_TRY(auto uploader, cuda::Uploader::create());
  CUZK_TRY(auto clock, cuda::DeviceClock::create());
  memory::DeviceBudgetOptions budget;
  budget.name = info.name;
  budget.margin_bytes = options.margin_bytes;
  budget.limit_bytes = options.limit_bytes;
  budget.faults = options.faults;
  CUZK_TRY(auto paid, memory::DeviceBudget::create(std::move(budget), std::make_unique<MemoryReader>(info.ordinal)));
  CUZK_TRY(auto arena, cuda::DeviceArena::create(std::move(paid)));
  return std::make_shared<CudaDevice>(
      Private{}, host, info, options,
      Parts{std::move(arena), std::move(uploader), std::move(copies), std::move(clock)});
}

Status CudaDevice::use() const {
  CUZK_CUDA(cudaSetDevice(info_.ordinal));
  return {};
}

Status CudaDevice::health() const {
  CUZK_CHECK_OK(use());
  const cudaError_t state = cudaStreamQuery(parts_.copies.get());
  if (state == cudaSuccess || state == cudaErrorNotReady) return {};
  return fail(Code::device, info_.name + " (" + info_.uuid +
                                "): " + cuda::check(state, "cudaStreamQuery", __FILE__, __LINE__).error().message());
}

}  // namespace cuzk::backend
