// EngineCore: what an Engine consists of. One file for each of its sides:
//
//   intake.cpp        submit, find, cancel               completion.cpp    how partitions and jobs end
//   decoding.cpp      contents to statements             housekeeping.cpp  leases, deadlines, orphans, expiry
//   evaluation.cpp    a, b, c for devices that want them
//   loading.cpp       cold partitions: keys, circuits    recovery.cpp      what other processes left
//   witnesses.cpp     resources and witnesses            core.cpp          threads, stop, caches, snapshot
//   devices.cpp       start, finish, verify              device_choice.cpp where a partition is proven
//   restart.cpp       what waits for another process
//
// Members end in reverse order: threads first, then queues with the tasks in them, then what tasks refer to.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "engine/books.h"
#include "engine/device_line.h"
#include "engine/engine.h"
#include "engine/estimates.h"
#include "engine/job_table.h"
#include "engine/lane.h"
#include "engine/metrics.h"
#include "engine/residents.h"
#include "engine/slots.h"
#include "engine/task.h"

namespace cuzk::engine {

class EngineCore {
 public:
  EngineCore(EngineOptions options, memory::Reservation payload_memory);
  ~EngineCore() { stop(); }
  EngineCore(const EngineCore&) = delete;
  EngineCore& operator=(const EngineCore&) = delete;

  /// Before start(): the former process's jobs.
  Status recover();
  Status adopt(store::TakenJob taken);
  Status adopt_known(const std::shared_ptr<Job>& job, const store::Lease& lease);
  void start();
  void stop();

  Result<JobHandle> submit(JobRequest request);
  Result<std::shared_ptr<PayloadRoom>> receive(std::uint64_t bytes) { return jobs_.receive(bytes); }
  Result<JobHandle> find(std::string_view job_id);
  Status mark_delivered(const JobHandle& handle);
  std::vector<JobStatus> list() const;
  Result<bool> cancel(std::string_view job_id);
  Result<Preloaded> preload(std::string_view circuit, const StopToken& stop);
  Result<Evicted> evict(std::string_view circuit);
  EngineSnapshot snapshot() const;
  std::chrono::milliseconds retry_delay() const;
  std::string restart_reason() const;
  Status drain(Deadline deadline, const StopToken& stop);

 private:
  /// A job that waits to be decoded.
  struct Undecoded {
    std::shared_ptr<Job> job;
    std::uint64_t queued_ns = 0;
    Order order() const noexcept { return job->order(); }
  };
  using UndecodedPtr = std::unique_ptr<Undecoded>;

  /// What is decoded, at one moment: it decides who else is.
  struct Backlog {
    struct OfJob {
      Priority priority;
      std::string circuit;
      bool is_warm;                      // key and circuit are there, on some device
      std::uint32_t waiting_partitions;  // for their witness
    };
    std::vector<OfJob> jobs;
    PayloadSnapshot payloads;
  };

  /// What is being loaded, each once.
  class Loads {
   public:
    bool begin(const ResidentName& name);  // false: it is
    void end(const ResidentName& name);
    std::vector<ResidentName> names() const;

   private:
    mutable Mutex mutex_;
    std::vector<ResidentName> names_ CUZK_GUARDED_BY(mutex_);
  };

  Arena& arena_for(const Job& job) const noexcept;
  const JobKind* kind(const std::string& name) const;

  // intake.cpp
  Result<JobTable::Opened> open_job(const JobIdentity& identity, Priority priority, PayloadRoom* room);
  void join(Job& job, const JobIdentity& other, Priority priority);
  Status admit(const std::shared_ptr<Job>& job, JobContent content, std::vector<store::PayloadHash> payloads);
  std::shared_ptr<const ProvingCircuit> find_circuit(const std::string& id) const;
  void enqueue(std::shared_ptr<Job> job);

  // recovery.cpp
  Status forget_unknown_proofs(store::TakenJob& taken);
  void begin(const std::shared_ptr<Job>& job, std::optional<std::uint32_t> deadly);

  // decoding.cpp
  void run_decoder(bool critical, const StopToken& stop);
  Backlog backlog() const;
  bool may_decode(const Backlog& backlog, const Job& job, Priority priority) const;
  Status decode(const std::shared_ptr<Job>& job);
  Result<std::shared_ptr<const ProvingCircuit>> circuit_of(const Job& job) const;
  Result<std::shared_ptr<const Statement>> read(Job& job);
  void spread(const std::shared_ptr<Job>& job, const std::shared_ptr<const ProvingCircuit>& circuit);

  // loading.cpp
  void enqueue_partition(TaskPtr task);
  void enqueue_cold(TaskPtr task);
  /// To those that may have their turn; who is less urgent and waits gives way.
  void enqueue_warm(TaskPtr task);
  void give_way();
  /// Somebody has joined a job: its place in the queues is another, and waits on its former terms are given up.
  void terms_have_changed();
  /// Chooses the device; whether the partition must wait for key or circuit there. It counts as on its way then.
  bool is_cold(Task& task);
  void run_loader(bool critical, const StopToken& stop);
  Status warm_up(Task& task, Waits::Wait& wait);
  void release_warm(const ResidentName& name);

