#include "memory/page_block.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include <sys/mman.h>

#include "memory/memory_size.h"
#include "support/os_error.h"

namespace cuzk::memory {

namespace {

Error map_error(int error_number, std::size_t bytes) {
  return os_error(error_number, "cannot map " + format_memory_size(bytes) + " of memory")
      .context("limits: address space (RLIMIT_AS), sysctl vm.max_map_count and vm.overcommit_memory, cgroup");
}

/// Cuts the ends off a mapping, so that `bytes` from an aligned address are left.
std::byte* keep_aligned(std::byte* mapped, std::size_t mapped_bytes, std::size_t bytes, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::size_t before = (alignment - address % alignment) % alignment;
  const std::size_t after = mapped_bytes - before - bytes;
  if (before > 0) ::munmap(mapped, before);
  if (after > 0) ::munmap(mapped + before + bytes, after);
  return mapped + before;
}

}  // namespace

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

Result<PageBlock> PageBlock::map(std::size_t bytes) {
  CUZK_REQUIRE(bytes > 0 && bytes % page_bytes() == 0);
  const std::size_t alignment = bytes >= kHugePageBytes ? kHugePageBytes : page_bytes();
  const std::size_t mapped_bytes = bytes + alignment - page_bytes();
  void* const mapped = ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return fail(map_error(errno, bytes));
  std::byte* const data = keep_aligned(static_cast<std::byte*>(mapped), mapped_bytes, bytes, alignment);
  static_cast<void>(::madvise(data, bytes, MADV_HUGEPAGE));  // a wish
  static_cast<void>(::madvise(data, bytes, MADV_DONTFORK));
  return PageBlock(data, bytes);
}

PageBlock::PageBlock(PageBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

PageBlock& PageBlock::operator=(PageBlock&& other) noexcept {
  if (this != &other) {
    unmap();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

PageBlock::~PageBlock() { unmap(); }

void PageBlock::unmap() noexcept {
  if (data_ != nullptr) ::munmap(data_, size_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace cuzk::memory
