#include "memory/host_buffer.h"

#include <cstring>
#include <utility>

#include "memory/pinned_pool.h"

namespace cuzk::memory {

HostBuffer::HostBuffer(HostBuffer&& other) noexcept { *this = std::move(other); }

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  pool_ = std::exchange(other.pool_, nullptr);
  size_ = std::exchange(other.size_, 0);
  large_count_ = std::exchange(other.large_count_, 0);
  large_shift_ = other.large_shift_;
  small_shift_ = other.small_shift_;
  pageable_bytes_ = std::exchange(other.pageable_bytes_, 0);
  chunks_ = std::exchange(other.chunks_, {});
  reservation_ = std::move(other.reservation_);
  fences_ = std::exchange(other.fences_, {});
  return *this;
}

HostBuffer::~HostBuffer() { release(); }

void HostBuffer::release() noexcept {
  const std::shared_ptr<PinnedPool> pool = std::exchange(pool_, nullptr);
  if (!pool) return;
  for (const auto& fence : std::exchange(fences_, {})) fence->wait();
  pool->take_back(size_, std::exchange(chunks_, {}), std::move(reservation_));
  size_ = 0;
  large_count_ = 0;
  pageable_bytes_ = 0;
}

void HostBuffer::return_after(std::unique_ptr<CopyFence> fence) { fences_.push_back(std::move(fence)); }

HostBuffer::Place HostBuffer::place_of(std::uint64_t offset) const noexcept {
  const std::uint64_t large_bytes = static_cast<std::uint64_t>(large_count_) << large_shift_;
  if (offset < large_bytes) {
    return {static_cast<std::size_t>(offset >> large_shift_), offset & ((std::uint64_t{1} << large_shift_) - 1)};
  }
  const std::uint64_t rest = offset - large_bytes;
  return {large_count_ + static_cast<std::size_t>(rest >> small_shift_),
          rest & ((std::uint64_t{1} << small_shift_) - 1)};
}

MutableBytes HostBuffer::chunk(std::size_t index) const noexcept {
  const MutableBytes whole = chunks_[index].block.bytes();
  if (index + 1 < chunks_.size()) return whole;
  return whole.first(whole.size() - static_cast<std::size_t>(footprint() - size_));
}

void HostBuffer::for_each_part(std::uint64_t offset, std::uint64_t count,
                               FunctionRef<void(MutableBytes, std::uint64_t)> body) const {
  CUZK_REQUIRE(offset <= size_ && count <= size_ - offset);
  while (count > 0) {
    const Place place = place_of(offset);
    const MutableBytes rest = chunk(place.chunk).subspan(static_cast<std::size_t>(place.offset));
    const std::uint64_t length = std::min<std::uint64_t>(rest.size(), count);
    body(rest.first(static_cast<std::size_t>(length)), offset);
    offset += length;
    count -= length;
  }
}

void HostBuffer::write(std::uint64_t offset, Bytes from) const {
  for_each_part(offset, from.size(), [&](MutableBytes part, std::uint64_t at) {
    std::memcpy(part.data(), from.data() + (at - offset), part.size());
  });
}

void HostBuffer::read(std::uint64_t offset, MutableBytes to) const {
  for_each_part(offset, to.size(), [&](MutableBytes part, std::uint64_t at) {
    std::memcpy(to.data() + (at - offset), part.data(), part.size());
  });
}

}  // namespace cuzk::memory
