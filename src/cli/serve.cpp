#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <sys/resource.h>

#include "cli/commands.h"
#include "cli/version.h"
#include "server/config_keys.h"
#include "server/daemon.h"
#include "server/grpc_server.h"
#include "server/service_manager.h"
#include "support/log.h"
#include "support/thread.h"

namespace cuzk::cli {
namespace {

using server::Config;
using server::Daemon;

constexpr const char* kDefaultConfig = "/data/zk/cuzk.toml";
/// The service has ended for a device that a new process can heal.
constexpr int kExitStartAgain = 9;
/// Between looks whether a new process is wanted.
constexpr std::chrono::seconds kLookEvery{1};

/// What a start or a reload works with: the file, with what the command line and the environment put before it.
struct Wanted {
  Config config;
  std::vector<std::string> warnings;
  std::string source;
};

class Serving {
 public:
  Serving(const ServeOptions& options, const CommonOptions& common) : options_(options), common_(common) {}

  const server::Environment& environment() const { return environment_; }
  Result<Wanted> read() const;

 private:
  Result<Wanted> read_file() const;
  Status override(Config& config) const;

  const ServeOptions& options_;
  const CommonOptions& common_;
  const server::Environment environment_ = server::read_environment();
};

Result<Wanted> Serving::read_file() const {
  std::string path = options_.config;
  if (path.empty()) {
    std::error_code error;
    if (!std::filesystem::exists(kDefaultConfig, error)) {
      return Wanted{{}, {}, std::string("built in (there is no ") + kDefaultConfig + ")"};
    }
    path = kDefaultConfig;
  }
  CUZK_TRY(server::LoadedConfig loaded, server::load_config(path));
  return Wanted{std::move(loaded.config), std::move(loaded.warnings), std::move(path)};
}

Status Serving::override(Config& config) const {
  for (const std::string& address : options_.listen) CUZK_CHECK_OK(server::parse_listen_address(address));
  if (!options_.listen.empty()) config.daemon.listen = options_.listen;
  if (common_.threads > 0) config.synthesis.threads = common_.threads;
  if (!options_.log_level.empty()) config.logging.level = options_.log_level;
  if (!environment_.log_level.empty()) config.logging.level = environment_.log_level;
  CUZK_CHECK_OK(server::plain_log_level(config.logging.level));
  return {};
}

Result<Wanted> Serving::read() const {
  CUZK_TRY(Wanted wanted, read_file());
  CUZK_CHECK_OK(override(wanted.config));
  return wanted;
}

LogLevel level_of(const Config& config) {
  const auto name = server::plain_log_level(config.logging.level);
  for (const LogLevel level : {LogLevel::trace, LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error}) {
    if (name && *name == to_string(level)) return level;
  }
  return LogLevel::off;
}

void set_log(const Config& config) {
  set_log_level(level_of(config));
  set_log_sink(stderr_sink(config.logging.format == "json" ? LogForm::json : LogForm::text));
}

/// The signals that a service knows. Blocked before any thread exists, so that only wait() ever sees them.
class Signals {
 public:
  static int wake() { return SIGRTMIN; }

  Signals() {
    std::signal(SIGPIPE, SIG_IGN);  // a client that left is told by write(2)
    ::sigemptyset(&set_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, wake()}) ::sigaddset(&set_, signal);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }

  /// 0: none came in that time.
  int wait(std::chrono::seconds patience = std::chrono::hours(24)) const {
    const timespec span{.tv_sec = patience.count(), .tv_nsec = 0};
    return std::max(0, ::sigtimedwait(&set_, nullptr, &span));
  }

 private:
  sigset_t set_{};
};

/// Files and page-locked memory as far as the process may have them: what is set by default is for shells.
void raise_limits() {
  for (const auto resource : {RLIMIT_NOFILE, RLIMIT_MEMLOCK}) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) continue;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(resource, &limit);  // refused: what there was stays
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

Result<std::string> try_reload(const Serving& serving, Daemon& daemon) {
  CUZK_TRY(const Wanted wanted, serving.read());
  for (const std::string& warning : wanted.warnings) log_warn(warning);
  CUZK_TRY(const server::ReloadPlan plan, daemon.reload(wanted.config));
  set_log(plan.config);
  if (!plan.ignored.empty()) log_warn("changed in the file, but need a restart: " + joined(plan.ignored));
  return wanted.source + ": " + (plan.applied.empty() ? "nothing changed" : "changed " + joined(plan.applied));
}

void reload(const Serving& serving, Daemon& daemon) {
  server::notify_reloading();
  const auto done = try_reload(serving, daemon);
  if (done) {
    log_info("reloaded " + *done);
  } else {
    log_error("not reloaded, all stays as it was: " + done.error().to_string());
  }
  server::notify_ready();
}

/// How the service ended, and the line that says so.
Status tell_end(const Daemon::Drained& drained) {
  const std::string left = std::to_string(drained.open_jobs) + " open jobs";
  if (drained.open_jobs > 0 && !drained.kept) {
    log_error("stopped; " + left + " are lost: there is no journal");
    return fail(Code::unavailable, "stopped with " + left + " and no journal");
  }
  log_info(drained.open_jobs > 0 ? "stopped; " + left + " stay in the journal" : "stopped");
  return {};
}

/// From the first signal, or what else ends the service, to its end.
class Ending {
 public:
  explicit Ending(Daemon& daemon) : daemon_(daemon), waiting_(::pthread_self()) {}

