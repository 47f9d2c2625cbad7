#include "server/engine_setup.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "backend/cpu/cpu_backend.h"
#include "engine/circom_jobs.h"
#include "engine/filecoin_jobs.h"
#include "engine/timing_record.h"
#include "memory/memory_size.h"
#include "store/sqlite_journal.h"
#include "support/log.h"
#include "support/mutex.h"

namespace cuzk::server {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The first of the folders that the service manager made for the service.
std::string first_of_list(const std::string& folders) { return folders.substr(0, folders.find(':')); }

std::string first_set(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return {};
}

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return {};
  return fail(Code::not_found, "the folder " + path + " cannot be made: " + error.message());
}

bool can_be_written(std::filesystem::path folder) {
  std::error_code error;
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

bool has_circuits(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".circuit") return true;
  }
  return false;
}

/// A folder in which nothing lies and nothing can be written is none: circuits are recorded anew then.
void check_circuit_folder(EnginePlan& plan) {
  if (can_be_written(plan.circuits)) return;
  const bool is_used = has_circuits(plan.circuits);
  plan.findings.push_back({LogLevel::warn, "the folder of compiled circuits cannot be written: " + plan.circuits +
                                               (is_used ? "; circuits that are not in it cannot be proved"
                                                        : "; circuits are recorded anew by each process") +
                                               " (srs.circuit_cache)"});
  if (!is_used) plan.circuits.clear();
}

void add_findings(const Config& config, EnginePlan& plan) {
  const auto warn = [&](std::string text) { plan.findings.push_back({LogLevel::warn, std::move(text)}); };
  check_circuit_folder(plan);
  if (plan.journal_folder.empty()) warn("no journal.folder: jobs and results end with this process");
  std::error_code error;
  if (!std::filesystem::is_directory(plan.parameters, error)) {
    warn("the folder of keys is not there: " + plan.parameters + " (srs.param_cache)");
  }
  auto accelerators = choose_accelerators(config.gpus.devices, visible_accelerators());
  plan.accelerators = std::move(accelerators.devices);
  for (std::string& warning : accelerators.warnings) warn(std::move(warning));
}

/// CUZK_TIMING: set, and not "0".
bool is_on(const std::string& value) { return !value.empty() && value != "0"; }

std::uint64_t payload_share(const Config& config, const EnginePlan& plan) {
  return std::min(config.memory.max_payloads, engine::payload_limit(plan.budget_bytes));
}

/// What keys, circuits and partitions may have together.
std::uint64_t room_for_circuits(const Config& config, const EnginePlan& plan) {
  const std::uint64_t others = payload_share(config, plan) + config.memory.critical_reserve;
  return plan.budget_bytes - std::min(others, plan.budget_bytes);
}

std::uint64_t resident_bytes(const engine::ProvingCircuit& circuit) {
  const engine::CircuitSizes sizes = circuit.sizes();
  return sizes.key_bytes + sizes.circuit_bytes;
}

std::vector<std::string> all_circuits(const Config& config) {
  std::vector<std::string> ids = config.srs.preload;
  for (const filecoin::ProofKind kind : filecoin::kProofKinds) {
    for (const filecoin::SectorShape& sector : filecoin::sector_shapes()) {
      if (sector.published) ids.push_back(filecoin::Circuit{kind, &sector}.id());
    }
  }
  for (const auto& [id, file] : config.circom.keys) ids.push_back(id);
  return ids;
}

engine::Device cpu_device(SharedCores& cores) {
  const backend::CpuOptions options{.urgent_arena = &cores.urgent()};
  engine::Device cpu;
  cpu.name = "cpu";
  cpu.bn254 = std::make_shared<backend::CpuBackend<Bn254>>(cores.ordinary(), options);
  cpu.bls12_381 = std::make_shared<backend::CpuBackend<Bls12_381>>(cores.ordinary(), options);
  return cpu;
}

/// The CPU last, so that accelerators have the numbers that they were chosen by where all are: clients and scripts take
/// the first for GPU 0. What cannot be opened is told and left out.
std::vector<engine::Device> open_devices(SharedCores& cores, const EnginePlan& plan) {
  std::vector<engine::Device> devices = plan.given_devices;
  for (const backend::CudaDeviceInfo& info : plan.accelerators) {
    if (auto device = open_accelerator(cores.ordinary(), info)) {
      devices.push_back(*std::move(device));
    } else {
      log_error("a device is not used: " + device.error().to_string());
    }
  }
  devices.push_back(cpu_device(cores));
  return devices;
}

std::vector<std::shared_ptr<const engine::JobKind>> all_kinds() {
  auto kinds = engine::filecoin_kinds();
  kinds.push_back(engine::circom_kind());
  return kinds;
}

}  // namespace

Environment read_environment() {
  return {.parameters = variable("FIL_PROOFS_PARAMETER_CACHE"),
          .state_directory = first_of_list(variable("STATE_DIRECTORY")),
          .cache_directory = first_of_list(variable("CACHE_DIRECTORY")),
          .log_level = variable("CUZK_LOG"),
          .timing = is_on(variable("CUZK_TIMING")),
          .supervised = !variable("NOTIFY_SOCKET").empty()};
}

