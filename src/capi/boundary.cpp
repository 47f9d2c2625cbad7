#include "capi/boundary.h"

#include <cstdlib>
#include <cstring>

namespace cuzk::capi {

cuzk_code code_of(Code code) noexcept {
  switch (code) {
    case Code::invalid_argument:
      return CUZK_INVALID_ARGUMENT;
    case Code::malformed:
      return CUZK_MALFORMED;
    case Code::unsupported:
      return CUZK_UNSUPPORTED;
    case Code::not_found:
      return CUZK_NOT_FOUND;
    case Code::exhausted:
      return CUZK_EXHAUSTED;
    case Code::cancelled:
      return CUZK_CANCELLED;
    case Code::deadline:
      return CUZK_DEADLINE;
    case Code::unavailable:
      return CUZK_UNAVAILABLE;
    case Code::device:
      return CUZK_DEVICE;
    case Code::conflict:
      return CUZK_CONFLICT;
    case Code::unsatisfied:
      return CUZK_UNSATISFIED;
    case Code::internal:
      return CUZK_INTERNAL;
  }
  return CUZK_INTERNAL;
}

namespace {

/// The caller's pointer stays null when there is no memory even for the message.
void hand_out(cuzk_error** out, cuzk_code code, std::string_view kind, std::string_view message) noexcept {
  if (out == nullptr) return;
  *out = nullptr;
  try {
    *out = new cuzk_error{code, std::string(kind), std::string(message)};
  } catch (...) {
    return;
  }
}

}  // namespace

cuzk_code report(Error&& error, cuzk_error** out) noexcept {
  const cuzk_code code = code_of(error.code());
  try {
    hand_out(out, code, to_string(error.kind()), error.to_string());
  } catch (...) {
    hand_out(out, code, "", "");
  }
  return code;
}

cuzk_code report(cuzk_code code, const char* message, cuzk_error** out) noexcept {
  hand_out(out, code, "", message);
  return code;
}

Result<cuzk_string> to_c_string(std::string_view text) {
  // malloc, so that C callers see memory that their own tools can account for.
  char* data = static_cast<char*>(std::malloc(text.size() + 1));
  if (data == nullptr) return fail(Code::exhausted, "out of memory for an output string");
  std::memcpy(data, text.data(), text.size());
  data[text.size()] = '\0';
  return cuzk_string{data, text.size()};
}

}  // namespace cuzk::capi
