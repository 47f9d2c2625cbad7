// Cold work: a partition whose key or circuit is not on its device. It waits apart while that is loaded, so that it
// keeps nobody else from his witness; what there is no memory for is loaded when the partition's turn has come.
#include <algorithm>

#include "engine/core.h"
#include "engine/failure.h"
#include "support/log.h"

namespace cuzk::engine {

void EngineCore::enqueue_partition(TaskPtr task) {
  const bool cold = is_cold(*task);
  if (park(task)) return;
  if (cold) {
    enqueue_cold(std::move(task));
  } else {
    enqueue_warm(std::move(task));
  }
}

void EngineCore::enqueue_cold(TaskPtr task) {
  task->wish =
      std::make_unique<const Residents::Wish>(residents_, task->circuit->id(), task->device, task->job->stop_token());
  cold_.push(std::move(task));
}

void EngineCore::enqueue_warm(TaskPtr task) {
  task->wish.reset();
  task->on_its_way.reset();
  tasks_.push(std::move(task));
  give_way();
}

void EngineCore::give_way() {
  for (Lane* const lane : {&ordinary_lane_, &critical_lane_}) lane->waits.look_again();
}

void EngineCore::terms_have_changed() {
  undecoded_.look_again();
  cold_.look_again();
  tasks_.look_again();
  finishing_.look_again();
  for (const auto& line : lines_) line->ready().look_again();
  loading_.look_again();
  give_way();
}

bool EngineCore::is_cold(Task& task) {
  task.on_its_way.reset();  // that it waits there itself says nothing for the others
  task.choice = choose_device(task);
  task.device = task.choice.device;
  DeviceLine& line = *lines_[task.device];
  const bool cold = task.loaded_on != task.device && task.circuit->runs_on(line.device()) &&
                    !residents_.has(task.circuit->id(), task.device);
  if (cold) task.on_its_way = line.expect();
  return cold;
}

void EngineCore::run_loader(bool critical, const StopToken& stop) {
  const auto look = [&] {
    return [critical, loading = loads_.names()](const TaskPtr& task, const Order& order) {
      const auto is_its_own = [&](const ResidentName& name) { return name == task->resident(); };
      return (!critical || order.priority == Priority::critical) && std::ranges::none_of(loading, is_its_own);
    };
  };
  while (TaskPtr task = cold_.pop(stop, look)) {
    if (task->job->stopped()) continue;
    const ResidentName name = task->resident();
    const bool cold = is_cold(*task);
    if (park(task)) continue;
    if (!cold || task->resident() != name) {  // it is there by now, or another device has less to do
      enqueue_partition(std::move(task));
      continue;
    }
    if (!loads_.begin(name)) {  // another loader was faster
      cold_.push(std::move(task));
      continue;
    }
    bool again = false;
    Status warmed = guarded([&] {
      Waits::Wait wait(loading_, *task);
      Status status = warm_up(*task, wait);
      again = wait.given_up();
      return status;
    });
    loads_.end(name);
    if (warmed) {
      enqueue_warm(std::move(task));
    } else if (again) {
      cold_.push(std::move(task));
    } else if (!task->job->stopped()) {
      partition_failed(std::move(task), std::move(warmed).error());
    }
    release_warm(name);
  }
}

Status EngineCore::warm_up(Task& task, Waits::Wait& wait) {
  Job& job = *task.job;
  const Device& device = lines_[task.device]->device();
  log_debug("loading " + task.circuit->id(), job.subject(task.partition));
  job.finish(task.partition, Phase::queue);
  job.begin(task.partition, Phase::key);
  CUZK_TRY(const bool there, residents_.warm_up({.circuit = *task.circuit,
                                                 .device = device,
                                                 .owner = job.job_id(),
                                                 .priority = wait.terms().priority,
                                                 .stop = wait.stop_token(),
                                                 .deadline = wait.terms().deadline,
                                                 .begins_to_wait = [&] { wait.begin(); },
                                                 .begins_to_load = [&] { wait.end(); }}));
  task.loaded_on = task.device;
  if (!there) return {};
  job.finish(task.partition, Phase::key);
  prewarm_buffers();
  return {};
}

/// All that waited for this one.
void EngineCore::release_warm(const ResidentName& name) {
  if (residents_.has(name.circuit, name.device)) {
    const auto of_this = [&](const TaskPtr& task) { return task->resident() == name; };
    for (TaskPtr& task : cold_.take_all(of_this)) enqueue_warm(std::move(task));
  }
  cold_.look_again();
}

bool EngineCore::Loads::begin(const ResidentName& name) {
  const MutexLock lock(mutex_);
  if (std::ranges::find(names_, name) != names_.end()) return false;
  names_.push_back(name);
  return true;
}

void EngineCore::Loads::end(const ResidentName& name) {
  const MutexLock lock(mutex_);
  std::erase(names_, name);
}

std::vector<ResidentName> EngineCore::Loads::names() const {
  const MutexLock lock(mutex_);
  return names_;
}

}  // namespace cuzk::engine
