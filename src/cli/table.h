// Table: rows of texts as columns for people.
//
// Thread-safety: external.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cuzk::cli {

/// The text with "?" for what could steer a terminal: labels and messages come from anyone.
std::string printable(std::string_view text);
/// Characters, of valid UTF-8.
std::size_t width_of(std::string_view text) noexcept;

class Table {
 public:
  explicit Table(std::vector<std::string> titles) { rows_.push_back(std::move(titles)); }

  /// Made printable.
  void add(std::vector<std::string> row);
  bool empty() const noexcept { return rows_.size() == 1; }
  /// Columns as wide as their widest text, two spaces between, no space at the ends of lines; the last line has no
  /// newline.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cuzk::cli
