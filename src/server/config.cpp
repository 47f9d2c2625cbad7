#include "server/config.h"

#include <algorithm>
#include <set>

#include "filecoin/registry.h"
#include "server/config_keys.h"
#include "support/mapped_file.h"

namespace cuzk::server {
namespace {

constexpr std::string_view kDefaultParameterFolder = "/data/zk/params";

std::string joined(const SettingPath& path) {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : ".") + part;
  return out;
}

/// "circom" is one because "circom.keys" is.
bool is_section_or_above(const std::string& path) {
  return std::ranges::any_of(config_sections(), [&](const SectionSpec& section) {
    return section.name == path || section.name.starts_with(path + ".");
  });
}

class Checker {
 public:
  explicit Checker(CheckedConfig& out) : out_(out) {}

  void error(unsigned line, std::string text) { out_.problems.push_back({line, true, std::move(text)}); }
  void warning(unsigned line, std::string text) { out_.problems.push_back({line, false, std::move(text)}); }

  void check_tables(const std::vector<SettingTable>& tables) {
    for (const SettingTable& table : tables) {
      const std::string path = joined(table.path);
      if (is_section_or_above(path) || inside_unknown(table.path)) continue;
      unknown_.insert(path);
      error(table.line, "unknown table [" + path + "]" + suggest_section(path));
    }
  }

  void check_key(const Setting& setting) {
    if (inside_unknown(setting.path)) return;  // its table was told
    const std::string path = joined(setting.path);
    const KeySpec* const key = find_key(setting.path);
    if (key == nullptr) {
      const bool is_table = is_section_or_above(path);
      error(setting.line,
            is_table ? "[" + path + "] is a table, not a key" : "unknown key " + path + suggest_key(setting.path));
      return;
    }
    lines_[path] = setting.line;
    if (!key->read) {
      warning(setting.line, path + " is deprecated and has no effect: " + std::string(key->help));
      return;
    }
    if (const Status read = key->read(out_.config, setting.path, setting.value); !read) {
      error(setting.line, path + ": " + read.error().message());
    } else if (key->standing == Standing::accepted && key->show(out_.config) != key->show(Config{})) {
      warning(setting.line, path + " has no effect: " + std::string(key->help));
    }
  }

  /// What several keys say together.
  void check_whole() {
    Config& config = out_.config;
    if (config.pipeline.max_parallel_synthesis == 0) {
      config.pipeline.max_parallel_synthesis = Config::Pipeline{}.max_parallel_synthesis;
    }
    if (config.pipeline.synthesis_concurrency == 0) config.pipeline.synthesis_concurrency = 1;
    check_tls(config.daemon);
    for (const std::string& circuit : config.srs.preload) {
      if (config.circom.keys.contains(circuit)) continue;
      if (const auto found = filecoin::find_circuit(circuit); !found) {
        error(line_of("srs.preload"), "srs.preload: " + found.error().message());
      }
    }
  }

 private:
  unsigned line_of(const std::string& key) const {
    const auto at = lines_.find(key);
    return at == lines_.end() ? 0 : at->second;
  }

  bool inside_unknown(const SettingPath& path) const {
    SettingPath above;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      above.push_back(path[i]);
      if (unknown_.contains(joined(above))) return true;
    }
    return false;
  }

  void check_tls(const Config::Daemon& daemon) {
    if (daemon.tls_certificate.empty() != daemon.tls_key.empty()) {
      const bool key_alone = daemon.tls_certificate.empty();
      error(line_of(key_alone ? "daemon.tls_key" : "daemon.tls_certificate"),
            "daemon.tls_certificate and daemon.tls_key belong together");
    }
    if (!daemon.tls_client_ca.empty() && daemon.tls_certificate.empty()) {
      error(line_of("daemon.tls_client_ca"), "daemon.tls_client_ca needs daemon.tls_certificate");
    }
  }

  CheckedConfig& out_;
  std::map<std::string, unsigned> lines_;
  std::set<std::string> unknown_;
};

/// A cell of a table in Markdown.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string default_cell(const KeySpec& key) {
  const std::string text = key.show ? key.show(Config{}) : "";
  return text.empty() ? "" : "`" + text + "`";
}

}  // namespace

std::string ConfigProblem::to_string(std::string_view file) const {
  return std::string(file) + ":" + (line == 0 ? "" : std::to_string(line) + ":") +
         (is_error ? " error: " : " warning: ") + text;
}

bool CheckedConfig::ok() const noexcept {
  return std::ranges::none_of(problems, [](const ConfigProblem& problem) { return problem.is_error; });
}

CheckedConfig check_config(std::string_view text) {
  CheckedConfig checked;
  Checker checker(checked);
  const Result<Settings> settings = parse_settings(text);
  if (!settings) {
    const Where* const where = settings.error().where();
    checker.error(where == nullptr ? 0 : static_cast<unsigned>(std::stoul(where->section)), settings.error().message());
    return checked;
  }
  checker.check_tables(settings->tables);
  for (const Setting& setting : settings->keys) checker.check_key(setting);
  checker.check_whole();
  std::ranges::stable_sort(checked.problems, {}, &ConfigProblem::line);
  return checked;
}

