#include "server/config.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "server/config_keys.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vectors.h"

namespace cuzk::server {
namespace {

using test::must;

std::string told(const CheckedConfig& checked) {
  std::string out;
  for (const ConfigProblem& problem : checked.problems) out += problem.to_string("f") + "\n";
  return out;
}

Config read(const std::string& text) {
  const CheckedConfig checked = check_config(text);
  EXPECT_EQ(told(checked), "");
  return checked.config;
}

TEST(Config, DefaultsAreThoseOfTheContract) {
  const Config config = read("");
  EXPECT_EQ(config.daemon.listen, std::vector<std::string>{"unix:///run/curio/cuzk.sock"});
  EXPECT_EQ(config.daemon.status_listen, "");
  EXPECT_FALSE(config.memory.total_budget);
  EXPECT_EQ(config.memory.safety_margin, 5ULL << 30);
  EXPECT_EQ(config.memory.eviction_min_idle, std::chrono::minutes(5));
  EXPECT_TRUE(config.gpus.devices.empty());
  EXPECT_EQ(config.gpus.gpu_threads, 0U);
  EXPECT_EQ(config.gpus.gpu_workers_per_device, 2U);
  EXPECT_EQ(config.scheduler.max_batch_size, 1U);
  EXPECT_EQ(config.scheduler.max_batch_wait_ms, 10000U);
  EXPECT_TRUE(config.scheduler.sort_by_type);
  EXPECT_TRUE(config.pipeline.enabled);
  EXPECT_EQ(config.pipeline.max_parallel_synthesis, 18U);
  EXPECT_EQ(config.pipeline.max_gpu_queue_depth, 0U);
  EXPECT_EQ(config.logging.level, "info");
  EXPECT_EQ(parameter_folder(config, nullptr), "/data/zk/params");
}

struct Changed {
  const char* key;
  const char* value;  // as in the file
  const char* shown;  // as it is written again; null: as `value`
};

constexpr Changed kChanges[] = {
    {"daemon.listen", "\"0.0.0.0:9820\"", nullptr},
    {"daemon.listen", "[\"unix:///a\", \"localhost:1\"]", nullptr},
    {"daemon.status_listen", "\"0.0.0.0:9821\"", nullptr},
    {"daemon.socket_mode", "\"0600\"", nullptr},
    {"daemon.socket_group", "\"zk\"", nullptr},
    {"daemon.token_file", "\"/t\"", nullptr},
    {"daemon.http_proving", "true", nullptr},
    {"daemon.http_proving", "false", nullptr},
    {"daemon.max_message_bytes", "\"128MiB\"", nullptr},
    {"daemon.max_c1_bytes", "\"1GiB\"", nullptr},
    {"daemon.max_vanilla_bytes", "\"2MiB\"", nullptr},
    {"daemon.max_window_vanilla_bytes", "\"1MiB\"", nullptr},
    {"daemon.max_calls", "7", nullptr},
    {"daemon.orphan_grace", "\"90s\"", nullptr},
    {"daemon.drain_timeout", "\"90s\"", nullptr},
    {"memory.total_budget", "\"512GiB\"", nullptr},
    {"memory.total_budget", "\"512G\"", "\"512GiB\""},
    {"memory.total_budget", "1073741824", "\"1GiB\""},
    {"memory.total_budget", "\"1.5GiB\"", "\"1536MiB\""},
    {"memory.safety_margin", "\"10GB\"", "\"9765625KiB\""},
    {"memory.eviction_min_idle", "\"2h\"", nullptr},
    {"memory.eviction_min_idle", "120", "\"2m\""},
    {"memory.pinned_limit", "\"1TiB\"", "\"1024GiB\""},
    {"memory.critical_reserve", "\"30GiB\"", nullptr},
    {"memory.max_payloads", "\"1GiB\"", nullptr},
    {"memory.wipe_buffers", "true", nullptr},
    {"gpus.devices", "[0, 1]", "[\"0\", \"1\"]"},
    {"gpus.devices", "[\"GPU-7b\"]", nullptr},
    {"gpus.gpu_workers_per_device", "1", nullptr},
    {"gpus.cpu_fallback", "\"never\"", nullptr},
    {"gpus.cpu_fallback", "\"always\"", nullptr},
    {"gpus.on_failure", "\"restart\"", nullptr},
    {"gpus.on_failure", "\"continue\"", nullptr},
    {"scheduler.max_open_jobs", "10", nullptr},
    {"synthesis.threads", "4", nullptr},
    {"pipeline.synthesis_concurrency", "2", nullptr},
    {"pipeline.max_parallel_synthesis", "3", nullptr},
    {"pipeline.max_gpu_queue_depth", "8", nullptr},
    {"srs.param_cache", "\"/p\"", nullptr},
    {"srs.preload", "[\"porep-32g\", \"winning-2k\"]", nullptr},
    {"srs.circuit_cache", "\"/c\"", nullptr},
    {"circom.keys.multiplier", "\"/m.zkey\"", "\"multiplier\" = \"/m.zkey\"\n"},
    {"journal.folder", "\"/j\"", nullptr},
    {"journal.result_age", "\"24h\"", nullptr},
    {"journal.max_results", "5", nullptr},
    {"journal.max_spool_bytes", "\"1GiB\"", nullptr},
    {"logging.level", "\"debug\"", nullptr},
    {"logging.format", "\"json\"", nullptr},
    {"logging.timing", "true", nullptr},
};

const KeySpec& row_of(const std::string& key) {
  SettingPath path;
  std::stringstream parts(key);
  for (std::string part; std::getline(parts, part, '.');) path.push_back(part);
  const KeySpec* const row = find_key(path);
  if (row == nullptr) throw std::logic_error(key);
  return *row;
}

TEST(Config, fault_B25_EachKeyChangesWhatItSays) {
  std::set<std::string> tried = {"daemon.tls_certificate", "daemon.tls_key", "daemon.tls_client_ca"};  // below
  for (const auto& [key, value, shown] : kChanges) {
    const CheckedConfig checked = check_config(std::string(key) + " = " + value);
    EXPECT_EQ(told(checked), "") << key;
    const KeySpec& row = row_of(key);
    EXPECT_EQ(row.show(checked.config), shown == nullptr ? value : shown) << key;
    EXPECT_NE(row.show(checked.config), row.show(Config{})) << key;
    tried.insert(row.path());
  }
  for (const KeySpec& row : config_keys()) {
    EXPECT_TRUE(row.standing != Standing::used || tried.contains(row.path())) << row.path();
  }
}

std::string content(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

/// Sources that are made of the configuration, as one text.
std::string users_of_the_configuration() {
  std::string all;
  for (const char* name : {"src/server/engine_setup.cpp", "src/server/daemon.cpp", "src/server/grpc_server.cpp",
                           "src/server/http_server.cpp", "src/cli/serve.cpp"}) {
    all += content(test::source_folder() / name);
  }
  return all;
}

/// Whether the text has it with no letter of a name before or behind.
bool has_word(const std::string& text, const std::string& word) {
  const auto in_name = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (!in_name(at - 1) && !in_name(at + word.size())) return true;
  }
  return false;
}

TEST(Config, EachUsedKeyIsReadBySomeone) {
  const std::string users = users_of_the_configuration();
  for (const KeySpec& row : config_keys()) {
    if (row.standing != Standing::used || row.path() == "srs.param_cache") continue;  // that one: parameter_folder()
    const std::string section(row.section.substr(0, row.section.find('.')));
    const std::string name = row.name == "*" ? "keys" : std::string(row.name);
    EXPECT_TRUE(has_word(users, section + "." + name) || has_word(users, "config." + name)) << row.path();
  }
}

TEST(Config, TlsNeedsBothFiles) {
  const Config config = read("[daemon]\ntls_certificate = \"/c\"\ntls_key = \"/k\"\ntls_client_ca = \"/r\"\n");
  EXPECT_EQ(config.daemon.tls_certificate + config.daemon.tls_key + config.daemon.tls_client_ca, "/c/k/r");
  EXPECT_EQ(told(check_config("[daemon]\ntls_key = \"/k\"")),
            "f:2: error: daemon.tls_certificate and daemon.tls_key belong together\n");
  EXPECT_EQ(told(check_config("[daemon]\n\ntls_client_ca = \"/k\"")),
            "f:3: error: daemon.tls_client_ca needs daemon.tls_certificate\n");
}

struct Bad {
  const char* text;
  const char* problem;  // all of it, or the beginning
};

constexpr Bad kBad[] = {
    {"[memory]\ntotal_budgt = \"1GiB\"",
     "f:2: error: unknown key memory.total_budgt; did you mean memory.total_budget?"},
    {"[daemon]\nparam_cache = \"/p\"", "f:2: error: unknown key daemon.param_cache; did you mean srs.param_cache?"},
    {"listen = \"localhost:1\"", "f:1: error: unknown key listen; did you mean daemon.listen?"},
    {"[memory]\nwhatever_this_is = 1", "f:2: error: unknown key memory.whatever_this_is\n"},
    {"\n[gpu]\ndevices = [0]\ngpu_threads = 3", "f:2: error: unknown table [gpu]; did you mean [gpus]?\n"},
    {"[memroy]\n", "f:1: error: unknown table [memroy]; did you mean [memory]?\n"},
    {"[memory.pool]\nx = 1", "f:1: error: unknown table [memory.pool]"},
    {"memory = 1", "f:1: error: [memory] is a table, not a key\n"},
    {"[memory]\ntotal_budget = \"512X\"", "f:2: error: memory.total_budget: "},
    {"[memory]\ntotal_budget = \"50\xc2\xa0GiB\"", "f:2: error: memory.total_budget: "},
    {"[memory]\ntotal_budget = -1", "f:2: error: memory.total_budget: "},
    {"[memory]\ntotal_budget = 0", "f:2: error: memory.total_budget: 0 bytes"},
    {"[memory]\nsafety_margin = true",
     "f:2: error: memory.safety_margin: expected a size as in \"64GiB\", found a truth"},
    {"[memory]\neviction_min_idle = \"5d\"", "f:2: error: memory.eviction_min_idle: \"5d\" is no span of time"},
    {"[gpus]\ngpu_workers_per_device = 0", "f:2: error: gpus.gpu_workers_per_device: 0 is not from 1 to 64"},
    {"[gpus]\ngpu_threads = \"all\"", "f:2: error: gpus.gpu_threads: expected an integer, found a text"},
    {"[gpus]\ngpu_threads = 4294967296", "f:2: error: gpus.gpu_threads: 4294967296 is not from"},
    {"[gpus]\ndevices = 0", "f:2: error: gpus.devices: expected a list"},
    {"[gpus]\ndevices = [-1]", "f:2: error: gpus.devices: "},
    {"[gpus]\ndevices = [1.5]", "f:2: error: gpus.devices: "},
    {"[daemon]\nlisten = \"9820\"", "f:2: error: daemon.listen: \"9820\" is no address"},
    {"[daemon]\nlisten = []", "f:2: error: daemon.listen: the list is empty"},
    {"[daemon]\nstatus_listen = \"unix:///x\"", "f:2: error: daemon.status_listen: expected host:port"},
    {"[daemon]\nsocket_mode = \"0999\"", "f:2: error: daemon.socket_mode: \"0999\" is no mode"},
    {"[daemon]\nsocket_mode = 660", "f:2: error: daemon.socket_mode: expected a text"},
    {"[srs]\nparam_cache = \"\"", "f:2: error: srs.param_cache: expected a path"},
    {"[journal]\nfolder = \"~/journal\"", "f:2: error: journal.folder: ~ means nothing here"},
    {"[circom.keys]\n\"\" = \"k.zkey\"", "f:2: error: circom.keys.: expected an id of 1 to 256 bytes"},
    {"[srs]\npreload = [\"porep-33g\"]", "f:2: error: srs.preload: "},
    {"[logging]\nlevel = \"loud\"", "f:2: error: logging.level: \"loud\" is no level"},
    {"[logging]\nformat = \"xml\"", "f:2: error: logging.format: \"xml\" is neither"},
    {"[gpus]\non_failure = \"stop\"", "f:2: error: gpus.on_failure: \"stop\" is neither \"auto\", \"restart\" nor"},
    {"[gpus]\ncpu_fallback = \"yes\"", "f:2: error: gpus.cpu_fallback: \"yes\" is neither"},
    {"[daemon]\nhttp_proving = \"on\"", "f:2: error: daemon.http_proving: expected true, false or \"auto\""},
    {"[logging]\nlevel = 2026-01-01", "f:2: error: logging.level: expected a text, found a date"},
    {"[daemon]\nlisten = \"localhost:1\"\nlisten = \"localhost:2\"", "f:3: error: "},
    {"[daemon\n", "f:1: error: "},
    {"[daemon]\nlisten = \"a", "f:2: error: "},
    {"a = 1\na.b = 2", "f:2: error: "},
};

TEST(Config, FaultsAreToldWithLineAndSuggestion) {
  for (const auto& [text, problem] : kBad) {
    const CheckedConfig checked = check_config(text);
    EXPECT_FALSE(checked.ok()) << text;
    EXPECT_EQ(checked.problems.size(), 1U) << told(checked);
    EXPECT_EQ(told(checked).substr(0, std::string(problem).size()), problem) << text;
  }
}

TEST(Config, fault_A34_AllFaultsOfAFileAreToldAtOnce) {
  const CheckedConfig checked = check_config(
      "[memory]\ntotal_budget = \"1QiB\"\npinned_budget = \"50GiB\"\n[gpuz]\n[pipeline]\nenabled = 3\nslot_size = 4\n");
  EXPECT_EQ(checked.problems.size(), 5U) << told(checked);
  EXPECT_FALSE(checked.ok());
  EXPECT_TRUE(std::ranges::is_sorted(checked.problems, {}, &ConfigProblem::line));
}

TEST(Config, DeprecatedAndIneffectiveKeysAreWarnings) {
  const CheckedConfig checked = check_config(
      "[memory]\npinned_budget = \"50GiB\"\nworking_memory_budget = \"0\"\n[synthesis]\npartition_workers = 20\n"
      "[pipeline]\nenabled = false\nsynthesis_lookahead = 2\n[scheduler]\nmax_batch_size = 3\n");
  EXPECT_TRUE(checked.ok()) << told(checked);
  EXPECT_EQ(checked.problems.size(), 6U) << told(checked);
  EXPECT_EQ(checked.problems[0].to_string("f"),
            "f:2: warning: memory.pinned_budget is deprecated and has no effect: the budget is one: "
            "memory.total_budget");
}

// The keys of the files that users of the other daemon have: its example, one of its first phase, its user page.
constexpr const char* kForeign[] = {
    "[daemon]\nlisten = \"0.0.0.0:9820\"\n[srs]\nparam_cache = \"/data/zk/params\"\n[memory]\ntotal_budget = \"auto\"\n"
    "safety_margin = \"5GiB\"\neviction_min_idle = \"5m\"\n[gpus]\ndevices = []\ngpu_threads = 32\n"
    "gpu_workers_per_device = 2\n[scheduler]\nmax_batch_size = 1\nmax_batch_wait_ms = 10000\nsort_by_type = true\n"
    "[synthesis]\nthreads = 0\n[pipeline]\nenabled = true\nsynthesis_lookahead = 1\nsynthesis_concurrency = 1\n"
    "[logging]\nlevel = \"info\"\n",
    "[daemon]\nlisten = \"0.0.0.0:9820\"\n[srs]\nparam_cache = \"/p\"\npreload = [\"porep-32g\"]\n"
    "[memory]\npinned_budget = \"50GiB\"\nworking_memory_budget = \"200GiB\"\n[gpus]\ndevices = [0]\n"
    "[scheduler]\nmax_batch_size = 1\n[synthesis]\nthreads = 64\npartition_workers = 10\n[logging]\nlevel = \"debug\"\n"
    "format = \"json\"\n",
};

TEST(Config, FilesOfTheOtherDaemonStartOurs) {
  for (const char* text : kForeign) {
    const CheckedConfig checked = check_config(text);
    EXPECT_TRUE(checked.ok()) << told(checked);
    EXPECT_EQ(checked.config.daemon.listen, std::vector<std::string>{"0.0.0.0:9820"});
  }
  EXPECT_EQ(told(check_config(kForeign[0])),
            "f:11: warning: gpus.gpu_threads has no effect: All work of the processor shares the threads of "
            "synthesis.threads.\n");
}

TEST(Config, fault_A13_AFolderOfTheFileGoesBeforeTheEnvironment) {
  EXPECT_EQ(parameter_folder(read("[srs]\nparam_cache = \"/file\""), "/environment"), "/file");
  EXPECT_EQ(parameter_folder(Config{}, "/environment"), "/environment");
  EXPECT_EQ(parameter_folder(Config{}, ""), "/data/zk/params");
}

TEST(Config, LevelsMayBeFiltersOfParts) {
  EXPECT_EQ(must(plain_log_level("warn")), "warn");
  EXPECT_EQ(must(plain_log_level("h2=off,debug,core=trace")), "debug");
  EXPECT_EQ(must(plain_log_level("h2=off")), "info");
  EXPECT_FALSE(plain_log_level("h2=loud"));
}

TEST(Config, ZeroMeansTheDefaultWhereItSaysSo) {
  EXPECT_EQ(read("[pipeline]\nmax_parallel_synthesis = 0").pipeline.max_parallel_synthesis, 18U);
}

TEST(Config, ReloadAppliesWhatCanChangeAndNamesTheRest) {
  const Config wanted = read("[daemon]\norphan_grace = \"1m\"\nmax_calls = 3\n[logging]\nlevel = \"warn\"");
  const ReloadPlan plan = plan_reload(Config{}, wanted);
  EXPECT_EQ(plan.applied, (std::vector<std::string>{"daemon.orphan_grace", "logging.level"}));
  EXPECT_EQ(plan.ignored, std::vector<std::string>{"daemon.max_calls"});
  EXPECT_EQ(plan.config.daemon.orphan_grace, std::chrono::minutes(1));
  EXPECT_EQ(plan.config.logging.level, "warn");
  EXPECT_EQ(plan.config.daemon.max_calls, Config{}.daemon.max_calls);
}

TEST(Config, LoadsFilesAndNamesThem) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("cuzk.toml");
  std::ofstream(path) << "[memory]\npinned_budget = \"1GiB\"\n";
  const LoadedConfig loaded = must(load_config(path));
  ASSERT_EQ(loaded.warnings.size(), 1U);
  EXPECT_TRUE(loaded.warnings[0].starts_with(path + ":2: warning: "));

