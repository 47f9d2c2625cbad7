#include "server/engine_service.h"

#include <array>

#include "engine/circom_jobs.h"
#include "support/log.h"

namespace cuzk::server {
namespace {

class EngineJob final : public ServedJob {
 public:
  explicit EngineJob(engine::JobHandle handle) : handle_(std::move(handle)) {}

  const engine::JobHandle& handle() const noexcept { return handle_; }

  const std::string& job_id() const noexcept override { return handle_.job_id(); }
  engine::JobStatus status() const override { return handle_.status(); }
  Result<std::shared_ptr<const engine::JobResult>> await(Deadline deadline, const StopToken& stop) const override {
    return handle_.await(deadline, stop);
  }
  std::uint64_t version() const override { return handle_.version(); }
  Result<std::uint64_t> wait_for_change(std::uint64_t seen, Deadline deadline, const StopToken& stop) const override {
    return handle_.wait_for_change(seen, deadline, stop);
  }

 private:
  engine::JobHandle handle_;
};

/// A client that states another size than its proof has means another sector.
Status check_sector_size(const engine::JobContent& content, std::uint64_t stated) {
  if (stated == 0) return {};
  CUZK_TRY(const auto circuit, filecoin::find_circuit(content.circuit));
  if (circuit.sector->bytes == stated) return {};
  return fail(Code::invalid_argument, Kind::wrong_sector_size,
              "sector_size is " + std::to_string(stated) + ", but the registered proof is of sectors of " +
                  std::string(circuit.sector->name));
}

Result<engine::JobContent> content_of(FilecoinWork work) {
  CUZK_TRY(engine::JobContent content, engine::filecoin_content(std::move(work.request)));
  CUZK_CHECK_OK(check_sector_size(content, work.sector_size));
  return content;
}

Result<engine::JobContent> content_of(CircomWork work) {
  return engine::circom_content(std::move(work.key), std::move(work.wtns));
}

/// Kinds read their metadata from the front: what follows is of the identity alone.
void add_repetition(engine::JobContent& content, std::uint64_t repetition) {
  if (repetition == 0) return;
  std::array<std::byte, 8> bytes;
  store_le(bytes.data(), repetition);
  content.metadata.insert(content.metadata.end(), bytes.begin(), bytes.end());
}

class EngineService final : public ProvingService {
 public:
  explicit EngineService(engine::Engine& engine) : engine_(engine) {}

  Result<std::shared_ptr<engine::PayloadRoom>> receive(std::uint64_t bytes) override { return engine_.receive(bytes); }

  Result<std::shared_ptr<const ServedJob>> submit(Submission submission) override {
    CUZK_TRY(engine::JobContent content,
             std::visit([](auto&& work) { return content_of(std::move(work)); }, std::move(submission.work)));
    add_repetition(content, submission.repetition);
    engine::JobRequest request;
    request.label = std::move(submission.label);
    request.content = std::move(content);
    request.priority = submission.priority;
    if (submission.deadline.count() > 0) request.deadline = Deadline::after(submission.deadline);
    request.orphan_grace = submission.orphan_grace;
    request.room = std::move(submission.room);
    CUZK_TRY(engine::JobHandle handle, engine_.submit(std::move(request)));
    return std::make_shared<EngineJob>(std::move(handle));
  }

  Result<std::shared_ptr<const ServedJob>> find(std::string_view job_id) override {
    CUZK_TRY(engine::JobHandle handle, engine_.find(job_id));
    return std::make_shared<EngineJob>(std::move(handle));
  }

  std::vector<engine::JobStatus> list() const override { return engine_.list(); }

  void mark_delivered(const ServedJob& job) override {
    const auto* const ours = dynamic_cast<const EngineJob*>(&job);
    CUZK_REQUIRE(ours != nullptr);
    if (const Status marked = engine_.mark_delivered(ours->handle()); !marked) {
      log_warn("delivery of " + job.job_id() + " is not in the journal: " + marked.error().to_string());
    }
  }

  Result<bool> cancel(std::string_view job_id) override { return engine_.cancel(job_id); }
  Result<engine::Preloaded> preload(std::string_view circuit, const StopToken& stop) override {
    return engine_.preload(circuit, stop);
  }
  Result<engine::Evicted> evict(std::string_view circuit) override { return engine_.evict(circuit); }
  engine::EngineSnapshot snapshot() const override { return engine_.snapshot(); }
  std::chrono::milliseconds retry_delay() const override { return engine_.retry_delay(); }

 private:
  engine::Engine& engine_;
};

}  // namespace

std::unique_ptr<ProvingService> engine_service(engine::Engine& engine) {
  return std::make_unique<EngineService>(engine);
}

}  // namespace cuzk::server
