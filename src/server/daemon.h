// Daemon: the proving service as one object: engine, gRPC and HTTP, preloading, readiness, reload, drain.
//
//   start: engine ─► gRPC listens ─► HTTP listens ─► keys are preloaded ─► ready
//   drain: not ready, nothing is accepted ─► open jobs end, or stay in the journal
//   stop:  work ends ─► connections end
//
// Signals and the log's sink are its owner's (cli/serve.cpp). Thread-safety: external.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/config.h"
#include "server/engine_setup.h"
#include "support/stop.h"

namespace cuzk::server {

class Daemon {
 public:
  /// Returns when it listens. `warnings`: of reading the configuration. Errors: those of the configuration's files,
  /// conflict (an address is taken), those of EngineSetup.
  static Result<std::unique_ptr<Daemon>> start(const Config& config, const Environment& environment,
                                               const std::vector<std::string>& warnings = {});
  /// What start() would find before it opens journal and addresses: its errors, or the findings of the plan and more.
  static Result<EnginePlan> check(const Config& config, const Environment& environment);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  /// As stop() without patience.
  ~Daemon();

  /// As clients write them; of HTTP with "http://".
  std::vector<std::string> addresses() const;
  /// What was to be preloaded is resident.
  bool ready() const;
  /// What an operator should know, as /status shows it.
  std::vector<std::string> warnings() const;

  /// Takes on what may change while it runs, and says what did and what needs a restart. Errors: those of opening a new
  /// key; nothing has changed then.
  Result<ReloadPlan> reload(const Config& wanted);

  /// Why it should be drained and another process started: a device needs it, and the configuration wants it so. Empty:
  /// it should not. To be asked from time to time.
  std::string restart_reason() const;

  struct Drained {
    std::size_t open_jobs = 0;  // when patience was over
    bool kept = false;          // they are in the journal
  };
  /// Takes no job any more and waits for the open ones, as long as daemon.drain_timeout says or until `force` is
  /// pulled.
  Drained drain(const StopToken& force = {});
  /// Ends connections and work. What computes is waited for up to its next look at its stop token.
  void stop();

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts) noexcept;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cuzk::server
