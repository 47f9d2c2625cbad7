#include "backend/cuda/order.h"

namespace cuzk::cuda {

namespace {

/// A thread a word of 16 bytes: those of an element lie beside each other.
__global__ void __launch_bounds__(256)
    swap_reversed(uint4* data, unsigned words, unsigned log_size, std::uint64_t threads) {
  const std::uint64_t t = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (t >= threads) return;
  const std::uint64_t i = t / words;
  const std::uint64_t j = __brevll(i) >> (64 - log_size);
  if (i >= j) return;
  const unsigned word = static_cast<unsigned>(t % words);
  uint4& a = data[i * words + word];
  uint4& b = data[j * words + word];
  const uint4 kept = a;
  a = b;
  b = kept;
}

}  // namespace

Status reverse_order(const Stream& stream, DeviceSpan<std::byte> data, unsigned element_bytes, unsigned log_size) {
  if (log_size < 2) return {};  // nothing changes its place
  const unsigned words = element_bytes / 16;
  const std::uint64_t elements = (std::uint64_t{1} << log_size) - 1;
  CUZK_REQUIRE(element_bytes % 16 == 0 && data.size >= elements * element_bytes);
  const std::uint64_t threads = elements * words;
  swap_reversed<<<blocks_for(threads, 256), 256, 0, stream.get()>>>(reinterpret_cast<uint4*>(data.data), words,
                                                                    log_size, threads);
  CUZK_CUDA(cudaGetLastError());
  return {};
}

}  // namespace cuzk::cuda