  // device_choice.cpp
  DeviceChoice choose_device(const Task& task) const;
  /// The best of the accelerators, or of the CPUs, that can; null: none. Among those that keep the partition waiting
  /// least it is where key and circuit are, or soon will be, so that each device keeps the keys that it has.
  const DeviceLine* best_line(const Task& task, bool cpu) const;
  std::optional<std::uint64_t> foresee(const DeviceLine& line, const Task& task, std::uint32_t partitions) const;
  bool is_too_busy(const DeviceLine& accelerator, const DeviceLine& cpu, const Task& task) const;
  DeviceChoice stand_in(const DeviceLine& accelerator, const DeviceLine& cpu, const Task& task, const char* trouble,
                        std::uint32_t partitions) const;
  void note_fallback(const Task& task);

  // restart.cpp
  /// Whether the device is ill and a restart is due, or will be within moments.
  bool awaits_restart(const DeviceLine& line) const;
  /// Sets a partition apart that no device but such a one may prove; false: it is not one.
  bool park(TaskPtr& task);
  /// Takes up again what need not wait any more.
  void tend_parked();

  // witnesses.cpp
  void run_witnesses(Lane& lane, const StopToken& stop);
  TaskPtr next_supplied(Lane& lane, const StopToken& stop);
  /// `turn` is given back when something is to be loaded.
  Status supply(Task& task, Waits::Wait& wait, std::unique_lock<std::mutex>& turn);
  Status generate(Task& task);
  /// Made, and found to be of the statement.
  Result<r1cs::Witness> make_witness(Task& task);

  // evaluation.cpp
  Status keep_input(Task& task, r1cs::Witness witness);
  Status evaluate(Task& task, const ProvingSet& set, const std::string& owner);
  static void note_path(const Task& task, MemoryPath path);
  void expect_circuit(std::string_view id);
  void forget_circuit(std::string_view id);
  std::set<std::string> expected_circuits();
  /// Has them made in the background, for circuits of which partitions are expected.
  std::uint64_t key_bytes(const ProvingCircuit& circuit) const;
  void prewarm_buffers();
  std::optional<memory::PinnedPool::BufferSet> buffers_of(const ProvingCircuit& circuit);
  void tend_buffers();

  // devices.cpp
  void run_submitter(DeviceLine& line, bool critical, const StopToken& stop);
  void run_finisher(bool critical, const StopToken& stop);
  Status prove_start(DeviceLine& line, Task& task);
  Status prove_finish(DeviceLine& line, Task& task, std::vector<std::byte>& proof);
  Status verify(const Task& task, Bytes proof);
  void note_rejected(Task& task);
  void blame_suspect(Task& task);

  // completion.cpp
  /// What became of a write to the journal: false when the job has ended over it.
  bool still_ours(const std::shared_ptr<Job>& job, Status written);
  void partition_done(const Task& task, Bytes proof);
  void partition_failed(TaskPtr task, Error error);
  void note_failure(const Task& task, const Error& error);
  static std::string describe_failed(const Task& task);
  void requeue(TaskPtr task);
  void complete(const std::shared_ptr<Job>& job, const std::shared_ptr<const ProvingCircuit>& circuit);
  void fail_job(const std::shared_ptr<Job>& job, Error error);
  void end_failed(const std::shared_ptr<Job>& job, Error error, FailureClass failure);
  void end_cancelled(const std::shared_ptr<Job>& job, std::string reason);
  bool cancel_job(const std::shared_ptr<Job>& job, std::string reason);
  void ended(const std::shared_ptr<Job>& job);
  void evict_unregistered(const std::string& circuit);

  // housekeeping.cpp
  void run_leases(const StopToken& stop);
  void run_deadlines(const StopToken& stop);
  void run_housekeeping(const StopToken& stop);
  /// Jobs whose process has died, or has let them go.
  void take_over();
  void end_overdue();
  void renew_leases();
  void end_lost(const std::shared_ptr<Job>& job);

  const EngineOptions options_;
  const std::uint64_t started_ns_;
  const memory::Reservation payload_memory_;
  std::map<std::string, std::shared_ptr<const JobKind>> kinds_;
  std::atomic<bool> accepting_ = true;
  std::once_flag stopped_;
  std::stop_source stopping_;

  Metrics metrics_;
  Estimates estimates_;
  JobTable jobs_;
  Books books_;
  Residents residents_;
  Mutex expected_mutex_;
  std::set<std::string, std::less<>> expected_circuits_ CUZK_GUARDED_BY(expected_mutex_);
  Slots device_slots_;
  std::vector<std::unique_ptr<DeviceLine>> lines_;
  OrderedQueue<UndecodedPtr> undecoded_;
  OrderedQueue<TaskPtr> cold_;
  Loads loads_;
  OrderedQueue<TaskPtr> tasks_;
  OrderedQueue<TaskPtr> finishing_;
  OrderedQueue<TaskPtr> parked_;  // for the next process
  Lane ordinary_lane_{false, tasks_};
  Lane critical_lane_{true, tasks_};
  Waits loading_;
  std::vector<std::jthread> threads_;
};

}  // namespace cuzk::engine
