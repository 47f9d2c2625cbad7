#include "support/secret.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <ostream>
#include <utility>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

using Key = std::array<unsigned char, 32>;
using SecretKey = Secret<Key>;

Key filled(unsigned char with) {
  Key key;
  key.fill(with);
  return key;
}

bool is_wiped(const Key& key) {
  return std::all_of(key.begin(), key.end(), [](unsigned char c) { return c == 0; });
}

template <class T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };

TEST(Secret, CannotBeCopiedOrPrinted) {
  static_assert(!std::is_copy_constructible_v<SecretKey>);
  static_assert(!std::is_copy_assignable_v<SecretKey>);
  static_assert(std::is_nothrow_move_constructible_v<SecretKey>);
  static_assert(!Printable<Secret<int>>);
  static_assert(!std::is_convertible_v<SecretKey, Key>);
}

TEST(Secret, TakesAndWipesTheSource) {
  Key key = filled(3);
  const SecretKey secret(key);
  EXPECT_TRUE(is_wiped(key));
  EXPECT_EQ(secret.expose(), filled(3));
}

TEST(Secret, MovingWipesTheSource) {
  SecretKey a(filled(4));
  SecretKey b(std::move(a));
  EXPECT_TRUE(is_wiped(a.expose()));
  EXPECT_EQ(b.expose(), filled(4));
  a = std::move(b);
  EXPECT_TRUE(is_wiped(b.expose()));
  EXPECT_EQ(a.expose(), filled(4));
}

TEST(Secret, IsWipedWhenItEnds) {
  alignas(SecretKey) std::array<std::byte, sizeof(SecretKey)> place;
  auto* const secret = new (place.data()) SecretKey(filled(5));
  secret->expose_mutable()[0] = 6;
  secret->~SecretKey();
  // The bytes are ours: they outlive the object in them.
  EXPECT_TRUE(std::all_of(place.begin(), place.end(), [](std::byte b) { return b == std::byte{0}; }));
}

}  // namespace
}  // namespace cuzk
