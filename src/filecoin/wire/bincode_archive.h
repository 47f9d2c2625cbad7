// The schema's types in bincode (version 1.3, default configuration): little-endian, integers of fixed width, u64
// counts, u32 variants, no padding, nothing behind the end.
//
// Counts are compared with the shape's before memory is taken. Errors: malformed, with the kinds of support/reader.h
// and bad_count, bad_tree_shape, non_canonical, index_out_of_range; Where.section is the value's path.
// Thread-safety: external.
#pragma once

#include <string>
#include <vector>

#include "filecoin/wire/schema.h"
#include "support/reader.h"

namespace cuzk::filecoin {

class BincodeReader {
 public:
  static constexpr bool kWriting = false;

  /// `name` is what the whole is called in errors.
  BincodeReader(Bytes bytes, std::string_view name) : reader_(bytes, {}) {
    if (!name.empty()) root_ = PathStep{nullptr, name, 0}, path_ = &root_;
  }
  BincodeReader(const BincodeReader&) = delete;
  BincodeReader& operator=(const BincodeReader&) = delete;

  template <class... F> Status record(const schema::Field<F>&... fields) {
    Status status;
    static_cast<void>(((status = member(fields)).has_value() && ...));
    return status;
  }

  template <class Each> Status sequence(std::size_t count, Each each, Kind fault = Kind::bad_count) {
    std::uint64_t announced = 0;
    CUZK_CHECK_OK(u64(announced));
    if (announced != count)
      return fail(wrong(fault, "another number of elements", std::to_string(count), std::to_string(announced)));
    return elements(count, each);
  }
  /// At most `max` elements, whose number the caller judges.
  template <class Each> Status sequence_up_to(std::size_t max, Each each) {
    std::uint64_t announced = 0;
    CUZK_CHECK_OK(u64(announced));
    if (announced > max) {
      return fail(
          wrong(Kind::bad_count, "too many elements", "at most " + std::to_string(max), std::to_string(announced)));
    }
    return elements(announced, each);
  }

  template <class Body> Status variant(std::uint32_t index, std::string_view name, Body body) {
    std::uint32_t found = 0;
    CUZK_CHECK_OK(u32(found));
    if (found != index) {
      return fail(wrong(Kind::bad_tree_shape, "a Merkle proof of another kind of tree",
                        std::to_string(index) + " (" + std::string(name) + ")", std::to_string(found)));
    }
    const PathScope scope(path_, name);
    return body();
  }

  Status node(Node& value);
  Status bytes32(Bytes32& value);
  Status u32(std::uint32_t& value);
  Status u64(std::uint64_t& value);
  Status absent() noexcept { return {}; }
  Status expect_end() const;

  /// An error at the value read last.
  Error wrong(Kind kind, std::string message, std::string expected = {}, std::string found = {}) const;

 private:
  template <class F> Status member(const schema::Field<F>& field) {
    const PathScope scope(path_, field.name);
    return field.body();
  }
  template <class Each> Status elements(std::size_t count, Each& each) {
    for (std::size_t i = 0; i < count; ++i) {
      const PathScope scope(path_, {}, i);
      CUZK_CHECK_OK(each(i));
    }
    return {};
  }
  Result<Bytes> take(std::size_t bytes);

  Reader reader_;
  std::uint64_t last_ = 0;  // where the value read last begins
  PathStep root_{};
  const PathStep* path_ = nullptr;
};

class BincodeWriter {
 public:
  static constexpr bool kWriting = true;

  template <class... F> Status record(const schema::Field<F>&... fields) {
    Status status;
    static_cast<void>(((status = fields.body()).has_value() && ...));
    return status;
  }
  template <class Each> Status sequence(std::size_t count, Each each, Kind = Kind::bad_count) {
    CUZK_CHECK_OK(u64(count));
    for (std::size_t i = 0; i < count; ++i) CUZK_CHECK_OK(each(i));
    return {};
  }
  template <class Body> Status variant(std::uint32_t index, std::string_view, Body body) {
    CUZK_CHECK_OK(u32(index));
    return body();
  }
  Status node(const Node& value);
  Status bytes32(const Bytes32& value);
  Status u32(std::uint32_t value);
  Status u64(std::uint64_t value);
  Status absent() noexcept { return {}; }

  std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  std::byte* grow(std::size_t bytes);

  std::vector<std::byte> bytes_;
};

}  // namespace cuzk::filecoin
