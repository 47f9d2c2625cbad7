// CpuPathScope: the code path for field products of what this thread calls while it lives, instead of the process' own.
//
// An entry point (MSM, NTT, ...) chooses its path on the calling thread and takes it to all threads that work for it
// (field/isa.h); so a computation is repeated by other means without touching those beside it. What those threads
// choose anew inside a chunk, element-wise products in bulk, goes the process' own way. Scopes nest. Thread-safety: a
// value of one thread.
#pragma once

#include "support/cpu_features.h"

namespace cuzk {

class CpuPathScope {
 public:
  /// precondition: the processor has the path.
  explicit CpuPathScope(CpuPath path) noexcept;
  CpuPathScope(const CpuPathScope&) = delete;
  CpuPathScope& operator=(const CpuPathScope&) = delete;
  ~CpuPathScope();

 private:
  CpuPath former_;
  bool had_former_;
};

/// The path of the process, whatever scope there is: for choices that are made once.
CpuPath process_cpu_path() noexcept;

}  // namespace cuzk
