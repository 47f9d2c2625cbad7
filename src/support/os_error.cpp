#include "support/os_error.h"

#include <cerrno>
#include <system_error>

namespace cuzk {

namespace {

Code code_of(int error_number) noexcept {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
      return Code::not_found;
    case ENOMEM:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case EAGAIN:
      return Code::exhausted;
    case EISDIR:
    case EINVAL:
    case EROFS:
      return Code::invalid_argument;
    default:
      return Code::unavailable;
  }
}

}  // namespace

Error os_error(int error_number, std::string_view doing) {
  return Error(code_of(error_number), std::string(doing) + ": " + std::generic_category().message(error_number));
}

}  // namespace cuzk
