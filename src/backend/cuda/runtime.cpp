#include "backend/cuda/runtime.h"

#include <string>

namespace cuzk::cuda {

Status check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());  // what can be cleared is cleared
  const std::string_view path = file;
  return fail(status == cudaErrorMemoryAllocation ? Code::exhausted : Code::device,
              std::string(call) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status) + " (" +
                  std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(line) + ")");
}

Result<Stream> Stream::create(bool urgent) {
  int lowest = 0, highest = 0;
  CUZK_CUDA(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  cudaStream_t stream = nullptr;
  CUZK_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, urgent ? highest : lowest));
  return Stream(stream);
}
Stream::~Stream() {
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}
Status Stream::wait() const {
  CUZK_CUDA(cudaStreamSynchronize(stream_));
  return {};
}

Result<Event> Event::create(bool timed) {
  cudaEvent_t event = nullptr;
  CUZK_CUDA(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | (timed ? 0 : cudaEventDisableTiming)));
  return Event(event);
}
Event::~Event() {
  if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
}
Status Event::record(const Stream& stream) const {
  CUZK_CUDA(cudaEventRecord(event_, stream.get()));
  return {};
}
Status Event::delay(const Stream& stream) const {
  CUZK_CUDA(cudaStreamWaitEvent(stream.get(), event_, 0));
  return {};
}
Status Event::wait() const {
  CUZK_CUDA(cudaEventSynchronize(event_));
  return {};
}
Result<float> Event::elapsed_ms(const Event& from, const Event& to) {
  float ms = 0;
  CUZK_CUDA(cudaEventElapsedTime(&ms, from.event_, to.event_));
  return ms;
}

Result<DeviceBuffer> DeviceBuffer::create(std::size_t bytes) {
  void* data = nullptr;
  CUZK_CUDA(cudaMalloc(&data, bytes));
  return DeviceBuffer(data, bytes, std::shared_ptr<const void>(data, [](void* p) { static_cast<void>(cudaFree(p)); }));
}

}  // namespace cuzk::cuda
