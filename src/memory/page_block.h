// PageBlock: anonymous memory straight from the kernel, in huge pages where it gives them.
//
// Zero at first and not touched; aligned to 2 MiB when that long, else to a page; not inherited by child processes.
// Errors: exhausted, with the limits that may be the cause. Thread-safety: a value; its bytes are the holder's.
#pragma once

#include <cstddef>

#include "support/bytes.h"
#include "support/result.h"

namespace cuzk::memory {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

std::size_t page_bytes() noexcept;

class PageBlock {
 public:
  PageBlock() noexcept = default;
  /// precondition: bytes > 0, a multiple of page_bytes().
  static Result<PageBlock> map(std::size_t bytes);
  PageBlock(PageBlock&& other) noexcept;
  PageBlock& operator=(PageBlock&& other) noexcept;
  PageBlock(const PageBlock&) = delete;
  PageBlock& operator=(const PageBlock&) = delete;
  ~PageBlock();

  MutableBytes bytes() const noexcept { return {data_, size_}; }
  std::size_t size() const noexcept { return size_; }

 private:
  PageBlock(std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}
  void unmap() noexcept;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cuzk::memory
