// The schema's types as serde_json writes them: records are objects, enums externally tagged, 32 bytes an array of
// numbers.
//
// Members may come in any order; unknown ones are skipped, as serde does; known ones once. Errors: malformed, with
// bad_json, bad_number, truncated, bad_length, missing_field, bad_count, bad_tree_shape, non_canonical,
// index_out_of_range, bad_base64; Where.section is the value's path, Where.offset counts in the JSON text (for
// bad_base64: in the base64 text). Thread-safety: external.
#pragma once

#include <algorithm>
#include <string>

#include "filecoin/wire/json_cursor.h"
#include "filecoin/wire/schema.h"
#include "support/json_writer.h"

namespace cuzk::filecoin {

class JsonReader {
 public:
  static constexpr bool kWriting = false;

  /// `name` is what the whole is called in errors. Text and stream must outlive the reader.
  explicit JsonReader(std::string_view text, std::string_view name = {}) : cursor_(text) { set_root(name); }
  explicit JsonReader(Base64Stream& stream, std::string_view name = {}) : cursor_(stream), stream_(&stream) {
    set_root(name);
  }
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  template <class... F> Status record(const schema::Field<F>&... fields) {
    bool seen[sizeof...(F)] = {};
    CUZK_CHECK_OK(check(cursor_.expect('{')));
    for (bool closed = cursor_.accept('}'); !closed;) {
      std::string_view name;
      CUZK_CHECK_OK(check(cursor_.string(name) && cursor_.expect(':')));
      CUZK_CHECK_OK(member(name, seen, fields...));
      CUZK_CHECK_OK(check(cursor_.next_or_close('}', closed)));
    }
    Status status;
    std::size_t at = 0;
    static_cast<void>(((status = present(seen[at++], fields)).has_value() && ...));
    return status;
  }

  template <class Each> Status sequence(std::size_t count, Each each, Kind fault = Kind::bad_count) {
    std::size_t found = 0;
    CUZK_CHECK_OK(elements(count, each, fault, found));
    if (found == count) return {};
    return fail(wrong(fault, "another number of elements", std::to_string(count), std::to_string(found)));
  }
  /// At most `max` elements, whose number the caller judges.
  template <class Each> Status sequence_up_to(std::size_t max, Each each) {
    std::size_t found = 0;
    return elements(max, each, Kind::bad_count, found);
  }

  template <class Body> Status variant(std::uint32_t, std::string_view name, Body body) {
    return tagged([&](std::string_view tag) -> Status {
      if (tag != name) {
        return fail(
            wrong(Kind::bad_tree_shape, "a Merkle proof of another kind of tree", std::string(name), printable(tag)));
      }
      return scoped(name, body);
    });
  }
  /// body(), whose values are called name.<...> in errors.
  template <class Body> Status scoped(std::string_view name, Body body) {
    const PathScope scope(path_, name);
    return body();
  }
  /// An object with one member, whose name `body` judges and whose value it reads.
  template <class Body> Status tagged(Body body) {
    std::string_view tag;
    CUZK_CHECK_OK(check(cursor_.expect('{') && cursor_.string(tag) && cursor_.expect(':')));
    CUZK_CHECK_OK(body(tag));
    return check(cursor_.expect('}'));
  }

  Status node(Node& value);
  Status bytes32(Bytes32& value);
  Status u32(std::uint32_t& value);
  Status u64(std::uint64_t& value);
  /// The view holds until the next name or string is read.
  Status string(std::string_view& value) { return check(cursor_.string(value)); }
  /// A string without escapes, of any length, where it lies in the text.
  Status raw_string(std::string_view& value) { return check(cursor_.raw_string(value)); }
  Status absent() { return check(cursor_.null()); }
  bool next_is(char c) { return cursor_.peek() == c; }
  Status expect_end() { return check(cursor_.expect_end()); }

  /// An error at the current place.
  Error wrong(Kind kind, std::string message, std::string expected = {}, std::string found = {}) const;
  /// A text of any origin, short enough for a message.
  static std::string printable(std::string_view text);

 private:
  void set_root(std::string_view name) {
    if (!name.empty()) root_ = PathStep{nullptr, name, 0}, path_ = &root_;
  }

  /// The cursor's fault as an error here, unless all went well.
  Status check(bool good) {
    if (good) [[likely]]
      return {};
    return fail(cursor_error());
  }
  Error cursor_error() const;
  Status skip_unknown() { return check(cursor_.skip_value()); }
  Status duplicate(std::string_view name) const;
  Status missing(std::string_view name) const;

  template <class... F> Status member(std::string_view name, bool* seen, const schema::Field<F>&... fields) {
    std::size_t at = 0;
    Status status;
    const bool known = (try_member(name, seen[at++], fields, status) || ...);
    return known ? std::move(status) : skip_unknown();
  }
  template <class F> bool try_member(std::string_view name, bool& seen, const schema::Field<F>& field, Status& status) {
    if (name != field.name) return false;
    const PathScope scope(path_, field.name);
    status = seen ? duplicate(field.name) : field.body();
    seen = true;
    return true;
  }
  template <class F> Status present(bool seen, const schema::Field<F>& field) const {
    if (seen || field.optional) return {};
    return missing(field.name);
  }

  template <class Each> Status elements(std::size_t max, Each& each, Kind fault, std::size_t& found) {
    CUZK_CHECK_OK(check(cursor_.expect('[')));
    for (bool closed = cursor_.accept(']'); !closed; ++found) {
      if (found == max)
        return fail(wrong(fault, "too many elements", std::to_string(max), "more than " + std::to_string(max)));
      {
        const PathScope scope(path_, {}, found);
        CUZK_CHECK_OK(each(found));
      }
      CUZK_CHECK_OK(check(cursor_.next_or_close(']', closed)));
    }
    return {};
  }

  JsonCursor cursor_;
  Base64Stream* stream_ = nullptr;
  PathStep root_{};
  const PathStep* path_ = nullptr;
};

class JsonOut {
 public:
  static constexpr bool kWriting = true;

  template <class... F> Status record(const schema::Field<F>&... fields) {
    json_.begin_object();
    Status status;
    static_cast<void>(((json_.key(fields.name), status = fields.body()).has_value() && ...));
    json_.end_object();
    return status;
  }
  template <class Each> Status sequence(std::size_t count, Each each, Kind = Kind::bad_count) {
    json_.begin_array();
    for (std::size_t i = 0; i < count; ++i) CUZK_CHECK_OK(each(i));
    json_.end_array();
    return {};
  }
  template <class Body> Status variant(std::uint32_t, std::string_view name, Body body) {
    json_.begin_object().key(name);
    CUZK_CHECK_OK(body());
    json_.end_object();
    return {};
  }
  Status node(const Node& value);
  Status bytes32(const Bytes32& value);
  Status u32(std::uint32_t value) { return json_.integer(value), Status(); }
  Status u64(std::uint64_t value) { return json_.integer(value), Status(); }
  Status string(std::string_view value) { return json_.string(value), Status(); }
  Status absent() { return json_.null(), Status(); }

  std::string take() && { return json_.take(); }

 private:
  JsonWriter json_;
};

}  // namespace cuzk::filecoin
