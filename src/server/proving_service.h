// ProvingService: the engine as the server's protocols need it. What stands between lets them be tested without
// proving.
//
// engine_service.h is the real one. Thread-safety: concurrently; functions may block as the engine's do.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "engine/filecoin_jobs.h"

namespace cuzk::server {

struct FilecoinWork {
  engine::FilecoinRequest request;
  std::uint64_t sector_size = 0;  // as the client says; 0: it does not
};
struct CircomWork {
  std::string key;  // a registered id
  engine::Payload wtns;
};

struct Submission {
  std::string label;
  std::variant<FilecoinWork, CircomWork> work;
  std::optional<engine::Priority> priority{};  // none: the kind's
  std::chrono::milliseconds deadline{0};       // from the acceptance; 0: none
  std::chrono::milliseconds orphan_grace{0};   // engine::JobRequest
  /// Not 0: a part of the content, so that what was proved before is proved again.
  std::uint64_t repetition = 0;
  std::shared_ptr<engine::PayloadRoom> room{};  // of receive()
};

/// engine::JobHandle.
class ServedJob {
 public:
  ServedJob() = default;
  ServedJob(const ServedJob&) = delete;
  ServedJob& operator=(const ServedJob&) = delete;
  virtual ~ServedJob() = default;

  virtual const std::string& job_id() const noexcept = 0;
  virtual engine::JobStatus status() const = 0;
  virtual Result<std::shared_ptr<const engine::JobResult>> await(Deadline deadline, const StopToken& stop) const = 0;
  virtual std::uint64_t version() const = 0;
  virtual Result<std::uint64_t> wait_for_change(std::uint64_t seen, Deadline deadline, const StopToken& stop) const = 0;
};

/// engine::Engine.
class ProvingService {
 public:
  ProvingService() = default;
  ProvingService(const ProvingService&) = delete;
  ProvingService& operator=(const ProvingService&) = delete;
  virtual ~ProvingService() = default;

  /// Room for a message that has come, until its submission is taken; exhausted.
  virtual Result<std::shared_ptr<engine::PayloadRoom>> receive(std::uint64_t bytes) = 0;
  virtual Result<std::shared_ptr<const ServedJob>> submit(Submission submission) = 0;
  virtual Result<std::shared_ptr<const ServedJob>> find(std::string_view job_id) = 0;
  virtual std::vector<engine::JobStatus> list() const = 0;
  virtual void mark_delivered(const ServedJob& job) = 0;
  virtual Result<bool> cancel(std::string_view job_id) = 0;
  virtual Result<engine::Preloaded> preload(std::string_view circuit, const StopToken& stop) = 0;
  virtual Result<engine::Evicted> evict(std::string_view circuit) = 0;
  virtual engine::EngineSnapshot snapshot() const = 0;
  virtual std::chrono::milliseconds retry_delay() const = 0;
};

}  // namespace cuzk::server
