// os_error: an errno of the operating system as an Error, with one table from errno to code.
//
// ENOENT, ENOTDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG: not_found; ENOMEM, ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE,
// EAGAIN: exhausted; EISDIR, EINVAL, EROFS: invalid_argument; all others: unavailable. Thread-safety: pure.
#pragma once

#include <string_view>

#include "support/result.h"

namespace cuzk {

/// "cannot open a/b: No such file or directory", for doing = "cannot open a/b".
Error os_error(int error_number, std::string_view doing);

}  // namespace cuzk