  std::ofstream(path) << "[memory]\nx = 1\ny = 2\n";
  const auto bad = load_config(path);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), Code::malformed);
  EXPECT_NE(bad.error().message().find(path + ":3: error: "), std::string::npos);
  EXPECT_EQ(load_config(folder.file("none")).error().code(), Code::not_found);
}

/// With CUZK_WRITE_REFERENCE set, writes the files instead of comparing them.
void expect_file(const std::string& name, const std::string& text) {
  const std::filesystem::path path = test::source_folder() / name;
  if (std::getenv("CUZK_WRITE_REFERENCE") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(content(path), text) << name << ": run this test with CUZK_WRITE_REFERENCE=1 to write it again";
}

TEST(Config, ReferenceAndExampleAreThoseOfTheTable) {
  expect_file("docs/configuration.md", config_reference());
  expect_file("packaging/cuzk.example.toml", config_example());
}

TEST(Config, TheExampleIsAFileOfDefaults) {
  EXPECT_EQ(told(check_config(config_example())), "");
  std::string all;
  std::istringstream lines(config_example());
  for (std::string line; std::getline(lines, line);) {
    const bool is_key = line.starts_with('#') && line.size() > 1 && line[1] != ' ';
    if (is_key && line.find("tls_") == std::string::npos) line.erase(0, 1);
    all += line + "\n";
  }
  const Config config = read(all);
  EXPECT_EQ(config.daemon.listen, Config{}.daemon.listen);
  EXPECT_EQ(config.circom.keys.at("multiplier"), "/path");
}

TEST(Config, ItsTextIsTheFileThatMeansTheSame) {
  const std::string text = config_text(Config{});
  EXPECT_EQ(told(check_config(text)), "");
  const Config other = read(
      "[daemon]\nlisten = [\"0.0.0.0:1\", \"unix:///a\"]\nsocket_mode = \"0600\"\n[memory]\npinned_limit = \"7GiB\"\n"
      "[circom.keys]\n\"a \\\"b\" = \"/c\"\n");
  EXPECT_NE(config_text(other), text);
  EXPECT_EQ(config_text(read(config_text(other))), config_text(other));
}

}  // namespace
}  // namespace cuzk::server
