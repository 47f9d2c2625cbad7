// Copies between any memory of the host and a device, through page-locked chunks: several threads fill the next while
// the last ones cross (support/parallel_copy.h). From ordinary memory that is as fast as the link where there are cores
// enough; copied by the driver it would be a seventh.
//
// One for each device, with kChunks chunks that are made once. Errors: device, those of the filler. Thread-safety:
// concurrently; copies of several threads take turns, a chunk each.
#pragma once

#include <memory>
#include <vector>

#include "backend/cuda/runtime.h"
#include "support/bytes.h"
#include "support/mutex.h"

namespace cuzk::cuda {

class Uploader {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t{8} << 20;
  static constexpr unsigned kChunks = 8;

  /// Of the current device.
  static Result<std::unique_ptr<Uploader>> create();
  ~Uploader();
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;

  /// Writes the bytes from `offset` on of what is to be copied.
  using Fill = FunctionRef<Status(std::size_t offset, MutableBytes to)>;
  /// Queues the copy of to.size bytes, in parts that are multiples of `granule` bytes; all have been read when it
  /// returns. precondition: granule <= kChunkBytes.
  Status upload(const Stream& stream, DeviceSpan<std::byte> to, std::size_t granule, Fill fill);

  /// The same part by part into one buffer: `use` queues what reads a part, before the next one is copied over it.
  /// precondition: the buffer has room for a granule; while a part is read nothing crosses, so several chunks are
  /// better.
  using Use = FunctionRef<Status(std::size_t offset, DeviceSpan<std::byte> part)>;
  Status stream_through(const Stream& stream, DeviceSpan<std::byte> buffer, std::size_t bytes, std::size_t granule,
                        Fill fill, Use use);

  /// Reads the bytes from `offset` on of what is copied.
  using Drain = FunctionRef<Status(std::size_t offset, Bytes from)>;
  /// Waits for the stream and copies to the host, chunk by chunk; others wait meanwhile.
  Status download(const Stream& stream, DeviceSpan<const std::byte> from, Drain drain);

 private:
  Uploader() = default;
  Status copy_part(const Stream& stream, DeviceSpan<std::byte> to, std::size_t offset, Fill fill);

  Mutex mutex_;
  std::byte* memory_ = nullptr;
  std::vector<Event> copied_ CUZK_GUARDED_BY(mutex_);  // the chunk may be filled again
  unsigned next_ CUZK_GUARDED_BY(mutex_) = 0;
};

}  // namespace cuzk::cuda