  bool has_begun() const { return thread_.joinable(); }
  bool has_ended() const { return ended_; }
  const Daemon::Drained& drained() const { return drained_; }
  bool is_for_restart() const { return restart_; }

  /// `restart`: another process is to be started.
  void begin(bool restart) {
    restart_ = restart;
    thread_ = named_thread("cuzk-stop", [this](const StopToken&) {
      drained_ = daemon_.drain(force_.get_token());
      is_drained_ = true;
      ::pthread_kill(waiting_, Signals::wake());
      daemon_.stop();
      ended_ = true;
      ::pthread_kill(waiting_, Signals::wake());
    });
  }

  /// At most so long until something happens: for ever while jobs may still end.
  std::chrono::seconds patience() const {
    if (!has_begun()) return kLookEvery;
    return is_drained_ ? kEndTime : std::chrono::hours(24);
  }

  /// A further signal, or patience that is over: no more waiting, or, where that was said before, no more.
  void hurry() {
    if (is_drained_) leave();
    force_.request_stop();
  }

 private:
  static constexpr std::chrono::seconds kEndTime{20};

  /// What still computes is left alone: the journal has what is needed, as after a loss of power.
  [[noreturn]] void leave() const {
    log_warn("ending without what still computes");
    const Status told = tell_end(drained_);
    std::_Exit(!told ? exit_status(told.error().code()) : restart_ ? kExitStartAgain : 0);
  }

  Daemon& daemon_;
  const pthread_t waiting_;
  bool restart_ = false;
  std::stop_source force_;
  Daemon::Drained drained_;
  std::atomic<bool> is_drained_ = false, ended_ = false;
  std::jthread thread_;
};

struct Ended {
  Daemon::Drained drained;
  bool restart = false;
};

Ended run_until_stopped(const Serving& serving, const Signals& signals, Daemon& daemon) {
  Ending ending(daemon);
  while (!ending.has_ended()) {
    const int signal = signals.wait(ending.patience());
    const bool is_end = signal == SIGTERM || signal == SIGINT;
    if (signal == SIGHUP && !ending.has_begun()) {
      reload(serving, daemon);
    } else if (is_end && !ending.has_begun()) {
      log_info(std::string("stopping: ") + (signal == SIGINT ? "SIGINT" : "SIGTERM"));
      ending.begin(false);
    } else if (const std::string reason = ending.has_begun() ? "" : daemon.restart_reason(); !reason.empty()) {
      log_error("stopping, to be started again: " + reason);
      ending.begin(true);
    } else if (ending.has_begun() && !ending.has_ended() && (is_end || signal == 0)) {
      log_warn(is_end ? "stopping at once: a further signal came" : "stopping takes too long");
      ending.hurry();
    }
  }
  return {ending.drained(), ending.is_for_restart()};
}

Status serve_until_stopped(const Serving& serving, const Wanted& wanted, Report& report) {
  const Signals signals;
  raise_limits();
  set_log(wanted.config);
  log_info(version_text() + ", configuration " + wanted.source);
  CUZK_TRY(const std::unique_ptr<Daemon> daemon, Daemon::start(wanted.config, serving.environment(), wanted.warnings));
  const Ended ended = run_until_stopped(serving, signals, *daemon);
  CUZK_CHECK_OK(tell_end(ended.drained));
  if (!ended.restart) return {};
  report.set_exit_status(kExitStartAgain);
  return fail(Code::device, "a device needs a new process: start the service again");
}

JsonWriter check_result(const Wanted& wanted, const server::EnginePlan& plan,
                        const std::vector<std::string>& warnings) {
  JsonWriter json;
  json.begin_object();
  json.key("configuration").string(wanted.source);
  json.key("toml").string(server::config_text(wanted.config));
  json.key("budget_bytes").integer(plan.budget_bytes);
  json.key("parameters").string(plan.parameters);
  json.key("circuits").string(plan.circuits);
  json.key("journal");
  plan.journal_folder.empty() ? json.null() : json.string(plan.journal_folder);
  json.key("warnings").begin_array();
  for (const std::string& warning : warnings) json.string(warning);
  json.end_array();
  json.end_object();
  return json;
}

/// What is understood, as a TOML file; what is doubtful, as warnings of the log.
Status check(const Serving& serving, const Wanted& wanted, Report& report) {
  CUZK_TRY(const server::EnginePlan plan, Daemon::check(wanted.config, serving.environment()));
  std::vector<std::string> warnings = wanted.warnings;
  for (const memory::HostFinding& finding : plan.findings) {
    if (finding.level == LogLevel::warn) {
      warnings.push_back(finding.sentence);
    } else {
      report.say("# " + finding.sentence);
    }
  }
  if (!report.json()) {
    for (const std::string& warning : warnings) log_warn(warning);
  }
  report.say("# configuration: " + wanted.source);
  const auto or_none = [](const std::string& path) { return path.empty() ? "none" : path; };
  report.say("# keys: " + plan.parameters + ", compiled circuits: " + or_none(plan.circuits) +
             ", journal: " + or_none(plan.journal_folder));
  report.say(server::config_text(wanted.config));
  report.result(check_result(wanted, plan, warnings));
  return {};
}

}  // namespace

Status serve(const ServeOptions& options, const CommonOptions& common, Report& report) {
  const Serving serving(options, common);
  CUZK_TRY(const Wanted wanted, serving.read());
  if (options.check_config) return check(serving, wanted, report);
  return serve_until_stopped(serving, wanted, report);
}

}  // namespace cuzk::cli