Result<LoadedConfig> load_config(const std::string& path) {
  CUZK_TRY(const MappedFile file, MappedFile::open(path));
  CheckedConfig checked = check_config(bytes_text(file.bytes()));
  LoadedConfig loaded{std::move(checked.config), {}};
  std::string errors;
  for (const ConfigProblem& problem : checked.problems) {
    if (problem.is_error) {
      errors += (errors.empty() ? "" : "\n") + problem.to_string(path);
    } else {
      loaded.warnings.push_back(problem.to_string(path));
    }
  }
  if (!errors.empty()) return fail(Code::malformed, errors);
  return loaded;
}

std::string parameter_folder(const Config& config, const char* environment) {
  if (config.srs.param_cache) return *config.srs.param_cache;
  if (environment != nullptr && *environment != '\0') return environment;
  return std::string(kDefaultParameterFolder);
}

Result<std::string> plain_log_level(std::string_view filter) {
  constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warn", "error", "off"};
  std::string plain = "info";
  while (!filter.empty()) {
    const std::size_t comma = std::min(filter.find(','), filter.size());
    const std::string_view directive = filter.substr(0, comma);
    filter.remove_prefix(std::min(comma + 1, filter.size()));
    const std::size_t equals = directive.find('=');
    const std::string level(equals == std::string_view::npos ? directive : directive.substr(equals + 1));
    if (std::ranges::find(kLevels, level) == std::end(kLevels)) {
      return fail(Code::invalid_argument, "\"" + level + "\" is no level: trace, debug, info, warn, error or off");
    }
    if (equals == std::string_view::npos) plain = level;  // those with a name are of other programs' parts
  }
  return plain;
}

ReloadPlan plan_reload(const Config& running, const Config& wanted) {
  ReloadPlan plan{running, {}, {}};
  for (const KeySpec& key : config_keys()) {
    if (!key.read || key.show(running) == key.show(wanted)) continue;
    if (key.standing == Standing::accepted) continue;
    if (key.reloads) key.copy(plan.config, wanted);
    (key.reloads ? plan.applied : plan.ignored).push_back(key.path());
  }
  return plan;
}

std::string config_text(const Config& config) {
  std::string out;
  for (const SectionSpec& section : config_sections()) {
    out += (out.empty() ? "[" : "\n[") + std::string(section.name) + "]\n";
    for (const KeySpec& key : config_keys()) {
      if (key.section != section.name || key.standing != Standing::used) continue;
      const std::string value = key.show(config);
      if (key.name == "*") {
        out += value;  // with their names
      } else if (!value.empty()) {
        out += std::string(key.name) + " = " + value + "\n";
      }
    }
  }
  return out;
}

std::string config_reference() {
  std::string out =
      "# Configuration\n\n"
      "A TOML file. An unknown key or table, a value of the wrong type or out of its range is an error that names the "
      "line.\n"
      "Sizes are texts such as `512MiB`, `1.5GiB`, `64G` (powers of 1024) or `4GB` (of 1000), or integers in bytes. "
      "Spans of\n"
      "time are `500ms`, `30s`, `5m`, `2h`, or integers in seconds. Keys with * change when the service gets SIGHUP; "
      "all others\n"
      "need a restart.\n";
  for (const SectionSpec& section : config_sections()) {
    out += "\n## [" + std::string(section.name) + "]\n\n" + std::string(section.help) + "\n\n";
    out += "| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const KeySpec& key : config_keys()) {
      if (key.section != section.name) continue;
      const std::string prefix = key.standing == Standing::deprecated ? "Deprecated, no effect: "
                                 : key.standing == Standing::accepted ? "Accepted, no effect. "
                                                                      : "";
      out += "| `" + std::string(key.name == "*" ? "<id>" : key.name) + "`" + (key.reloads ? " *" : "") + " | " +
             cell(key.values) + " | " + cell(default_cell(key)) + " | " + prefix + cell(key.help) + " |\n";
    }
  }
  return out;
}

std::string config_example() {
  std::string out =
      "# Configuration of cuzk. Every key is shown at its default, or with an example where the default is not to be\n"
      "# set; what is left out keeps its default. docs/configuration.md describes the values.\n";
  for (const SectionSpec& section : config_sections()) {
    out += "\n# " + std::string(section.help) + "\n[" + std::string(section.name) + "]\n";
    for (const KeySpec& key : config_keys()) {
      if (key.section != section.name || key.standing != Standing::used) continue;
      const std::string value = key.show(Config{});
      const std::string_view name = key.name == "*" ? "multiplier" : key.name;
      out += "# " + std::string(key.help) + "\n#" + std::string(name) + " = " + (value.empty() ? "\"/path\"" : value) +
             "\n";
    }
  }
  return out;
}

}  // namespace cuzk::server
