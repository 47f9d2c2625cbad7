#include "server/settings.h"

#include <algorithm>

#include <toml++/toml.h>

namespace cuzk::server {
namespace {

unsigned line_of(const toml::source_region& source) { return static_cast<unsigned>(source.begin.line); }

SettingValue value_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return {text->get()};
  if (const auto* integer = node.as_integer()) return {integer->get()};
  if (const auto* real = node.as_floating_point()) return {real->get()};
  if (const auto* flag = node.as_boolean()) return {flag->get()};
  const auto* array = node.as_array();
  if (array == nullptr) return {OtherValue{}};
  SettingList list;
  for (const toml::node& element : *array) list.push_back(value_of(element));
  return {std::move(list)};
}

void flatten(const toml::table& table, const SettingPath& path, Settings& out) {
  for (const auto& [key, node] : table) {
    SettingPath inner = path;
    inner.emplace_back(key.str());
    if (const auto* below = node.as_table()) {
      out.tables.push_back({inner, line_of(key.source())});
      flatten(*below, inner, out);
    } else {
      out.keys.push_back({std::move(inner), value_of(node), line_of(key.source())});
    }
  }
}

}  // namespace

std::string_view SettingValue::type_name() const noexcept {
  constexpr std::string_view kNames[] = {"a text",        "an integer", "a decimal number",
                                         "a truth value", "a list",     "a date or a table"};
  return kNames[held.index()];
}

Result<Settings> parse_settings(std::string_view text) try {
  const toml::table table = toml::parse(text);
  Settings settings;
  flatten(table, {}, settings);
  const auto by_line = [](const auto& a, const auto& b) { return a.line < b.line; };
  std::ranges::stable_sort(settings.keys, by_line);
  std::ranges::stable_sort(settings.tables, by_line);
  return settings;
} catch (const toml::parse_error& error) {
  Where where;
  where.section = std::to_string(line_of(error.source()));
  return fail(Error(Code::malformed, std::string(error.description())).at(std::move(where)));
}

}  // namespace cuzk::server
