// Whose fault an error is, and copies of errors for all who wait for the same thing.
//
// Thread-safety: pure functions.
#pragma once

#include "store/job.h"
#include "support/function_ref.h"
#include "support/result.h"

namespace cuzk::engine {

/// Same code, kind and text.
Error copy_of(const Error& error);

/// Of an error of a job's own content or work.
store::FailureClass failure_class(const Error& error) noexcept;

/// Whether another attempt may end differently.
bool worth_a_retry(const Error& error) noexcept;

/// Runs a stage's work; what it throws becomes an error (internal, exhausted for std::bad_alloc).
Status guarded(FunctionRef<Status()> work) noexcept;

}  // namespace cuzk::engine
