#include "cli/table.h"

#include <algorithm>

#include "support/utf8.h"

namespace cuzk::cli {

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t controls = control_length(text);
    out += controls == 0 ? text.front() : '?';
    text.remove_prefix(std::max<std::size_t>(controls, 1));
  }
  return out;
}

std::size_t width_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - width_of(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

}  // namespace cuzk::cli
