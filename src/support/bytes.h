// Bytes: spans of std::byte, and fixed-width integers loaded from and stored to unaligned bytes.
//
// All loads and stores go through memcpy, so that no address needs to be aligned and no aliasing rule is broken; on
// x86-64 each is one instruction. Precondition (not checked): the pointer has sizeof(T) bytes behind it. Reader checks.
// Thread-safety: pure functions. Constant time.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace cuzk {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

static_assert(std::endian::native == std::endian::little, "element arrays are viewed in place as little-endian limbs");

/// The value with its bytes in reverse order.
template <std::unsigned_integral T> constexpr T byte_swap(T value) noexcept {
  if constexpr (sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    static_assert(sizeof(T) == 8);
    return __builtin_bswap64(value);
  }
}

template <std::unsigned_integral T> T load_le(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <std::unsigned_integral T> T load_be(const std::byte* from) noexcept { return byte_swap(load_le<T>(from)); }

template <std::unsigned_integral T> void store_le(std::byte* to, T value) noexcept {
  std::memcpy(to, &value, sizeof(T));
}

template <std::unsigned_integral T> void store_be(std::byte* to, T value) noexcept { store_le(to, byte_swap(value)); }

/// Values that are nothing but their bytes: no padding, no pointer, no view of something else.
template <class T>
concept PlainObject = std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T> &&
                      !std::is_pointer_v<T> && !std::is_array_v<T>;

/// The bytes of a value where it lies; the value must outlive the span.
template <PlainObject T> Bytes object_bytes(const T& value) noexcept {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}
template <PlainObject T> void object_bytes(const T&&) = delete;

template <PlainObject T> MutableBytes mutable_object_bytes(T& value) noexcept {
  return std::as_writable_bytes(std::span<T, 1>(&value, 1));
}

/// The characters of a text as bytes, and back; no copy.
inline Bytes text_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}
inline std::string_view bytes_text(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether the address may be viewed as an array of T.
template <class T> bool is_aligned(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % alignof(T) == 0;
}

}  // namespace cuzk
