#include <algorithm>

#include "engine/core.h"
#include "engine/failure.h"
#include "support/log.h"
#include "support/right_of_way.h"

namespace cuzk::engine {

namespace {

Status check_statement(const Statement& statement, const JobIdentity& identity) {
  if (statement.partitions() != identity.partitions) {
    return fail(Code::malformed, Kind::bad_count,
                "the payload has " + std::to_string(statement.partitions()) + " partitions, the job " +
                    std::to_string(identity.partitions));
  }
  if (statement.circuit() == identity.circuit) return {};
  return fail(Code::malformed, Kind::wrong_proof_type,
              "the payload is for " + statement.circuit() + ", the job for " + identity.circuit);
}

/// What is kept of the job, and what was proven of it, is of one key.
Status check_key(const JobIdentity& identity, const ProvingCircuit& circuit) {
  if (!identity.key || *identity.key == circuit.key_digest()) return {};
  return fail(Code::not_found, "the key of " + identity.circuit +
                                   (*identity.key == kNoKey ? " was not there" : " was another one") +
                                   " when the job was accepted");
}

}  // namespace

void EngineCore::run_decoder(bool critical, const StopToken& stop) {
  const auto look = [&] {
    return [this, critical, now = backlog()](const UndecodedPtr& item, const Order& order) {
      return (!critical || order.priority == Priority::critical) && may_decode(now, *item->job, order.priority);
    };
  };
  while (const auto item = undecoded_.pop(stop, look)) {
    if (item->job->stopped()) continue;
    Status decoded = guarded([&] { return decode(item->job); });
    if (!decoded && !item->job->stopped()) fail_job(item->job, std::move(decoded).error());
    undecoded_.look_again();
  }
}

EngineCore::Backlog EngineCore::backlog() const {
  const JobTable::Decoded decoded = jobs_.decoded();
  Backlog now{.jobs = {}, .payloads = decoded.payloads};
  for (const auto& job : decoded.jobs) {
    const std::string& circuit = job->identity().circuit;
    const auto has_it = [&](const auto& line) { return residents_.has(circuit, line->device().ordinal); };
    now.jobs.push_back({.priority = job->priority(),
                        .circuit = circuit,
                        .is_warm = std::ranges::any_of(lines_, has_it),
                        .waiting_partitions = job->waiting_partitions()});
  }
  return now;
}

/// Statements are large: they are decoded until as many partitions wait as keep lanes and devices busy, and as long as
/// there is room for them, unless something more urgent comes. One always is. Partitions whose key is still being
/// loaded hold back those alone who would wait for it too.
bool EngineCore::may_decode(const Backlog& backlog, const Job& job, Priority priority) const {
  if (priority == Priority::critical || job.stopped()) return true;
  std::size_t decoded = 0;
  std::uint64_t waiting = 0;
  for (const Backlog::OfJob& other : backlog.jobs) {
    if (other.priority < priority) continue;
    ++decoded;
    if (other.is_warm || other.circuit == job.identity().circuit) waiting += other.waiting_partitions;
  }
  if (decoded == 0) return true;
  return waiting < options_.ready_partitions &&
         backlog.payloads.held_bytes() + job.identity().statement_bytes <= backlog.payloads.limit_bytes;
}

Status EngineCore::decode(const std::shared_ptr<Job>& job) {
  if (job->all_finished()) {  // a former process came so far
    CUZK_TRY(const auto circuit, circuit_of(*job));
    complete(job, circuit);
    return {};
  }
  job->begin_decode();
  log_debug("decoding", job->subject());
  CUZK_TRY(const auto statement, read(*job));
  CUZK_CHECK_OK(check_statement(*statement, job->identity()));
  CUZK_TRY(const auto circuit, circuit_of(*job));
  CUZK_CHECK_OK(circuit->check_statement(*statement));
  job->decoded(statement);
  spread(job, circuit);
  return {};
}

Result<std::shared_ptr<const ProvingCircuit>> EngineCore::circuit_of(const Job& job) const {
  auto circuit = job.circuit();
  if (circuit == nullptr) {
    CUZK_TRY(circuit, options_.catalogue->find(job.identity().circuit));
  }
  CUZK_CHECK_OK(check_key(job.identity(), *circuit));
  return circuit;
}

Result<std::shared_ptr<const Statement>> EngineCore::read(Job& job) {
  std::vector<store::PayloadHash> payloads;
  JobContent content = job.take_content(payloads);
  CUZK_CHECK_OK(books_.load_payloads(content, payloads));
  const JobKind* const known = kind(job.identity().kind);
  if (known == nullptr) return fail(Code::unsupported, "no such kind of job: " + job.identity().kind);
  Arena& arena = arena_for(job);
  const RightOfWay way(arena);
  return known->read(content, {.arena = arena, .stop = job.stop_token(), .decoded = [&] { job.begin_check(); }});
}

void EngineCore::spread(const std::shared_ptr<Job>& job, const std::shared_ptr<const ProvingCircuit>& circuit) {
  for (std::uint32_t k = 0; k < job->identity().partitions; ++k) {
    if (job->is_finished(k)) continue;
    auto task = std::make_unique<Task>();
    task->job = job;
    task->partition = k;
    task->circuit = circuit;
    job->begin(k, Phase::queue);
    enqueue_partition(std::move(task));
  }
}

}  // namespace cuzk::engine
