// must(): the value of a Result that a test takes for granted; an error becomes an exception whose text the test
// reports.
#pragma once

#include <stdexcept>
#include <utility>

#include "support/result.h"

namespace cuzk::test {

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_string());
  return *std::move(result);
}

inline void must(Status status) {
  if (!status) throw std::runtime_error(status.error().to_string());
}

}  // namespace cuzk::test
