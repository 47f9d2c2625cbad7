// Secret<T>: a value that is wiped when it ends; it cannot be copied, printed or compared by accident.
//
// Moving wipes the source. What expose() hands out may be copied by the caller, and registers and stack slots of a
// computation are not wiped: keep the exposed scope small. Thread-safety: external.
#pragma once

#include <cstddef>
#include <type_traits>

namespace cuzk {

/// Overwrites memory in a way that no compiler removes.
void wipe_memory(void* memory, std::size_t bytes) noexcept;

template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>
class Secret {
 public:
  /// Value-initialised: fill it through expose_mutable().
  Secret() noexcept : value_{} {}
  /// Takes the value and wipes where it came from.
  explicit Secret(T& from) noexcept : value_(from) { wipe(from); }
  explicit Secret(T&& from) noexcept : value_(from) { wipe(from); }

  Secret(Secret&& other) noexcept : value_(other.value_) { wipe(other.value_); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      value_ = other.value_;
      wipe(other.value_);
    }
    return *this;
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { wipe(value_); }

  const T& expose() const noexcept { return value_; }
  T& expose_mutable() noexcept { return value_; }

 private:
  static void wipe(T& value) noexcept { wipe_memory(&value, sizeof(T)); }

  T value_;
};

}  // namespace cuzk
