// CudaDevice: one device as the backends of both curves share it.
//
// Thread-safety: concurrently. Every thread that calls the runtime for it calls use() before.
#pragma once

#include <atomic>
#include <memory>

#include "backend/cuda/arena.h"
#include "backend/cuda/devices.h"
#include "backend/cuda/phase_log.h"
#include "backend/cuda/upload.h"

namespace cuzk::backend {

class CudaDevice {
  struct Private {};

 public:
  static Result<std::shared_ptr<CudaDevice>> open(Arena& host, const CudaDeviceInfo& info, const CudaOptions& options);
  struct Parts {
    std::shared_ptr<cuda::DeviceArena> arena;
    std::unique_ptr<cuda::Uploader> uploader;
    cuda::Stream copies;
    std::unique_ptr<cuda::DeviceClock> clock;
  };
  CudaDevice(Private, Arena& host, const CudaDeviceInfo& info, const CudaOptions& options, Parts parts)
      : host_(host), info_(info), options_(options), parts_(std::move(parts)) {}

  /// Makes it the calling thread's.
  Status use() const;
  /// A sticky error.
  Status health() const;

  Arena& host() const noexcept { return host_; }
  const CudaOptions& options() const noexcept { return options_; }
  cuda::DeviceArena& arena() const noexcept { return *parts_.arena; }
  cuda::Uploader& uploader() const noexcept { return *parts_.uploader; }
  /// All inputs of proofs cross on this.
  const cuda::Stream& copies() const noexcept { return parts_.copies; }
  cuda::DeviceClock& clock() const noexcept { return *parts_.clock; }
  /// What a load leaves free, so that proofs with the keys that were loaded have room.
  std::uint64_t working_bytes() const noexcept { return working_bytes_; }
  void expect_working_bytes(std::uint64_t bytes) noexcept {
    std::uint64_t known = working_bytes_;
    while (known < bytes && !working_bytes_.compare_exchange_weak(known, bytes)) {
    }
  }
  /// Whether so much can stay here for long.
  bool has_room(std::uint64_t bytes) const { return arena().leaves_room(bytes, working_bytes_); }
  /// Proofs that hold memory.
  std::atomic<unsigned>& proofs() noexcept { return proofs_; }

 private:
  Arena& host_;
  const CudaDeviceInfo info_;
  const CudaOptions options_;
  Parts parts_;
  std::atomic<unsigned> proofs_ = 0;
  std::atomic<std::uint64_t> working_bytes_ = 0;
};

}  // namespace cuzk::backend
