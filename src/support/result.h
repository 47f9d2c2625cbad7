// Result<T>: a value or an Error with code, kind, message, place in the file, and the contexts passed on the way up.
//
// Error is one pointer wide and move-only; it allocates only when made. Result is tl::expected behind our name, made
// [[nodiscard]] here (the library's class is not), and becomes std::expected with a newer compiler.
// Thread-safety: values; no shared state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "support/error_codes.h"

namespace tl {
template <class T, class E> class [[nodiscard]] expected;
}  // namespace tl

#include <tl/expected.hpp>

namespace cuzk {

/// Where in which file an expectation failed. `section` is the format's own name for it ("5", "header"); offset in
/// bytes from the start of the file.
struct Where {
  std::string file;
  std::string section;
  std::uint64_t offset = 0;
  std::string expected;
  std::string found;
};

class [[nodiscard]] Error {
 public:
  Error(Code code, std::string message);
  Error(Code code, Kind kind, std::string message);
  Error(Error&&) noexcept;
  Error& operator=(Error&&) noexcept;
  Error(const Error&) = delete;
  Error& operator=(const Error&) = delete;
  ~Error();

  Code code() const noexcept;
  Kind kind() const noexcept;
  const std::string& message() const noexcept;
  /// The innermost place, or null where no file is involved.
  const Where* where() const noexcept;

  /// Records the place; the first call wins, since the innermost parser knows best.
  Error&& at(Where where) &&;
  /// Fills in the file name of a place that has none yet: parsers work on spans, their callers know the path.
  Error&& in_file(std::string_view path) &&;
  /// Adds what an outer layer was doing ("loading key x.zkey").
  Error&& context(std::string_view what) &&;

  /// "message; context; context": all but the place.
  std::string explanation() const;
  /// One line: "message [file:section@offset expected E found F]; context; context".
  std::string to_string() const;

 private:
  struct Payload;
  std::unique_ptr<Payload> p_;
};

template <class T> using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Error&& error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> fail(Code code, std::string message) { return fail(Error(code, std::move(message))); }
inline tl::unexpected<Error> fail(Code code, Kind kind, std::string message) {
  return fail(Error(code, kind, std::move(message)));
}

/// Ends the program with file, line and the broken condition on standard error.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace cuzk

#define CUZK_CAT_(a, b) a##b
#define CUZK_CAT(a, b) CUZK_CAT_(a, b)

/// CUZK_TRY(auto x, f()); binds the value of f() or returns its error.
#define CUZK_TRY(decl, ...) CUZK_TRY_(CUZK_CAT(cuzk_try_, __COUNTER__), decl, __VA_ARGS__)
#define CUZK_TRY_(tmp, decl, ...)                \
  auto tmp = (__VA_ARGS__);                      \
  if (!tmp) [[unlikely]]                         \
    return ::cuzk::fail(std::move(tmp).error()); \
  decl = *std::move(tmp)

/// CUZK_CHECK_OK(g()); returns the error of a Status (or of a Result whose value is not wanted).
#define CUZK_CHECK_OK(...) CUZK_CHECK_OK_(CUZK_CAT(cuzk_check_, __COUNTER__), __VA_ARGS__)
#define CUZK_CHECK_OK_(tmp, ...)                     \
  do {                                               \
    if (auto tmp = (__VA_ARGS__); !tmp) [[unlikely]] \
      return ::cuzk::fail(std::move(tmp).error());   \
  } while (false)

/// Always checked: continuing could deliver a wrong proof. Never reachable from outside bytes.
#define CUZK_REQUIRE(condition) \
  ((condition) ? static_cast<void>(0) : ::cuzk::assertion_failed(#condition, __FILE__, __LINE__))

/// Our own invariants; checked in debug builds.
#ifdef NDEBUG
#define CUZK_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#else
#define CUZK_ASSERT(condition) CUZK_REQUIRE(condition)
#endif
