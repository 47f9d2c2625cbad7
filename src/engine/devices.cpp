#include "engine/core.h"
#include "engine/failure.h"
#include "support/log.h"
#include "support/right_of_way.h"

namespace cuzk::engine {

namespace {

bool is_critical(const TaskPtr&, const Order& order) noexcept { return order.priority == Priority::critical; }

}  // namespace

/// A CPU computes while it starts a proof, so the critical ones have a submitter of their own there, which waits for no
/// room: they share the cores, and have the right of way.
void EngineCore::run_submitter(DeviceLine& line, bool critical, const StopToken& stop) {
  while (critical || line.wait_room(stop)) {
    TaskPtr task = critical ? line.ready().pop(stop, [] { return is_critical; }) : line.ready().pop(stop);
    if (task == nullptr) break;
    if (task->job->stopped()) continue;
    const auto is_elsewhere = [&] { return choose_device(*task).device != line.device().ordinal; };
    if (!line.in_service() && (awaits_restart(line) || is_elsewhere())) {
      requeue(std::move(task));
      continue;
    }
    Status started = guarded([&] { return prove_start(line, *task); });
    if (started) {
      finishing_.push(std::move(task));
    } else {
      line.note_error(started.error());
      partition_failed(std::move(task), std::move(started).error());
    }
  }
}

Status EngineCore::prove_start(DeviceLine& line, Task& task) {
  Job& job = *task.job;
  task.in_flight = line.enter(task);
  task.on_its_way.reset();
  job.finish(task.partition, Phase::device_queue);
  job.enter(task.partition, Stage::proving, Phase::start);
  log_debug("on device " + line.device().name, job.subject(task.partition));
  task.input.urgent = task.critical();
  CUZK_TRY(task.ticket,
           task.circuit->start(line.device(), task.supplies.set(), std::move(task.input), job.stop_token()));
  const backend::Moved moved = task.ticket->moved();
  std::string given_up = task.ticket->given_up();
  if (!given_up.empty())
    log_info("with little memory on " + line.device().name + ": " + given_up, job.subject(task.partition));
  job.update(task.partition, [&](PartitionStatus& status) {
    status.timeline.given_up = std::move(given_up);
    status.timeline.pinned_bytes = moved.pinned_bytes;
    status.timeline.pageable_bytes = moved.pageable_bytes;
  });
  task.slot.reset();
  task.supplies.circuit.release();
  task.supplies.memory.shrink_to(task.circuit->sizes().finish_bytes);
  job.finish(task.partition, Phase::start);
  job.enter(task.partition, Stage::finishing, Phase::finish);
  log_debug("finishing", job.subject(task.partition));
  return {};
}

void EngineCore::run_finisher(bool critical, const StopToken& stop) {
  const auto next = [&] { return critical ? finishing_.pop(stop, [] { return is_critical; }) : finishing_.pop(stop); };
  while (TaskPtr task = next()) {
    if (task->job->stopped()) continue;
    DeviceLine& line = *lines_[task->device];
    std::vector<std::byte> proof;
    Status finished = guarded([&] { return prove_finish(line, *task, proof); });
    if (!finished) {
      line.note_error(finished.error());
      partition_failed(std::move(task), std::move(finished).error());
      continue;
    }
    Status verified = guarded([&] { return verify(*task, proof); });
    if (verified) {
      line.note_success();
      blame_suspect(*task);
      task->supplies = {};  // free before anyone hears of the end
      partition_done(*task, proof);
    } else {
      metrics_.rejected(task->job->identity().kind);
      note_rejected(*task);
      partition_failed(std::move(task), std::move(verified).error().context("a proof was made, but not delivered"));
    }
  }
}

Status EngineCore::prove_finish(DeviceLine& line, Task& task, std::vector<std::byte>& proof) {
  auto times = task.ticket->times();
  CUZK_TRY(proof, task.circuit->finish(line.device(), std::move(task.ticket)));
  task.in_flight.reset();
  if (times != nullptr) {
    line.note_kernels(*times);
    task.job->update(task.partition, [&](PartitionStatus& status) { status.timeline.on_device = std::move(times); });
  }
  task.supplies.memory.release();
  task.job->finish(task.partition, Phase::finish);
  return {};
}

/// A proof that does not verify is an error of its device or of the witness, which a caller may have made: the device
/// is blamed as soon as the witness is known to be good.
void EngineCore::note_rejected(Task& task) {
  const std::optional<unsigned> former = std::exchange(task.suspect, task.device);
  if (task.good_witness) {
    blame_suspect(task);
  } else if (former) {
    task.suspect.reset();  // twice, and the witness was never checked: it may be its fault
  }
}

void EngineCore::blame_suspect(Task& task) {
  if (!task.suspect) return;
  lines_[*task.suspect]->note_error(Error(Code::device, "a proof of partition " + std::to_string(task.partition) +
                                                            " of job " + task.job->job_id() +
                                                            " did not verify, of a good witness"));
  task.suspect.reset();
}

Status EngineCore::verify(const Task& task, Bytes proof) {
  task.job->begin(task.partition, Phase::verify);
  log_debug("verifying", task.job->subject(task.partition));
  Arena& arena = arena_for(*task.job);
  const RightOfWay way(arena);
  CUZK_CHECK_OK(task.circuit->verify(arena, *task.supplies.key.value(), task.public_inputs, proof));
  task.job->finish(task.partition, Phase::verify);
  return {};
}

}  // namespace cuzk::engine
