// HostBuffer: memory for what crosses to a device (a, b, c; witnesses), in page-locked chunks where it may be.
//
// It comes from a PinnedPool and owns its chunks and the Reservation of their bytes together; its end, on whatever
// path, returns both. Chunks are large ones first, then small ones for the rest, each a multiple of 4,096 bytes; so
// elements whose size is a power of two up to that are never cut. Capacity is fixed: there is no way to grow. Contents
// are unspecified at first. A chunk knows whether it is page-locked; one that is not works just as well, only slower.
// Units: bytes. Thread-safety: a value; disjoint parts of the bytes may be written concurrently. Lock rank: the end of
// a buffer takes the pool's lock (45).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "memory/page_block.h"
#include "memory/reservation.h"
#include "support/bytes.h"
#include "support/function_ref.h"
#include "support/result.h"

namespace cuzk::memory {

class PinnedPool;

/// Something that still reads the buffer without a thread of ours: a queued copy to a device.
class CopyFence {
 public:
  CopyFence() = default;
  CopyFence(const CopyFence&) = delete;
  CopyFence& operator=(const CopyFence&) = delete;
  virtual ~CopyFence() = default;
  /// Returns when it reads no more; also after an error of the device.
  virtual void wait() noexcept = 0;
};

/// Elements of a HostBuffer. sizeof(T) is a power of two up to 4,096; T is nothing but its bytes.
template <class T> class ChunkedSpan;

class HostBuffer {
 public:
  /// No buffer.
  HostBuffer() noexcept = default;
  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&& other) noexcept;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer();

  /// What was asked for; the chunks' bytes together.
  std::uint64_t size() const noexcept { return size_; }
  /// What it costs: whole chunks.
  std::uint64_t footprint() const noexcept { return reservation_.bytes(); }
  const Reservation& reservation() const noexcept { return reservation_; }
  /// From now on another consumer's, in the budget's books.
  void transfer(MemoryTag tag, std::string_view owner) { reservation_.transfer(tag, owner); }

  std::size_t chunk_count() const noexcept { return chunks_.size(); }
  /// The usable bytes of a chunk: all of it, except in the last one. precondition: index < chunk_count().
  MutableBytes chunk(std::size_t index) const noexcept;
  bool chunk_is_pinned(std::size_t index) const noexcept { return chunks_[index].pinned; }
  /// All chunks are; true for no chunks.
  bool is_pinned() const noexcept { return pageable_bytes_ == 0; }
  std::uint64_t pinned_bytes() const noexcept { return footprint() - pageable_bytes_; }
  std::uint64_t pageable_bytes() const noexcept { return pageable_bytes_; }

  /// body(bytes of one chunk, offset of their first byte in the buffer) over [offset, offset + count), in order.
  /// precondition: the range lies within size().
  void for_each_part(std::uint64_t offset, std::uint64_t count,
                     FunctionRef<void(MutableBytes, std::uint64_t)> body) const;
  /// precondition: offset + from.size() <= size().
  void write(std::uint64_t offset, Bytes from) const;
  void read(std::uint64_t offset, MutableBytes to) const;

  template <class T> ChunkedSpan<T> as() const noexcept { return ChunkedSpan<T>(*this); }

  /// Puts off the return until the fence has been passed: the destructor waits for it.
  void return_after(std::unique_ptr<CopyFence> fence);
  /// Returns it now.
  void release() noexcept;

 private:
  friend class PinnedPool;

  struct Chunk {
    PageBlock block;
    bool pinned = false;
  };
  struct Place {
    std::size_t chunk;
    std::uint64_t offset;
  };

  Place place_of(std::uint64_t offset) const noexcept;

  std::shared_ptr<PinnedPool> pool_;
  std::uint64_t size_ = 0;
  std::size_t large_count_ = 0;       // the first chunks; the others are small
  unsigned large_shift_ = 0;          // log2 of a large chunk's bytes
  unsigned small_shift_ = 0;          // log2 of a small chunk's bytes
  std::uint64_t pageable_bytes_ = 0;  // of the footprint
  std::vector<Chunk> chunks_;
  Reservation reservation_;
  std::vector<std::unique_ptr<CopyFence>> fences_;
};

template <class T> class ChunkedSpan {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 4096 && (sizeof(T) & (sizeof(T) - 1)) == 0,
                "elements of a power of two bytes are never cut by the end of a chunk");

 public:
  /// The buffer must outlive this.
  explicit ChunkedSpan(const HostBuffer& buffer) noexcept : buffer_(&buffer) {}

  std::uint64_t size() const noexcept { return buffer_->size() / sizeof(T); }
  std::size_t chunk_count() const noexcept { return buffer_->chunk_count(); }
  /// Whole elements of one chunk.
  std::span<T> chunk(std::size_t index) const noexcept { return elements(buffer_->chunk(index)); }

  /// body(span of elements, index of the first) over [begin, end), a span for each chunk, in order.
  /// precondition: begin <= end <= size().
  template <class Body> void for_each_part(std::uint64_t begin, std::uint64_t end, Body&& body) const {
    buffer_->for_each_part(begin * sizeof(T), (end - begin) * sizeof(T),
                           [&](MutableBytes part, std::uint64_t offset) { body(elements(part), offset / sizeof(T)); });
  }

  /// One element: a few shifts; loops go by parts. precondition: index < size().
  T& operator[](std::uint64_t index) const noexcept;

 private:
  static std::span<T> elements(MutableBytes bytes) noexcept {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  const HostBuffer* buffer_;
};

template <class T> T& ChunkedSpan<T>::operator[](std::uint64_t index) const noexcept {
  T* found = nullptr;
  buffer_->for_each_part(index * sizeof(T), sizeof(T),
                         [&](MutableBytes part, std::uint64_t) { found = reinterpret_cast<T*>(part.data()); });
  return *found;
}

}  // namespace cuzk::memory
