// CudaDriver: the few functions of CUDA's driver that page-locked memory needs, found at run time.
//
// Nothing is linked: libcuda.so.1 comes with the driver and is there only on machines with a device. The primary
// context of the first device, which takes memory there, is made by the first call and kept as long as the object
// lives; memory registered as portable is page-locked for all devices. Source: CUDA driver API
// (docs.nvidia.com/cuda/cuda-driver-api), declared here anew.
//
// Errors: load: unavailable (no driver, no device; the text says which), device; the calls: device, exhausted (out of
// memory), with the driver's own name of the error. Thread-safety: concurrently; each call makes the context current
// for its duration, whatever thread it is on.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "support/bytes.h"
#include "support/result.h"

namespace cuzk::memory {

class CudaDriver {
  struct Functions;

 public:
  static Result<std::shared_ptr<CudaDriver>> load();
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;
  ~CudaDriver();

  /// Of the first device.
  const std::string& device_name() const noexcept { return device_name_; }

  /// cuMemHostRegister, portable. precondition: page-aligned, whole pages.
  Status register_host(MutableBytes block) const;
  Status unregister_host(MutableBytes block) const;

  struct Memory {
    std::uint64_t free_bytes = 0;
    std::uint64_t total_bytes = 0;
  };
  Result<Memory> memory() const;

  // For measuring copies.

  Result<std::uint64_t> allocate(std::size_t bytes) const;
  Status free(std::uint64_t device_address) const;
  /// Returns when it is done.
  Status copy_to_device(std::uint64_t device_address, Bytes from) const;
  Status copy_from_device(MutableBytes to, std::uint64_t device_address) const;

 private:
  explicit CudaDriver(std::unique_ptr<Functions> functions);
  Status open_device();
  Error error_of(int status, std::string_view call) const;
  /// Calls with the context current: call() gives the driver's status.
  template <class Call> Status with_context(std::string_view name, Call call) const;

  /// Null: the driver has said why, in `retained_`.
  void* context() const;

  const std::unique_ptr<Functions> functions_;
  int device_ = 0;
  std::string device_name_;
  mutable std::once_flag retain_;
  mutable int retained_ = 0;
  mutable void* context_ = nullptr;
};

}  // namespace cuzk::memory
