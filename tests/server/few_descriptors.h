// A process that may have few descriptors, and has taken most of them.
#pragma once

#include <unistd.h>

#include <vector>

#include <sys/resource.h>

#include "support/file_descriptor.h"

namespace cuzk::server {

class FewDescriptors {
 public:
  static constexpr int kLimit = 120;
  /// Whether the process can do without any. UBSan, built with ASan here, looks at an object through a pipe, and takes
  /// its type for a wrong one where it gets none.
#ifdef __SANITIZE_ADDRESS__
  static constexpr bool kNoneMayBeLeft = false;
#else
  static constexpr bool kNoneMayBeLeft = true;
#endif

  FewDescriptors() {
    getrlimit(RLIMIT_NOFILE, &former_);
    rlimit few = former_;
    few.rlim_cur = kLimit;
    setrlimit(RLIMIT_NOFILE, &few);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &former_); }

  /// All but so many, the highest ones.
  void take_all_but(int left) {
    do {
      taken_.emplace_back(dup(STDERR_FILENO));
    } while (taken_.back() && taken_.back().get() < kLimit - left - 1);
  }
  void give_back() { taken_.clear(); }

 private:
  rlimit former_{};
  std::vector<FileDescriptor> taken_;
};

}  // namespace cuzk::server
