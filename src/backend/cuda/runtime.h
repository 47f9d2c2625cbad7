// Handles of the CUDA runtime: streams, events, memory of a device.
//
// Everything that a call reports becomes an Error: exhausted for memory, device for all else, with the call, CUDA's
// name and text of the error, and the place. Handles are move-only; what their ends report has been reported by a call
// before. All work is queued on a stream that is named; nothing here waits but wait(). Thread-safety: a handle belongs
// to one thread at a time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "support/function_ref.h"
#include "support/result.h"

namespace cuzk::cuda {

Status check(cudaError_t status, const char* call, const char* file, int line);

/// Elements in the memory of a device.
template <class T> struct DeviceSpan {
  T* data = nullptr;
  std::size_t size = 0;

  DeviceSpan subspan(std::size_t from, std::size_t count) const { return {data + from, count}; }
};

/// Blocks of a launch: so many threads in blocks of `block`, the last one perhaps not full.
inline unsigned blocks_for(std::uint64_t threads, unsigned block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

class Stream {
 public:
  /// `urgent`: its kernels go before those of other streams that have not begun.
  static Result<Stream> create(bool urgent = false);
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~Stream();

  cudaStream_t get() const noexcept { return stream_; }
  /// Until all that was queued has run.
  Status wait() const;

 private:
  explicit Stream(cudaStream_t stream) noexcept : stream_(stream) {}
  cudaStream_t stream_;
};

class Event {
 public:
  /// `timed`: for elapsed_ms.
  static Result<Event> create(bool timed = false);
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event();

  /// Happens when all that is queued on the stream now has run.
  Status record(const Stream& stream) const;
  /// What is queued on the stream from now on begins after the event.
  Status delay(const Stream& stream) const;
  Status wait() const;
  static Result<float> elapsed_ms(const Event& from, const Event& to);

 private:
  explicit Event(cudaEvent_t event) noexcept : event_(event) {}
  cudaEvent_t event_;
};

/// Bytes in the memory of a device, and whatever they go back to at the end: the driver, or an arena.
class DeviceBuffer {
 public:
  /// From the driver, on the current device: outside of hot paths (taking and giving back both wait for the device).
  static Result<DeviceBuffer> create(std::size_t bytes);
  DeviceBuffer() noexcept = default;
  /// `owner`: as long as it lives the bytes may be used.
  DeviceBuffer(void* data, std::size_t bytes, std::shared_ptr<const void> owner) noexcept
      : data_(data), bytes_(bytes), owner_(std::move(owner)) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        owner_(std::move(other.owner_)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer moved(std::move(other));
    std::swap(data_, moved.data_);
    std::swap(bytes_, moved.bytes_);
    std::swap(owner_, moved.owner_);
    return *this;
  }
  ~DeviceBuffer() = default;

  std::size_t bytes() const noexcept { return bytes_; }
  template <class T> DeviceSpan<T> as() const noexcept { return {static_cast<T*>(data_), bytes_ / sizeof(T)}; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::shared_ptr<const void> owner_;
};

/// Where memory of a device comes from.
using DeviceMemorySource = FunctionRef<Result<DeviceBuffer>(std::size_t bytes)>;

/// Parts of one buffer, given out one after the other, each at a multiple of 256 bytes. A part that would go beyond the
/// end is a fault of whoever computed the size, and ends the program.
class Workspace {
 public:
  explicit Workspace(DeviceSpan<std::byte> memory) noexcept : memory_(memory) {}

  template <class T> DeviceSpan<T> take(std::size_t count) {
    const std::size_t bytes = padded(count * sizeof(T));
    CUZK_REQUIRE(bytes <= memory_.size - used_);
    T* const data = reinterpret_cast<T*>(memory_.data + used_);
    used_ += bytes;
    return {data, count};
  }
  static constexpr std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

 private:
  DeviceSpan<std::byte> memory_;
  std::size_t used_ = 0;
};

}  // namespace cuzk::cuda

#define CUZK_CUDA(call) CUZK_CHECK_OK(::cuzk::cuda::check((call), #call, __FILE__, __LINE__))
