#include "server/daemon.h"

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "engine/circom_jobs.h"
#include "engine/filecoin_jobs.h"
#include "server/duration.h"
#include "server/engine_service.h"
#include "server/grpc_server.h"
#include "server/http_server.h"
#include "server/preloader.h"
#include "server/service_manager.h"
#include "support/clock.h"
#include "support/log.h"
#include "support/mutex.h"
#include "support/sleep.h"
#include "support/thread.h"

namespace cuzk::server {
namespace {

/// For answers that are being written when the last job has ended.
constexpr auto kAnswerTime = std::chrono::seconds(2);
/// At most, after draining; whoever owns the daemon then ends the process.
constexpr auto kEndTime = std::chrono::seconds(30);
/// Between looks at the sockets' files.
constexpr auto kLookEvery = std::chrono::seconds(1);

void keep_key(const std::string& id, const Config& running, Config& next) {
  next.circom.keys.erase(id);
  if (const auto at = running.circom.keys.find(id); at != running.circom.keys.end()) next.circom.keys.insert(*at);
}

/// What the engine begins with, in a line.
std::string summary(const EnginePlan& plan, const engine::EngineSnapshot& snapshot) {
  std::string text = "engine:";
  for (const engine::DeviceSnapshot& device : snapshot.devices) text += " " + device.name + ",";
  text += " at most " + std::to_string(snapshot.max_witnesses) + " witnesses at once; keys " + plan.parameters;
  if (plan.journal_folder.empty()) return text;
  return text + "; journal " + plan.journal_folder + ", " + std::to_string(snapshot.jobs.size()) + " jobs taken over";
}

}  // namespace

struct Daemon::Parts {
  explicit Parts(const Config& running) : config(running) {}

  Config config;
  std::unique_ptr<EngineSetup> setup;
  std::unique_ptr<ProvingService> proving;
  GrpcOptions access;  // of which TLS and token are those that are used
  std::unique_ptr<GrpcServer> grpc;
  std::unique_ptr<HttpServer> http;  // null: not wanted
  std::atomic<bool> ready{false};
  std::atomic<bool> stopping{false};
  bool stopped = false;

  mutable Mutex mutex;
  std::vector<std::string> warnings CUZK_GUARDED_BY(mutex);     // of the start
  std::vector<std::string> unloaded CUZK_GUARDED_BY(mutex);     // what is not preloaded, and why
  std::vector<std::string> unreachable CUZK_GUARDED_BY(mutex);  // which sockets, and why

  std::optional<Watchdog> watchdog;
  std::optional<TimeToStop> time_to_stop;
  std::optional<Preloader> preloader;  // ends before what it uses, as the next one
  std::jthread sockets;                // looks whether they are there

