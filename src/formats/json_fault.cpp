#include "formats/json_fault.h"

#include <simdjson.h>

#include <algorithm>

namespace cuzk::formats {
namespace {

namespace od = simdjson::ondemand;

/// A name of any origin, as it lies before its closing quote, short enough for a message.
std::string shown(const char* name) {
  constexpr std::size_t kLongest = 48;
  std::size_t length = 0;
  while (length < kLongest && name[length] != '"') ++length;
  std::string text(name, length);
  std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

/// Walks over a document until something is wrong.
class Walk {
 public:
  Walk(std::string_view text, std::size_t max_depth) : text_(text), depth_left_(max_depth) {}

  /// False: there is a fault, described by the members below.
  bool run() {
    simdjson::error_code error = parser_.iterate(text_).get(document_);
    if (error != simdjson::SUCCESS) {
      offset = error == simdjson::UTF8_ERROR ? 0 : text_.size();
      return false;
    }
    od::value root;
    if (document_.get_value().get(root) != simdjson::SUCCESS) return failed();
    if (!value(root)) return false;
    const char* behind = nullptr;
    return document_.current_location().get(behind) != simdjson::SUCCESS || failed();  // the end has no place
  }

  std::uint64_t offset = 0;
  std::string path;
  bool number = false;

 private:
  bool failed() {
    const char* at = nullptr;
    const bool inside = document_.current_location().get(at) == simdjson::SUCCESS;
    offset = inside ? std::min(offset_of(at), text_.size()) : text_.size();
    return false;
  }
  std::size_t offset_of(const char* at) const noexcept { return static_cast<std::size_t>(at - text_.data()); }

  bool value(od::value& at) {
    od::json_type type{};
    if (at.type().get(type) != simdjson::SUCCESS) return failed();
    if (type == od::json_type::array || type == od::json_type::object) {
      if (depth_left_ == 0) return failed();
      --depth_left_;
      if (!(type == od::json_type::array ? array(at) : object(at))) return false;
      ++depth_left_;
      return true;
    }
    return scalar(at, type);
  }

  bool array(od::value& at) {
    od::array elements;
    if (at.get_array().get(elements) != simdjson::SUCCESS) return failed();
    std::size_t i = 0;
    for (auto element : elements) {
      od::value next;
      if (std::move(element).get(next) != simdjson::SUCCESS) return failed();
      const std::size_t outer = path.size();
      path += "[" + std::to_string(i++) + "]";
      if (!value(next)) return false;
      path.resize(outer);
    }
    return true;
  }

  bool object(od::value& at) {
    od::object members;
    if (at.get_object().get(members) != simdjson::SUCCESS) return failed();
    for (auto member : members) {
      od::field field;
      if (std::move(member).get(field) != simdjson::SUCCESS) return failed();
      const std::size_t outer = path.size();
      path += (path.empty() ? "" : ".") + shown(field.key().raw());
      if (!value(field.value())) return false;
      path.resize(outer);
    }
    return true;
  }

  bool scalar(od::value& at, od::json_type type) {
    const char* begin = nullptr;
    if (at.current_location().get(begin) != simdjson::SUCCESS) return failed();
    simdjson::error_code error = simdjson::SUCCESS;
    switch (type) {
      case od::json_type::number:
        error = at.get_number().error();
        number = error != simdjson::SUCCESS;
        break;
      case od::json_type::string:
        error = at.get_string().error();
        break;
      case od::json_type::boolean:
        error = at.get_bool().error();
        break;
      default:
        error = at.is_null().error();
        break;
    }
    if (error == simdjson::SUCCESS) return true;
    offset = offset_of(begin);
    return false;
  }

  simdjson::padded_string text_;
  od::parser parser_;
  od::document document_;
  std::size_t depth_left_;
};

}  // namespace

Error json_fault(std::string_view text, std::size_t max_depth, std::string message) {
  Walk walk(text, max_depth);
  walk.run();
  return Error(Code::malformed, walk.number ? Kind::bad_number : Kind::bad_json, std::move(message))
      .at({.file = {}, .section = std::move(walk.path), .offset = walk.offset, .expected = {}, .found = {}});
}

}  // namespace cuzk::formats
