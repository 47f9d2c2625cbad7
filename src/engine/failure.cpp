#include "engine/failure.h"

#include <exception>
#include <new>

namespace cuzk::engine {

using store::FailureClass;

Error copy_of(const Error& error) { return {error.code(), error.kind(), error.to_string()}; }

FailureClass failure_class(const Error& error) noexcept {
  switch (error.code()) {
    case Code::invalid_argument:
    case Code::malformed:
    case Code::unsupported:
      return error.kind() == Kind::not_in_subgroup ? FailureClass::defect : FailureClass::caller;  // a damaged key
    case Code::unsatisfied:
      return error.kind() == Kind::unsatisfied_constraint ? FailureClass::caller : FailureClass::defect;
    case Code::not_found:
    case Code::exhausted:
    case Code::cancelled:
    case Code::deadline:
    case Code::unavailable:
    case Code::device:
      return FailureClass::transient;
    case Code::conflict:
    case Code::internal:
      break;
  }
  return FailureClass::defect;
}

bool worth_a_retry(const Error& error) noexcept {
  switch (error.code()) {
    case Code::not_found:
    case Code::cancelled:
    case Code::deadline:
      return false;
    default:
      return failure_class(error) != FailureClass::caller;
  }
}

Status guarded(FunctionRef<Status()> work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(Code::exhausted, "the system gave no memory");
  } catch (const std::exception& exception) {
    return fail(Code::internal, std::string("exception: ") + exception.what());
  } catch (...) {
    return fail(Code::internal, "unknown exception");
  }
}

}  // namespace cuzk::engine