  void warn(const std::string& text);
  std::vector<std::string> all_warnings() const;
  bool has_unloaded() const;
  void tell_warnings();
  Status listen();
  void keep_sockets(const StopToken& stop);
  void look_at_sockets();
  void set_access(GrpcOptions fresh, ReloadPlan& plan);
  void start_preloading();
  void preloading(const PreloadState& state);
  void tell_not_ready(const PreloadState& state);
  void become_ready();
  void stop_accepting();
  std::vector<std::string> open_jobs() const;
};

void Daemon::Parts::warn(const std::string& text) {
  log_warn(text);
  const MutexLock lock(mutex);
  warnings.push_back(text);
}

std::vector<std::string> Daemon::Parts::all_warnings() const {
  const MutexLock lock(mutex);
  std::vector<std::string> all = warnings;
  all.insert(all.end(), unloaded.begin(), unloaded.end());
  all.insert(all.end(), unreachable.begin(), unreachable.end());
  return all;
}

bool Daemon::Parts::has_unloaded() const {
  const MutexLock lock(mutex);
  return !unloaded.empty();
}

void Daemon::Parts::tell_warnings() {
  if (http) http->set_warnings(all_warnings());
}

Status Daemon::Parts::listen() {
  CUZK_TRY(access, grpc_options(config));
  CUZK_TRY(const std::optional<HttpOptions> pages, http_options(config, access));
  for (const std::string& text : exposure_warnings(access)) warn(text);
  CUZK_TRY(grpc, GrpcServer::start(*proving, access));
  if (!pages) return {};
  for (const std::string& text : exposure_warnings(*pages)) warn(text);
  CUZK_TRY(http, HttpServer::start(*proving, *pages));
  tell_warnings();
  return {};
}

void Daemon::Parts::keep_sockets(const StopToken& stop) {
  while (!stopped_within(kLookEvery, stop)) look_at_sockets();
}

void Daemon::Parts::look_at_sockets() {
  std::vector<std::string> now = grpc->open_again();
  {
    const MutexLock lock(mutex);
    if (unreachable == now) return;
    unreachable = now;
  }
  for (const std::string& text : now) log_error(text);
  tell_warnings();
}

/// The files are the same; what is in them may have changed.
void Daemon::Parts::set_access(GrpcOptions fresh, ReloadPlan& plan) {
  const auto note = [&](bool changed, const char* what) {
    if (changed) plan.applied.emplace_back(what);
  };
  note(fresh.tls_certificate != access.tls_certificate || fresh.tls_key != access.tls_key,
       "content of daemon.tls_certificate");
  note(fresh.tls_client_ca != access.tls_client_ca, "content of daemon.tls_client_ca");
  note(fresh.service.token != access.service.token, "content of daemon.token_file");
  access = std::move(fresh);
  grpc->set_access(access);
  if (http) http->set_token(access.service.token);
}

void Daemon::Parts::start_preloading() {
  preloader.emplace(*proving,
                    PreloaderOptions{
                        .wait_for_buffers = [this](const StopToken& stop) { return setup->wait_for_buffers(stop); },
                        .tell = [this](const PreloadState& state) { preloading(state); },
                    });
  preloader->load(config.srs.preload);
}

void Daemon::Parts::preloading(const PreloadState& state) {
  bool is_news = false;
  {
    const MutexLock lock(mutex);
    is_news = unloaded != state.problems;
    // While it is tried again, what was wrong the last time stays.
    if (state.doing.empty() || state.problems.size() > unloaded.size()) unloaded = state.problems;
  }
  if (is_news) tell_warnings();
  state.done ? become_ready() : tell_not_ready(state);
}

void Daemon::Parts::tell_not_ready(const PreloadState& state) {
  if (stopping) return;
  const std::string& why = state.doing.empty() ? state.problems.front() : state.doing;
  notify_status(state.doing.empty() ? "serving, but not all of srs.preload is resident: " + why : why);
  if (http) http->set_not_ready(why);
}

void Daemon::Parts::become_ready() {
  if (stopping) return;
  notify_status("ready");
  if (http) http->set_ready(true);
  if (!ready.exchange(true)) log_info("ready");
}

void Daemon::Parts::stop_accepting() {
  stopping = true;
  if (preloader) preloader->request_stop();
  if (http) {
    http->set_not_ready("stopping");
    http->set_ready(false);
  }
  grpc->set_serving(false);
}

std::vector<std::string> Daemon::Parts::open_jobs() const {
  std::vector<std::string> open;
  for (const engine::JobStatus& job : setup->engine().list()) {
    if (job.is_open()) open.push_back(job.job_id);
  }
  return open;
}

Daemon::Daemon(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}

Daemon::~Daemon() { stop(); }

Result<std::unique_ptr<Daemon>> Daemon::start(const Config& config, const Environment& environment,
                                              const std::vector<std::string>& warnings) {
  auto parts = std::make_unique<Parts>(config);
  for (const std::string& warning : warnings) parts->warn(warning);
  CUZK_TRY(const EnginePlan plan, plan_engine(config, environment));
  for (const memory::HostFinding& finding : plan.findings) {
    finding.level == LogLevel::warn ? parts->warn(finding.sentence) : log_info(finding.sentence);
  }
  CUZK_TRY(parts->setup, EngineSetup::create(config, plan));
  for (const std::string& text : budget_warnings(config, plan, parts->setup->catalogue())) parts->warn(text);
  log_info(summary(plan, parts->setup->engine().snapshot()));
  parts->proving = engine_service(parts->setup->engine());
  CUZK_CHECK_OK(parts->listen());
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(parts)));
  for (const std::string& address : daemon->addresses()) log_info("listening on " + address);
  notify_ready();
  notify_status("serving");
  Parts& running = *daemon->parts_;
  running.watchdog.emplace(*running.proving);
  running.start_preloading();
  running.sockets = named_thread("cuzk-sockets", [&running](const StopToken& stop) { running.keep_sockets(stop); });
  return daemon;
}

