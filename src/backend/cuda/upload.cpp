#include "backend/cuda/upload.h"

#include <algorithm>

namespace cuzk::cuda {

Result<std::unique_ptr<Uploader>> Uploader::create() {
  std::unique_ptr<Uploader> uploader(new Uploader());
  void* memory = nullptr;
  CUZK_CUDA(cudaMallocHost(&memory, kChunks * kChunkBytes));
  uploader->memory_ = static_cast<std::byte*>(memory);
  const MutexLock lock(uploader->mutex_);
  for (unsigned i = 0; i < kChunks; ++i) {
    CUZK_TRY(auto event, Event::create());
    uploader->copied_.push_back(std::move(event));
  }
  return uploader;
}

Uploader::~Uploader() {
  if (memory_ != nullptr) static_cast<void>(cudaFreeHost(memory_));
}

/// The lock is held while a chunk is filled: what others would copy meanwhile comes after it anyhow.
Status Uploader::copy_part(const Stream& stream, DeviceSpan<std::byte> to, std::size_t offset, Fill fill) {
  const MutexLock lock(mutex_);
  const unsigned chunk = next_;
  std::byte* const from = memory_ + chunk * kChunkBytes;
  CUZK_CHECK_OK(copied_[chunk].wait());
  CUZK_CHECK_OK(fill(offset, {from, to.size}));
  CUZK_CUDA(cudaMemcpyAsync(to.data, from, to.size, cudaMemcpyHostToDevice, stream.get()));
  next_ = (next_ + 1) % kChunks;
  return copied_[chunk].record(stream);
}

Status Uploader::upload(const Stream& stream, DeviceSpan<std::byte> to, std::size_t granule, Fill fill) {
  const std::size_t most = kChunkBytes / granule * granule;
  for (std::size_t offset = 0; offset < to.size; offset += most) {
    CUZK_CHECK_OK(copy_part(stream, to.subspan(offset, std::min(most, to.size - offset)), offset, fill));
  }
  return {};
}

Status Uploader::stream_through(const Stream& stream, DeviceSpan<std::byte> buffer, std::size_t bytes,
                                std::size_t granule, Fill fill, Use use) {
  const std::size_t most = buffer.size / granule * granule;
  for (std::size_t offset = 0; offset < bytes; offset += most) {
    const auto part = buffer.subspan(0, std::min(most, bytes - offset));
    CUZK_CHECK_OK(
        upload(stream, part, granule, [&](std::size_t at, MutableBytes to) { return fill(offset + at, to); }));
    CUZK_CHECK_OK(use(offset, part));
  }
  return {};
}

Status Uploader::download(const Stream& stream, DeviceSpan<const std::byte> from, Drain drain) {
  const MutexLock lock(mutex_);
  const std::size_t chunks = (from.size + kChunkBytes - 1) / kChunkBytes;
  const auto part = [&](std::size_t number) { return (next_ + number) % kChunks; };
  const auto size = [&](std::size_t number) { return std::min(kChunkBytes, from.size - number * kChunkBytes); };
  const auto begin = [&](std::size_t number) -> Status {
    const auto& copied = copied_[part(number)];
    CUZK_CHECK_OK(copied.wait());
    CUZK_CUDA(cudaMemcpyAsync(memory_ + part(number) * kChunkBytes, from.data + number * kChunkBytes, size(number),
                              cudaMemcpyDeviceToHost, stream.get()));
    return copied.record(stream);
  };
  for (std::size_t number = 0; number < std::min<std::size_t>(chunks, kChunks); ++number) CUZK_CHECK_OK(begin(number));
  for (std::size_t number = 0; number < chunks; ++number) {
    CUZK_CHECK_OK(copied_[part(number)].wait());
    CUZK_CHECK_OK(drain(number * kChunkBytes, {memory_ + part(number) * kChunkBytes, size(number)}));
    if (number + kChunks < chunks) CUZK_CHECK_OK(begin(number + kChunks));
  }
  return {};
}

}  // namespace cuzk::cuda
