#include "support/random.h"

#include <cerrno>

#include <sys/random.h>

#include "support/os_error.h"

namespace cuzk {

Status fill_random(MutableBytes out) {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(Error(Code::unavailable, os_error(errno, "cannot read random bytes").message()));
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace cuzk
