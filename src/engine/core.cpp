#include "engine/core.h"

#include <algorithm>

#include "engine/turnover.h"
#include "support/thread.h"

namespace cuzk::engine {

namespace {

Status check(const EngineOptions& options) {
  const auto need = [](bool there, const char* what) {
    return there ? Status() : fail(Code::invalid_argument, std::string("an engine needs ") + what);
  };
  CUZK_CHECK_OK(need(options.arena != nullptr, "an arena"));
  CUZK_CHECK_OK(need(options.budget != nullptr, "a memory budget"));
  CUZK_CHECK_OK(need(options.catalogue != nullptr, "a catalogue"));
  CUZK_CHECK_OK(need(!options.devices.empty(), "a device"));
  CUZK_CHECK_OK(need((options.journal != nullptr) == (options.spool != nullptr), "journal and spool, or neither"));
  const bool bounds = options.workers_per_device > 0 && options.max_witnesses > 0 && options.finishers > 0 &&
                      options.decoders > 0 && options.loaders > 0 && options.device_queue > 0;
  return need(bounds, "at least one of each worker");
}

/// With what is left to the engine.
EngineOptions completed(EngineOptions options) {
  const auto devices = static_cast<unsigned>(options.devices.size());
  const unsigned in_work = options.max_witnesses + devices * (options.device_queue + options.workers_per_device);
  if (options.ready_partitions == 0) options.ready_partitions = 2 * in_work;
  return options;
}

}  // namespace

EngineCore::EngineCore(EngineOptions options, memory::Reservation payload_memory)
    : options_(completed(std::move(options))),
      started_ns_(monotonic_ns()),
      payload_memory_(std::move(payload_memory)),
      estimates_(options_.arena->concurrency()),
      jobs_({.open_jobs = options_.max_open_jobs, .payload_bytes = payload_memory_.bytes()}),
      books_(options_.journal, options_.spool, options_.lease),
      residents_(options_.budget, options_.min_idle, payload_memory_.bytes()),
      device_slots_(options_.max_witnesses + options_.device_queue * options_.devices.size()) {
  for (const auto& kind : options_.kinds) kinds_.emplace(kind->name(), kind);
  for (Device device : options_.devices) {
    device.ordinal = static_cast<unsigned>(lines_.size());
    lines_.push_back(std::make_unique<DeviceLine>(std::move(device), options_.workers_per_device, options_.quarantine));
  }
}

void EngineCore::start() {
  for (const std::string& id : options_.prewarm) expect_circuit(id);
  prewarm_buffers();
  const auto run = [&](const std::string& name, std::function<void(const StopToken&)> body) {
    threads_.push_back(named_thread("cuzk-" + name, std::move(body)));
  };
  for (unsigned i = 0; i <= options_.decoders; ++i) {  // the last one for critical jobs alone
    const bool critical = i == options_.decoders;
    run("decode", [this, critical](const StopToken& stop) { run_decoder(critical, stop); });
  }
  for (unsigned i = 0; i <= options_.loaders; ++i) {  // as above
    const bool critical = i == options_.loaders;
    run("load", [this, critical](const StopToken& stop) { run_loader(critical, stop); });
  }
  for (unsigned i = 0; i < options_.max_witnesses; ++i) {
    run("witness", [this](const StopToken& stop) { run_witnesses(ordinary_lane_, stop); });
  }
  run("witness-crit", [this](const StopToken& stop) { run_witnesses(critical_lane_, stop); });
  for (const auto& line : lines_) {
    run("dev" + std::to_string(line->device().ordinal) + "-sub",
        [this, &line = *line](const StopToken& stop) { run_submitter(line, false, stop); });
    if (!line->device().is_cpu) continue;
    run("dev" + std::to_string(line->device().ordinal) + "-crit",
        [this, &line = *line](const StopToken& stop) { run_submitter(line, true, stop); });
  }
  for (unsigned i = 0; i <= options_.finishers; ++i) {  // the last one for critical proofs alone
    const bool critical = i == options_.finishers;
    run("finish", [this, critical](const StopToken& stop) { run_finisher(critical, stop); });
  }
  if (books_.persistent()) run("leases", [this](const StopToken& stop) { run_leases(stop); });
  run("deadlines", [this](const StopToken& stop) { run_deadlines(stop); });
  run("housekeeper", [this](const StopToken& stop) { run_housekeeping(stop); });
}

void EngineCore::stop() {
  std::call_once(stopped_, [this] {
    accepting_ = false;
    stopping_.request_stop();
    jobs_.close();  // who was just asking whether jobs are accepted gets none any more
    for (const auto& job : jobs_.all()) job->interrupt();
    for (std::jthread& thread : threads_) thread.request_stop();
    threads_.clear();
    books_.write_ends();
    if (const std::size_t left = books_.unwritten_ends(); left > 0) {
      log_error(std::to_string(left) + " jobs have ended, and the journal does not know: the next process proves them");
    }
    bool releases = true;  // else leases are found without an owner; a locked journal is waited for once
    for (const auto& job : jobs_.all()) {
      if (!job->is_open() || !job->claim_end()) continue;
      if (releases) {
        const Status released = books_.release(*job);
        releases = released || released.error().code() != Code::unavailable;
      }
      JobResult result;
      result.code = Code::unavailable;
      result.failure = FailureClass::transient;
      result.error = books_.persistent() ? "the service has stopped; the job goes on with the next one"
                                         : "the service has stopped";
      job->end(std::move(result));
      ended(job);
    }
  });
}

Arena& EngineCore::arena_for(const Job& job) const noexcept {
  const bool own = job.priority() == Priority::critical && options_.critical_arena != nullptr;
  return own ? *options_.critical_arena : *options_.arena;
}

const JobKind* EngineCore::kind(const std::string& name) const {
  const auto found = kinds_.find(name);
  return found == kinds_.end() ? nullptr : found->second.get();
}

Result<Preloaded> EngineCore::preload(std::string_view circuit, const StopToken& stop) {
  const Stopwatch watch;
  CUZK_TRY(const auto proving, options_.catalogue->find(circuit));
  Preloaded preloaded{.already_loaded = true, .load_ns = 0};
  std::stop_source end;
  const std::stop_callback on_stop(stop, [&] { end.request_stop(); });
  const std::stop_callback on_stopping(stopping_.get_token(), [&] { end.request_stop(); });
  Status all;
  for (const auto& line : lines_) {
    const Device& device = line->device();
    if (!proving->runs_on(device) || residents_.has(circuit, device.ordinal)) continue;
    preloaded.already_loaded = false;
    // Jobs go first: while this waits for memory, what is resident must stay usable.
    auto loaded = residents_.collect(
        {.circuit = *proving, .device = device, .owner = {}, .priority = Priority::low, .stop = end.get_token()},
        [] {});
    if (!loaded && all) all = fail(std::move(loaded).error());  // the other devices can still have it
  }
  CUZK_CHECK_OK(std::move(all));
  expect_circuit(circuit);
  prewarm_buffers();
  preloaded.load_ns = preloaded.already_loaded ? 0 : watch.elapsed_ns();
  return preloaded;
}

Result<Evicted> EngineCore::evict(std::string_view circuit) {
  forget_circuit(circuit);
  const auto keys = residents_.keys().drop(circuit);
  const auto circuits = residents_.circuits().drop(circuit);
  return Evicted{.was_loaded = keys.was_loaded || circuits.was_loaded, .freed_bytes = keys.bytes + circuits.bytes};
}

Status EngineCore::drain(Deadline deadline, const StopToken& stop) {
  accepting_ = false;
  return jobs_.wait_idle(deadline, stop);
}

EngineSnapshot EngineCore::snapshot() const {
  EngineSnapshot all;
  all.now_ns = monotonic_ns();
  all.uptime_ns = all.now_ns - started_ns_;
  all.accepting = accepting_;
  all.jobs = list();
  for (const auto& [name, kind] : kinds_) all.kinds.push_back({.kind = name});
  for (const JobStatus& job : all.jobs) {
    for (const PartitionStatus& partition : job.partitions)
      all.witnesses += partition.stage == Stage::witness && job.is_open();
    const auto count = std::ranges::find(all.kinds, job.kind, &KindCount::kind);
    if (!job.is_open() || count == all.kinds.end()) continue;
    ++(job.state == JobState::running ? count->running : count->waiting);
  }
  all.max_witnesses = options_.max_witnesses + 1;
  const auto queue = [&](std::string name, const auto& items, std::size_t capacity) {
    const std::uint64_t oldest = items.oldest_ns();
    all.queues.push_back({.name = std::move(name),
                          .length = items.size(),
                          .capacity = capacity,
                          .oldest_ns = oldest == 0 || oldest > all.now_ns ? 0 : all.now_ns - oldest});
  };
  queue("decode", undecoded_, options_.max_open_jobs);
  queue("load", cold_, 0);
  queue("partitions", tasks_, 0);
  for (const auto& line : lines_) {
    queue("device " + std::to_string(line->device().ordinal), line->ready(),
          options_.max_witnesses + options_.device_queue * lines_.size());
    all.devices.push_back(line->snapshot());
  }
  queue("finish", finishing_, options_.workers_per_device * lines_.size());
  if (options_.restart.restarts) queue("restart", parked_, 0);
  all.keys = residents_.keys().snapshot();
  all.circuits = residents_.circuits().snapshot();
  all.payloads = jobs_.payloads();
  all.unwritten_ends = books_.unwritten_ends();
  all.journal_trouble = books_.journal_trouble();
  all.restart_reason = restart_reason();
  all.memory = options_.budget->snapshot();
  if (options_.pool != nullptr) all.pool = options_.pool->statistics();
  all.metrics = metrics_.snapshot();
  return all;
}

std::chrono::milliseconds EngineCore::retry_delay() const {
  return accepting_ ? jobs_.wait_for_an_end() : kRestartWait;
}

// Engine.

Engine::Engine(std::unique_ptr<EngineCore> core) noexcept : core_(std::move(core)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions options) {
  CUZK_CHECK_OK(check(options));
  const std::uint64_t share = std::min(options.max_payload_bytes, payload_limit(options.budget->total_bytes()));
  CUZK_TRY(auto payloads, options.budget->try_reserve(
                              {.bytes = share, .tag = memory::MemoryTag::payload, .owner = "payloads of jobs"}));
  auto core = std::make_unique<EngineCore>(std::move(options), std::move(payloads));
  CUZK_CHECK_OK(core->recover());
  core->start();
  return std::unique_ptr<Engine>(new Engine(std::move(core)));
}

Result<JobHandle> Engine::submit(JobRequest request) { return core_->submit(std::move(request)); }
Result<std::shared_ptr<PayloadRoom>> Engine::receive(std::uint64_t bytes) { return core_->receive(bytes); }
Result<JobHandle> Engine::find(std::string_view job_id) { return core_->find(job_id); }
std::vector<JobStatus> Engine::list() const { return core_->list(); }
Status Engine::mark_delivered(const JobHandle& job) { return core_->mark_delivered(job); }
Result<bool> Engine::cancel(std::string_view job_id) { return core_->cancel(job_id); }
Result<Preloaded> Engine::preload(std::string_view circuit, const StopToken& stop) {
  return core_->preload(circuit, stop);
}
Result<Evicted> Engine::evict(std::string_view circuit) { return core_->evict(circuit); }
EngineSnapshot Engine::snapshot() const { return core_->snapshot(); }
std::chrono::milliseconds Engine::retry_delay() const { return core_->retry_delay(); }
std::string Engine::restart_reason() const { return core_->restart_reason(); }
Status Engine::drain(Deadline deadline, const StopToken& stop) { return core_->drain(deadline, stop); }
void Engine::stop() { core_->stop(); }

}  // namespace cuzk::engine