Result<EnginePlan> plan_engine(const Config& config, const Environment& environment, const memory::HostMemory& host) {
  EnginePlan plan;
  const Config::Memory& memory = config.memory;
  if (memory.total_budget) {
    plan.budget_bytes = *memory.total_budget;
  } else {
    CUZK_TRY(plan.budget_bytes, memory::resolve_budget_total("auto", memory.safety_margin, host));
  }
  plan.parameters = parameter_folder(config, environment.parameters.c_str());
  plan.circuits = first_set({config.srs.circuit_cache, environment.cache_directory, plan.parameters});
  plan.journal_folder = config.journal.folder.empty() ? environment.state_directory : config.journal.folder;
  plan.threads = config.synthesis.threads;
  plan.timing = config.logging.timing || environment.timing;
  plan.restart = environment.restart;
  plan.restart.restarts = config.gpus.on_failure == OnDeviceFailure::restart ||
                          (config.gpus.on_failure == OnDeviceFailure::automatic && environment.supervised);
  plan.given_devices = environment.devices;
  plan.locker = memory::choose_page_locker();
  plan.findings = memory::check_host_memory(host, {.budget_bytes = plan.budget_bytes,
                                                   .pinned_limit_bytes = memory.pinned_limit,
                                                   .uses_mlock = !plan.locker.reason.empty()});
  if (!plan.locker.reason.empty()) {
    plan.findings.push_back({LogLevel::info, "pages are locked by mlock: " + plan.locker.reason});
  }
  add_findings(config, plan);
  return plan;
}

std::vector<std::string> budget_warnings(const Config& config, const EnginePlan& plan,
                                         const engine::Catalogue& catalogue) {
  using memory::format_memory_size;
  std::vector<std::string> warnings;
  std::uint64_t preloaded = 0;
  for (const std::string& id : config.srs.preload) {
    if (const auto circuit = catalogue.find(id)) preloaded += resident_bytes(**circuit);
  }
  if (const std::uint64_t room = room_for_circuits(config, plan); preloaded > room) {
    warnings.push_back("srs.preload takes " + format_memory_size(preloaded) + ", more than the " +
                       format_memory_size(room) +
                       " that memory.total_budget leaves it: not all of it can be resident at once");
  }
  const std::uint64_t share = payload_share(config, plan);
  for (const char* id : {"porep-32g", "porep-64g"}) {
    if (share >= config.daemon.max_c1_bytes || !catalogue.find(id)) continue;
    warnings.push_back("payloads have " + format_memory_size(share) + " (memory.max_payloads, at most an eighth of " +
                       "memory.total_budget), but one of " + id + " may have " +
                       format_memory_size(config.daemon.max_c1_bytes));
  }
  return warnings;
}

std::vector<std::string> expected_circuits(const Config& config, const EnginePlan& plan,
                                           const engine::Catalogue& catalogue) {
  std::vector<std::string> expected;
  std::uint64_t room = room_for_circuits(config, plan);
  for (const std::string& id : all_circuits(config)) {
    const auto circuit = catalogue.find(id);
    if (!circuit || std::ranges::find(expected, id) != expected.end()) continue;
    const std::uint64_t bytes =
        resident_bytes(**circuit) + (expected.empty() ? (*circuit)->sizes().partition_peak() : 0);
    if (bytes > room) continue;
    room -= bytes;
    expected.push_back(id);
  }
  return expected;
}

/// Circom's circuits by id; which there are may change.
class LiveCatalogue final : public engine::Catalogue {
 public:
  using Circuits = engine::RegisteredCircuits;

  Result<std::shared_ptr<const engine::ProvingCircuit>> find(std::string_view id) const override {
    const MutexLock lock(mutex_);
    return engine::find_registered(circuits_, id);
  }

  Circuits all() const {
    const MutexLock lock(mutex_);
    return circuits_;
  }

  void replace(Circuits circuits) {
    const MutexLock lock(mutex_);
    circuits_.swap(circuits);  // the former ones end outside
  }

 private:
  mutable Mutex mutex_;
  Circuits circuits_ CUZK_GUARDED_BY(mutex_);
};

EngineSetup::EngineSetup(const EnginePlan& plan) : cores_(plan.threads) {}

EngineSetup::~EngineSetup() = default;

Result<std::unique_ptr<EngineSetup>> EngineSetup::create(const Config& config, const EnginePlan& plan) {
  std::unique_ptr<EngineSetup> setup(new EngineSetup(plan));
  CUZK_CHECK_OK(setup->open_catalogue(config, plan));
  CUZK_CHECK_OK(setup->open_memory(config, plan));
  CUZK_CHECK_OK(setup->open_journal(config, plan));
  CUZK_CHECK_OK(setup->start_engine(config, plan));
  return setup;
}

Status EngineSetup::open_catalogue(const Config& config, const EnginePlan& plan) {
  if (!plan.circuits.empty()) CUZK_CHECK_OK(make_folder(plan.circuits));
  filecoin_ = engine::filecoin_catalogue(cores_.ordinary(), {.params = plan.parameters, .circuits = plan.circuits});
  circom_ = std::make_unique<LiveCatalogue>();
  CUZK_CHECK_OK(set_circom_keys(config.circom.keys));
  catalogue_ = engine::joined_catalogue(*filecoin_, *circom_);
  return {};
}

