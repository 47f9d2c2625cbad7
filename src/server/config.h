// Config: what the service is told by its TOML file.
//
// One table (config_keys.h) says which keys there are: the parser, the reference, the example file and the reload work
// from it. Nothing is ignored in silence: an unknown key or table, a value of the wrong type or out of range is an
// error with its line, and with the key that was probably meant; a key that has no effect any more is a warning.
// Thread-safety: values; pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/filecoin_jobs.h"
#include "memory/memory_size.h"
#include "server/listen_address.h"
#include "support/result.h"

namespace cuzk::server {

using Milliseconds = std::chrono::milliseconds;

/// What becomes of a GPU that only a new process can heal (ADR 11).
enum class OnDeviceFailure : std::uint8_t {
  automatic,  // restart, where a service manager is there that starts the service again
  restart,
  go_on,
};

/// Whether HTTP's /v1 is there.
enum class HttpProving : std::uint8_t {
  never,
  as_grpc,  // without a token only where gRPC is as open
  always,
};

struct Config {
  struct Daemon {
    std::vector<std::string> listen = {"unix:///run/curio/cuzk.sock"};  // valid addresses
    std::string status_listen{};                                        // of HTTP; empty: off
    unsigned socket_mode = 0660;
    std::string socket_group{};  // empty: that of the process
    std::string tls_certificate{}, tls_key{}, tls_client_ca{};
    std::string token_file{};
    HttpProving http_proving = HttpProving::as_grpc;
    std::uint64_t max_message_bytes = 256 * memory::kMiB;
    std::uint64_t max_c1_bytes = engine::PayloadLimits{}.c1_bytes;
    std::uint64_t max_vanilla_bytes = engine::PayloadLimits{}.vanilla_bytes;
    std::uint64_t max_window_vanilla_bytes = engine::PayloadLimits{}.window_bytes;
    std::uint32_t max_calls = 1024;
    Milliseconds orphan_grace = std::chrono::minutes{5};
    Milliseconds drain_timeout = std::chrono::minutes{1};
  } daemon{};

  struct Memory {
    std::optional<std::uint64_t> total_budget{};  // none: what the machine and the control group allow
    std::uint64_t safety_margin = 5 * memory::kGiB;
    Milliseconds eviction_min_idle = std::chrono::minutes{5};
    std::optional<std::uint64_t> pinned_limit{};  // none: as much as the budget
    std::uint64_t critical_reserve = 0;
    std::uint64_t max_payloads = 4 * memory::kGiB;
    bool wipe_buffers = false;
  } memory{};

  struct Gpus {
    std::vector<std::string> devices{};  // ordinals or UUIDs; empty: all
    std::uint32_t gpu_threads = 0;       // 0: all processors
    std::uint32_t gpu_workers_per_device = 2;
    engine::CpuFallback cpu_fallback = engine::CpuFallback::foreseen;
    OnDeviceFailure on_failure = OnDeviceFailure::automatic;
  } gpus{};

  struct Scheduler {
    std::uint32_t max_open_jobs = 256;
    std::uint32_t max_batch_size = 1;
    std::uint64_t max_batch_wait_ms = 10000;
    bool sort_by_type = true;
  } scheduler{};

  struct Synthesis {
    std::uint32_t threads = 0;  // 0: all processors
  } synthesis{};

  struct Pipeline {
    bool enabled = true;
    std::uint32_t synthesis_lookahead = 1;
    std::uint32_t synthesis_concurrency = 1;
    std::uint32_t max_parallel_synthesis = 18;  // never 0
    std::uint32_t slot_size = 0;
    std::uint32_t max_gpu_queue_depth = 0;  // 0: the engine's own
  } pipeline{};

  struct Srs {
    std::optional<std::string> param_cache{};
    std::vector<std::string> preload{};
    std::string circuit_cache{};  // folder of compiled circuits; empty: beside the keys
  } srs{};

  struct Journal {
    std::string folder{};  // empty: jobs end with the process
    Milliseconds result_age = std::chrono::hours{24 * 7};
    std::uint64_t max_results = 100'000;
    std::uint64_t max_spool_bytes = 64 * memory::kGiB;
  } journal{};

  struct Logging {
    std::string level = "info";
    std::string format = "text";
    bool timing = false;
  } logging{};

  struct Circom {
    std::map<std::string, std::string> keys{};  // id -> path of a .zkey
  } circom{};
};

struct ConfigProblem {
  unsigned line = 0;  // 0: of the whole file
  bool is_error = true;
  std::string text;

  /// "cuzk.toml:12: error: ..."
  std::string to_string(std::string_view file) const;
};

struct CheckedConfig {
  Config config;
  std::vector<ConfigProblem> problems;  // in the order of lines

  bool ok() const noexcept;
};

/// All that is wrong with a text, and what it says where it is right.
CheckedConfig check_config(std::string_view text);

struct LoadedConfig {
  Config config;
  std::vector<std::string> warnings;  // with file and line
};
/// not_found and others: the file cannot be read. malformed: its errors, one a line.
Result<LoadedConfig> load_config(const std::string& path);

/// The folder of the keys: of the file, else of FIL_PROOFS_PARAMETER_CACHE (null: not set), else the default one.
std::string parameter_folder(const Config& config, const char* environment);

/// A plain level of the words of an env-filter ("info", "warn,h2=off"): trace, debug, info, warn, error or off.
Result<std::string> plain_log_level(std::string_view filter);

struct ReloadPlan {
  Config config;                     // the running one with what can change
  std::vector<std::string> applied;  // keys
  std::vector<std::string> ignored;  // changed keys that need a restart
};
ReloadPlan plan_reload(const Config& running, const Config& wanted);

/// The configuration as a TOML file of all keys that have an effect and a value.
std::string config_text(const Config& config);

/// Markdown, and a TOML file with every key at its default, commented out.
std::string config_reference();
std::string config_example();

}  // namespace cuzk::server
