// Ranges for profilers: NVIDIA's tools show what a thread was queueing, by the names of phases, in the domain "cuzk".
//
// Without a tool a range costs some nanoseconds; nothing is linked for it. Ends in the thread that it began in.
// Thread-safety: concurrently.
#pragma once

namespace cuzk::cuda {

class NvtxRange {
 public:
  explicit NvtxRange(const char* name) noexcept;
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange();
};

}  // namespace cuzk::cuda
