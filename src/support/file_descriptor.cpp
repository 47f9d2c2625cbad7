#include "support/file_descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace cuzk {

int FileDescriptor::close() noexcept {
  if (fd_ < 0) return 0;
  // Linux frees the number even when close(2) fails: it is never tried again.
  return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno;
}

}  // namespace cuzk
