// The keys of the configuration, as data: everything that is known of each is in one row.
//
// Thread-safety: constants and pure functions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/config.h"
#include "server/settings.h"

namespace cuzk::server {

enum class Standing : std::uint8_t {
  used,
  accepted,    // without effect, because ours needs no such setting
  deprecated,  // without effect, and a warning
};

struct KeySpec {
  std::string_view section;
  std::string_view name;    // "*": any, as in a table of names
  std::string_view values;  // "size", "socket address", ...
  std::string_view help;    // one sentence; of a deprecated key: what to use
  Standing standing = Standing::used;
  bool reloads = false;  // may change while the service runs

  // Null in deprecated rows.
  std::function<Status(Config&, const SettingPath&, const SettingValue&)> read{};
  std::function<std::string(const Config&)> show{};  // as in the file; empty where a default cannot be written
  std::function<void(Config& to, const Config& from)> copy{};

  std::string path() const { return std::string(section) + "." + std::string(name); }
};

struct SectionSpec {
  std::string_view name;
  std::string_view help;
};

std::span<const SectionSpec> config_sections();
/// By section, in the order of config_sections().
std::span<const KeySpec> config_keys();

/// The row of a path; null when there is none.
const KeySpec* find_key(const SettingPath& path);

/// "; did you mean memory.total_budget?", or nothing when no key or section is near.
std::string suggest_key(const SettingPath& path);
std::string suggest_section(std::string_view name);

}  // namespace cuzk::server
