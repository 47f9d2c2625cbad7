#include <algorithm>

#include "engine/core.h"
#include "engine/failure.h"
#include "support/log.h"
#include "support/right_of_way.h"

namespace cuzk::engine {

void EngineCore::run_witnesses(Lane& lane, const StopToken& stop) {
  while (TaskPtr task = next_supplied(lane, stop)) {
    Status generated = guarded([&] { return generate(*task); });
    if (generated) {
      lines_[task->device]->ready().push(std::move(task));
    } else {
      partition_failed(std::move(task), std::move(generated).error());
    }
  }
}

TaskPtr EngineCore::next_supplied(Lane& lane, const StopToken& stop) {
  std::unique_lock turn(lane.turn);
  const auto mine = [&lane](const TaskPtr&, const Order& order) { return lane.takes(order); };
  while (!stop.stop_requested()) {
    if (!turn.owns_lock()) turn.lock();
    Slots::Slot slot = lane.is_critical() ? nullptr : device_slots_.take(stop);
    TaskPtr task = tasks_.pop(stop, [&] { return mine; });
    if (task == nullptr) break;
    if (task->job->stopped()) continue;
    const bool cold = is_cold(*task);
    if (park(task)) continue;
    if (cold) {
      enqueue_cold(std::move(task));
      continue;
    }
    task->slot = std::move(slot);
    task->on_its_way = lines_[task->device]->expect();
    bool again = false;
    Status supplied = guarded([&] {
      Waits::Wait wait(lane.waits, *task);
      Status status = supply(*task, wait, turn);
      again = wait.given_up();
      return status;
    });
    if (supplied) return task;
    if (again) {
      task->slot.reset();
      task->on_its_way.reset();
      enqueue_warm(std::move(task));
    } else {
      partition_failed(std::move(task), std::move(supplied).error());
    }
  }
  return nullptr;
}

Status EngineCore::supply(Task& task, Waits::Wait& wait, std::unique_lock<std::mutex>& turn) {
  Job& job = *task.job;
  const Device& device = lines_[task.device]->device();
  if (!task.circuit->runs_on(device)) return fail(Code::unsupported, "no device can prove " + task.circuit->id());
  const bool has_waited = job.timeline(task.partition)[Phase::memory].begin_ns != 0;  // and gave it up
  if (!task.loaded_on && !has_waited) {
    job.finish(task.partition, Phase::queue);
    job.begin(task.partition, Phase::key);
  }
  const Residents::Want want{.circuit = *task.circuit,
                             .device = device,
                             .owner = "job " + job.job_id() + " partition " + std::to_string(task.partition),
                             .pool = options_.pool.get(),
                             .abc_memory = task.abc_memory(),
                             .priority = wait.terms().priority,
                             .stop = wait.stop_token(),
                             .deadline = wait.terms().deadline,
                             .begins_to_wait = [&] { wait.begin(); },
                             .begins_to_load =
                                 [&] {
                                   wait.end();
                                   if (turn.owns_lock()) turn.unlock();
                                 }};
  const auto waits_for_memory = [&] {
    const PartitionTimeline timeline = job.timeline(task.partition);
    if (timeline[Phase::key].end_ns == 0) job.finish(task.partition, Phase::key);
    if (timeline[Phase::memory].begin_ns == 0) job.begin(task.partition, Phase::memory);
  };
  CUZK_TRY(task.supplies, residents_.collect(want, waits_for_memory));
  job.update(task.partition, [&](PartitionStatus& status) {
    status.timeline[Phase::memory].end_ns = monotonic_ns();
    status.timeline.device = device.name;
    status.instead = task.choice.instead;
    status.timeline.path = device.is_cpu ? MemoryPath::host : MemoryPath::none;
    ++status.timeline.attempts;
  });
  note_fallback(task);
  return {};
}

Status EngineCore::generate(Task& task) {
  Job& job = *task.job;
  job.enter(task.partition, Stage::witness, Phase::witness);
  undecoded_.look_again();  // one less waits
  if (!still_ours(task.job, books_.partition_started(job, task.partition))) {
    return fail(Code::cancelled, "the job is in other hands");
  }
  log_debug("witness", job.subject(task.partition));
  CUZK_TRY(auto witness, make_witness(task));
  job.finish(task.partition, Phase::witness);
  CUZK_CHECK_OK(keep_input(task, std::move(witness)));
  job.enter(task.partition, Stage::queued, Phase::device_queue);
  log_debug("queued", job.subject(task.partition));
  return {};
}

Result<r1cs::Witness> EngineCore::make_witness(Task& task) {
  const Job& job = *task.job;
  const auto statement = job.statement();
  if (statement == nullptr) return fail(Code::cancelled, "the job has ended");
  Arena& arena = arena_for(job);
  const RightOfWay way(arena);
  CUZK_TRY(auto witness, statement->witness(arena, task.partition, job.stop_token()));
  const std::size_t num_public = task.circuit->num_public();
  if (witness.size() <= num_public) {
    return fail(Code::malformed, Kind::witness_length_mismatch,
                "a witness of " + std::to_string(witness.size()) + " values for a circuit with " +
                    std::to_string(num_public) + " public inputs");
  }
  const auto inputs = witness.public_inputs(num_public);
  task.public_inputs.assign(inputs.begin(), inputs.end());
  const auto stated = statement->public_inputs(task.partition);
  if (stated && *stated != task.public_inputs) {
    return fail(Code::internal, "the witness has other public inputs than the statement");
  }
  if (task.doubtful_witness) {
    CUZK_TRY(task.good_witness,
             task.circuit->check_witness(arena, *task.supplies.circuit.value(), witness, job.stop_token()));
    if (task.good_witness) blame_suspect(task);
  }
  return witness;
}

}  // namespace cuzk::engine
