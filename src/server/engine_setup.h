// EngineSetup: the engine with all that it stands on, as a configuration describes it.
//
//   arenas ─► catalogues, backends ─► budget ─► pool, journal, spool ─► engine
//
// Made in that order and ended in the other. Thread-safety: external; the engine's own methods concurrently.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "memory/host_memory.h"
#include "memory/page_locker.h"
#include "server/accelerators.h"
#include "server/config.h"
#include "support/right_of_way.h"

namespace cuzk::server {

/// What a configuration means on this machine, before anything is opened.
struct EnginePlan {
  std::uint64_t budget_bytes = 0;
  std::string parameters;           // folder of keys
  std::string circuits;             // folder of compiled circuits; empty: they are recorded anew
  std::string journal_folder;       // empty: none
  unsigned threads = 0;             // of the host's work
  bool timing = false;              // records of it are written
  engine::RestartPolicy restart{};  // for a device that only a new process can heal
  memory::LockerChoice locker;
  std::vector<backend::CudaDeviceInfo> accelerators;  // that prove, beside the CPU
  std::vector<engine::Device> given_devices;          // likewise, already open
  std::vector<memory::HostFinding> findings;
};

/// What the environment adds to a configuration.
struct Environment {
  std::string parameters;       // FIL_PROOFS_PARAMETER_CACHE
  std::string state_directory;  // STATE_DIRECTORY, of the service manager: where the journal is by default
  std::string cache_directory;  // CACHE_DIRECTORY, likewise: where compiled circuits are by default
  std::string log_level;        // CUZK_LOG: goes before the file and the command line
  bool timing = false;          // CUZK_TIMING
  bool supervised = false;      // NOTIFY_SOCKET: a service manager starts the service again
  // Of tests alone: spans that differ, devices beside the machine's.
  engine::RestartPolicy restart{};
  std::vector<engine::Device> devices{};
};
Environment read_environment();

/// Errors: invalid_argument (a budget of nothing). Findings are also of folders and devices that are not there.
Result<EnginePlan> plan_engine(const Config& config, const Environment& environment,
                               const memory::HostMemory& host = memory::read_host_memory());

/// What an operator should know of the keys and the budget together: what is to be preloaded and does not fit, a share
/// for payloads in which one of a circuit that is there may have no room.
std::vector<std::string> budget_warnings(const Config& config, const EnginePlan& plan,
                                         const engine::Catalogue& catalogue);

/// Circuits for which page-locked memory is made ready at the start: those to be preloaded, then others whose key is
/// there, as long as all of them can be resident at once.
std::vector<std::string> expected_circuits(const Config& config, const EnginePlan& plan,
                                           const engine::Catalogue& catalogue);

class LiveCatalogue;

class EngineSetup {
 public:
  /// Opens keys' headers and the journal, and takes over what a former process left there. Errors: those of the parts,
  /// naming the file.
  static Result<std::unique_ptr<EngineSetup>> create(const Config& config, const EnginePlan& plan);
  EngineSetup(const EngineSetup&) = delete;
  EngineSetup& operator=(const EngineSetup&) = delete;
  ~EngineSetup();

  engine::Engine& engine() noexcept { return *engine_; }
  bool has_journal() const noexcept { return journal_ != nullptr; }
  const engine::Catalogue& catalogue() const noexcept { return *catalogue_; }
  /// Until page-locked memory is ready for what is expected, or cannot be; cancelled.
  Status wait_for_buffers(const StopToken& stop);
  /// In the log's form: "text" or "json".
  void set_timing_form(const std::string& log_format) noexcept { timing_as_event_ = log_format == "json"; }

  /// From now on these are the keys of circom's circuits: new ones are opened, those that are not named any more are
  /// forgotten once nobody uses them. What an id stands for never changes while the process runs, so an id that was
  /// another file is left out, and returned. Errors: those of opening a key; nothing has changed then.
  Result<std::vector<std::string>> set_circom_keys(const std::map<std::string, std::string>& files);

 private:
  struct KnownKey {
    std::string path;
    store::KeyDigest digest;
  };

  explicit EngineSetup(const EnginePlan& plan);
  Status open_catalogue(const Config& config, const EnginePlan& plan);
  Status open_memory(const Config& config, const EnginePlan& plan);
  Status open_journal(const Config& config, const EnginePlan& plan);
  Status start_engine(const Config& config, const EnginePlan& plan);
  void write_timing(std::string_view record, const LogSubject& about) const;

  std::atomic<bool> timing_as_event_ = false;  // of the log; else as lines of its own
  SharedCores cores_;
  std::unique_ptr<engine::Catalogue> filecoin_;
  std::unique_ptr<LiveCatalogue> circom_;
  std::map<std::string, KnownKey> known_keys_;    // of every id that there ever was
  std::unique_ptr<engine::Catalogue> catalogue_;  // of both
  std::shared_ptr<memory::MemoryBudget> budget_;
  std::shared_ptr<memory::PinnedPool> pool_;
  std::unique_ptr<store::Journal> journal_;
  std::unique_ptr<store::Spool> spool_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace cuzk::server