Result<std::vector<std::string>> EngineSetup::set_circom_keys(const std::map<std::string, std::string>& files) {
  const LiveCatalogue::Circuits former = circom_->all();
  LiveCatalogue::Circuits circuits;
  std::vector<std::string> refused;
  for (const auto& [id, path] : files) {
    const auto known = known_keys_.find(id);
    const bool is_new = known == known_keys_.end();
    if (!is_new && known->second.path != path) refused.push_back(id);
    if (const auto at = former.find(id); at != former.end()) {
      circuits.insert(*at);
    } else if (is_new || known->second.path == path) {
      CUZK_TRY(const auto opened, engine::circom_catalogue(cores_.ordinary(), {{id, path}}));
      CUZK_TRY(auto circuit, opened->find(id));
      if (is_new || known->second.digest == circuit->key_digest()) {
        circuits.emplace(id, std::move(circuit));
      } else {
        refused.push_back(id);
      }
    }
  }
  for (const auto& [id, circuit] : circuits) known_keys_.emplace(id, KnownKey{files.at(id), circuit->key_digest()});
  circom_->replace(circuits);
  for (const auto& [id, circuit] : former) {
    if (circuits.contains(id) || !engine_) continue;
    if (const auto evicted = engine_->evict(id); !evicted) log_warn(evicted.error().to_string());
  }
  return refused;
}

Status EngineSetup::open_memory(const Config& config, const EnginePlan& plan) {
  memory::BudgetOptions budget;
  budget.total_bytes = plan.budget_bytes;
  budget.critical_reserve_bytes = config.memory.critical_reserve;
  CUZK_TRY(budget_, memory::MemoryBudget::create(std::move(budget)));
  memory::PoolOptions pool;
  pool.pinned_limit_bytes = config.memory.pinned_limit;
  pool.wipe_on_return = config.memory.wipe_buffers;
  pool.arena = &cores_.ordinary();
  pool.locker = plan.locker.locker;
  CUZK_TRY(pool_, memory::PinnedPool::create(budget_, pool));
  return {};
}

Status EngineSetup::open_journal(const Config& config, const EnginePlan& plan) {
  if (plan.journal_folder.empty()) return {};
  CUZK_CHECK_OK(make_folder(plan.journal_folder));
  store::SqliteJournalOptions options;
  options.max_open_jobs = config.scheduler.max_open_jobs;
  CUZK_TRY(journal_, store::open_sqlite_journal(plan.journal_folder + "/journal.sqlite", options));
  CUZK_TRY(spool_, store::Spool::open(
                       {.folder = plan.journal_folder + "/spool", .quota_bytes = config.journal.max_spool_bytes}));
  return {};
}

Status EngineSetup::start_engine(const Config& config, const EnginePlan& plan) {
  engine::EngineOptions options;
  options.arena = &cores_.ordinary();
  options.critical_arena = &cores_.urgent();
  options.budget = budget_;
  options.pool = pool_;
  options.catalogue = catalogue_.get();
  options.kinds = all_kinds();
  options.devices = open_devices(cores_, plan);
  options.journal = journal_.get();
  options.spool = spool_.get();

  options.workers_per_device = config.gpus.gpu_workers_per_device;
  // More witnesses at once than processors end no earlier, and each holds its memory for longer.
  options.max_witnesses =
      std::clamp(config.pipeline.max_parallel_synthesis, 1U, std::max(2U, cores_.ordinary().concurrency()));
  options.finishers = std::max(2U, config.gpus.gpu_workers_per_device);
  options.decoders = std::max(1U, config.pipeline.synthesis_concurrency);
  if (config.pipeline.max_gpu_queue_depth > 0) options.device_queue = config.pipeline.max_gpu_queue_depth;
  options.prewarm = expected_circuits(config, plan, *catalogue_);
  options.cpu_fallback = config.gpus.cpu_fallback;
  options.restart = plan.restart;
  options.max_open_jobs = config.scheduler.max_open_jobs;
  options.max_payload_bytes = std::min(config.memory.max_payloads, budget_->total_bytes());
  options.result_age = std::min(options.result_age, config.journal.result_age);
  options.min_idle = config.memory.eviction_min_idle;
  options.expiry = {.result_age = config.journal.result_age, .max_results = config.journal.max_results};
  set_timing_form(config.logging.format);
  if (plan.timing) options.timing_sink = [this](const auto& record, const auto& about) { write_timing(record, about); };
  CUZK_TRY(engine_, engine::Engine::create(std::move(options)));
  return {};
}

void EngineSetup::write_timing(std::string_view record, const LogSubject& about) const {
  if (!timing_as_event_) return engine::write_timing_record(record);
  if (record.ends_with('\n')) record.remove_suffix(1);
  log_info(record, about);
}

Status EngineSetup::wait_for_buffers(const StopToken& stop) { return pool_->wait_prewarmed(stop, Deadline::never()); }

}  // namespace cuzk::server
