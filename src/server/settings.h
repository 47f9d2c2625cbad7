// Settings: a TOML file as a flat list of keys with their values and lines, whatever they mean.
//
// toml++ stays in settings.cpp. Thread-safety: values; pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/result.h"

namespace cuzk::server {

struct SettingValue;
using SettingList = std::vector<SettingValue>;

/// A date or another thing that no setting is.
struct OtherValue {};

struct SettingValue {
  std::variant<std::string, std::int64_t, double, bool, SettingList, OtherValue> held;

  const std::string* text() const noexcept { return std::get_if<std::string>(&held); }
  const std::int64_t* integer() const noexcept { return std::get_if<std::int64_t>(&held); }
  const bool* flag() const noexcept { return std::get_if<bool>(&held); }
  const SettingList* list() const noexcept { return std::get_if<SettingList>(&held); }
  /// "a text", "an integer", ...
  std::string_view type_name() const noexcept;
};

/// {"memory", "total_budget"}
using SettingPath = std::vector<std::string>;

struct Setting {
  SettingPath path;
  SettingValue value;
  unsigned line = 0;
};

struct SettingTable {
  SettingPath path;
  unsigned line = 0;
};

/// Both in the order of the file.
struct Settings {
  std::vector<Setting> keys;
  std::vector<SettingTable> tables;  // below the top, those without a key too
};

/// malformed, with the line as `Where::section`: what is no TOML, and a key that is there twice.
Result<Settings> parse_settings(std::string_view text);

}  // namespace cuzk::server