Result<EnginePlan> Daemon::check(const Config& config, const Environment& environment) {
  CUZK_TRY(EnginePlan plan, plan_engine(config, environment));
  const auto warn = [&](std::string text) { plan.findings.push_back({LogLevel::warn, std::move(text)}); };
  CUZK_TRY(const GrpcOptions options, grpc_options(config));
  CUZK_TRY(const std::optional<HttpOptions> pages, http_options(config, options));
  for (std::string& text : exposure_warnings(options)) warn(std::move(text));
  if (pages) {
    for (std::string& text : exposure_warnings(*pages)) warn(std::move(text));
  }
  Arena arena(1);
  const auto filecoin = engine::filecoin_catalogue(arena, {.params = plan.parameters, .circuits = plan.circuits});
  CUZK_TRY(const auto circom, engine::circom_catalogue(arena, config.circom.keys));
  const auto both = engine::joined_catalogue(*filecoin, *circom);
  for (const std::string& circuit : config.srs.preload) {
    if (const auto found = both->find(circuit); !found) warn("srs.preload: " + found.error().to_string());
  }
  for (std::string& text : budget_warnings(config, plan, *both)) warn(std::move(text));
  return plan;
}

std::vector<std::string> Daemon::addresses() const {
  std::vector<std::string> texts;
  for (const ListenAddress& address : parts_->grpc->addresses()) texts.push_back(address.to_string());
  if (parts_->http) texts.push_back("http://" + parts_->http->address().to_string());
  return texts;
}

bool Daemon::ready() const { return parts_->ready && !parts_->stopping; }

std::vector<std::string> Daemon::warnings() const { return parts_->all_warnings(); }

Result<ReloadPlan> Daemon::reload(const Config& wanted) {
  Config& running = parts_->config;
  ReloadPlan plan = plan_reload(running, wanted);
  CUZK_TRY(GrpcOptions access, grpc_options(plan.config));
  CUZK_TRY(const std::vector<std::string> refused, parts_->setup->set_circom_keys(wanted.circom.keys));
  for (const std::string& id : refused) {
    plan.ignored.push_back("circom.keys." + id);
    keep_key(id, running, plan.config);
  }
  if (running.circom.keys == plan.config.circom.keys) std::erase(plan.applied, "circom.keys.*");
  parts_->set_access(std::move(access), plan);
  parts_->grpc->set_orphan_grace(plan.config.daemon.orphan_grace);
  if (parts_->http) parts_->http->set_orphan_grace(plan.config.daemon.orphan_grace);
  parts_->setup->set_timing_form(plan.config.logging.format);
  const bool has_other_list = running.srs.preload != plan.config.srs.preload;
  running = plan.config;
  std::optional<Preloader>& preloader = parts_->preloader;
  if (preloader && (has_other_list || parts_->has_unloaded())) preloader->load(running.srs.preload);
  return plan;
}

std::string Daemon::restart_reason() const {
  return parts_->stopping ? std::string() : parts_->setup->engine().restart_reason();
}

Daemon::Drained Daemon::drain(const StopToken& force) {
  Parts& parts = *parts_;
  const Milliseconds patience = parts.config.daemon.drain_timeout;
  parts.time_to_stop.emplace(*parts.proving, patience + kEndTime);
  log_info("draining " + std::to_string(parts.open_jobs().size()) + " open jobs for at most " +
           format_duration(patience));
  parts.stop_accepting();
  Drained drained{.open_jobs = 0, .kept = parts.setup->has_journal()};
  if (parts.setup->engine().drain(Deadline::after(patience), force)) return drained;
  const std::vector<std::string> left = parts.open_jobs();
  drained.open_jobs = left.size();
  for (const std::string& job : left) {
    drained.kept ? log_info("stays in the journal, unfinished", {.job = job}) : log_warn("lost", {.job = job});
  }
  return drained;
}

void Daemon::stop() {
  if (std::exchange(parts_->stopped, true)) return;
  if (!parts_->stopping) parts_->stop_accepting();
  parts_->setup->engine().stop();
  parts_->preloader.reset();
  parts_->sockets = {};
  const Deadline answered = Deadline::after(kAnswerTime);
  parts_->grpc->stop(answered);
  if (parts_->http) parts_->http->stop(answered);
}

}  // namespace cuzk::server
