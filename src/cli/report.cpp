#include "cli/report.h"

#include <algorithm>
#include <cstdio>

namespace cuzk::cli {
namespace {

void print_line(std::FILE* to, std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), to);
  std::fputc('\n', to);
}

void string_or_null(JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  text.empty() ? json.null() : json.string(text);
}

void section_or_null(JsonWriter& json, std::string_view section) {
  json.key("section");
  const bool number = !section.empty() && section.size() < 10 &&
                      std::all_of(section.begin(), section.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (section.empty()) {
    json.null();
  } else if (number) {
    json.integer(std::stoul(std::string(section)));
  } else {
    json.string(section);
  }
}

std::string rounded(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f %s" : value < 100 ? "%.1f %s" : "%.0f %s", value, unit);
  return text;
}

}  // namespace

void write_error(JsonWriter& json, const Error& error) {
  static const Where nowhere;
  const Where& where = error.where() != nullptr ? *error.where() : nowhere;
  json.begin_object();
  json.key("code").string(to_string(error.code()));
  string_or_null(json, "kind", to_string(error.kind()));
  json.key("message").string(error.explanation());
  string_or_null(json, "file", where.file);
  section_or_null(json, where.section);
  json.key("offset");
  error.where() != nullptr ? json.integer(where.offset) : json.null();
  string_or_null(json, "expected", where.expected);
  string_or_null(json, "found", where.found);
  json.end_object();
}

void Report::say(std::string_view line) const {
  if (!common_.json && !common_.quiet) print_line(lines_to_, line);
}

void Report::result(JsonWriter&& json) {
  if (common_.json) print_line(stdout, json.take());
  result_told_ = true;
}

int Report::failed(const Error& error) {
  progress_.end();
  if (common_.json) {
    if (!result_told_) {
      JsonWriter json;
      write_error(json, error);
      print_line(stdout, json.take());
    }
  } else {
    print_line(stderr, "cuzk: " + error.to_string());
  }
  return exit_status_ != 0 ? exit_status_ : exit_status(error.code());
}

std::string human_seconds(double seconds) { return seconds < 1 ? rounded(seconds * 1e3, "ms") : rounded(seconds, "s"); }

std::string human_bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1 << 20) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return rounded(value, kUnits[unit]);
}

}  // namespace cuzk::cli
