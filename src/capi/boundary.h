// The border between C++ and C: results become codes, errors become objects, nothing throws across.
// Thread-safety: pure functions.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "cuzk/cuzk.h"
#include "support/result.h"

struct cuzk_error {
  cuzk_code code;
  std::string kind;
  std::string message;
};

namespace cuzk::capi {

cuzk_code code_of(Code code) noexcept;

/// Hands an error out (when the caller wants it) and returns its code.
cuzk_code report(Error&& error, cuzk_error** out) noexcept;
cuzk_code report(cuzk_code code, const char* message, cuzk_error** out) noexcept;

/// A NUL-terminated copy owned by the caller.
Result<cuzk_string> to_c_string(std::string_view text);

/// Runs a body that returns Status; every escape becomes CUZK_INTERNAL or CUZK_EXHAUSTED.
template <class Body> cuzk_code guarded(cuzk_error** error, Body&& body) noexcept {
  try {
    Status status = body();
    return status ? CUZK_OK : report(std::move(status).error(), error);
  } catch (const std::bad_alloc&) {
    return report(CUZK_EXHAUSTED, "out of memory", error);
  } catch (const std::exception& escaped) {
    return report(CUZK_INTERNAL, escaped.what(), error);
  } catch (...) {
    return report(CUZK_INTERNAL, "unknown exception", error);
  }
}

}  // namespace cuzk::capi
