// A world of fakes for the engine: circuits that prove nothing, kinds that decode nothing, and a script that holds and
// fails any step of theirs.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "engine/engine.h"
#include "support/clock.h"
#include "support/mutex.h"
#include "support/sha256.h"
#include "tests/support/eventually.h"
#include "tests/support/must.h"

namespace cuzk::engine::test {

using cuzk::test::kPatience;
using cuzk::test::must;
using namespace std::chrono_literals;

/// Steps that a script knows.
enum class At : std::uint8_t { read, load_circuit, load_key, witness, start, finish, verify };

/// A step as it happened: who is the payload's text, and "<text>/<partition>" for partitions.
struct Happened {
  At at;
  std::string who;
  unsigned device = 0;
};

class Script {
 public:
  /// From now on whoever comes to this step (of this name, if one is given) waits there, until release() or his stop.
  void hold(At at, const std::string& who = {}) {
    const MutexLock lock(mutex_);
    held_.insert({at, who});
  }
  void release(At at, const std::string& who = {}) {
    const MutexLock lock(mutex_);
    held_.erase({at, who});
    changed_.notify_all();
  }
  /// The next `count` that come there (and match, if a text is given) fail; Code::internal stands for an exception.
  void fail_next(At at, Code code, unsigned count = 1, std::string who = {}) {
    const MutexLock lock(mutex_);
    faults_.push_back({at, code, count, std::move(who), {}});
  }
  void fail_on_device(unsigned device, Code code, unsigned count = ~0U) {
    const MutexLock lock(mutex_);
    faults_.push_back({At::start, code, count, {}, device});
  }
  void throw_next(At at) {
    const MutexLock lock(mutex_);
    throwing_.insert(at);
  }
  /// The next `count` proofs are wrong.
  void corrupt_next(unsigned count) {
    const MutexLock lock(mutex_);
    corrupt_ = count;
  }
  /// Whether circuits can tell good witnesses from others; all are good.
  void know_constraints(bool known) {
    const MutexLock lock(mutex_);
    knows_constraints_ = known;
  }
  bool knows_constraints() const {
    const MutexLock lock(mutex_);
    return knows_constraints_;
  }
  /// Of each start, in turn: whether it was to be by other means.
  std::vector<bool> other_means() const {
    const MutexLock lock(mutex_);
    return other_means_;
  }
  /// Likewise: whether it was urgent.
  std::vector<bool> urgent() const {
    const MutexLock lock(mutex_);
    return urgent_;
  }
  void note_start(const PartitionInput& input) {
    const MutexLock lock(mutex_);
    other_means_.push_back(input.other_means);
    urgent_.push_back(input.urgent);
  }
  /// Tickets hold what this gives for as long as they live.
  void give_tickets(std::function<std::shared_ptr<const void>()> what) {
    const MutexLock lock(mutex_);
    of_tickets_ = std::move(what);
  }
  std::shared_ptr<const void> for_ticket() {
    std::function<std::shared_ptr<const void>()> what;
    {
      const MutexLock lock(mutex_);
      what = of_tickets_;
    }
    return what ? what() : nullptr;
  }
  bool take_corruption() {
    const MutexLock lock(mutex_);
    return corrupt_ != 0 && corrupt_-- != 0;
  }

  /// What the fakes call.
  Status pass(At at, const std::string& who, const StopToken& stop, unsigned device = 0) {
    MutexLock lock(mutex_);
    happened_.push_back({at, who, device});
    changed_.notify_all();
    changed_.wait(lock, stop, [&]() CUZK_REQUIRES(mutex_) {
      return !held_.contains({at, std::string()}) && !held_.contains({at, who});
    });
    CUZK_CHECK_OK(check_stop(stop, "a step"));
    if (throwing_.erase(at) != 0) throw std::runtime_error("thrown on purpose");
    for (Fault& fault : faults_) {
      const bool here =
          fault.at == at && (fault.who.empty() || fault.who == who) && (!fault.device || *fault.device == device);
      if (!here || fault.count == 0) continue;
      --fault.count;
      return fail(fault.code, "failed on purpose");
    }
    return {};
  }

  std::vector<Happened> happened(At at) const {
    const MutexLock lock(mutex_);
    std::vector<Happened> some;
    std::ranges::copy_if(happened_, std::back_inserter(some), [&](const Happened& h) { return h.at == at; });
    return some;
  }
  std::size_t count(At at) const { return happened(at).size(); }
  /// Waits until so many have come there; false when they do not within kPatience.
  bool wait_for(At at, std::size_t count) const {
    MutexLock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&]() CUZK_REQUIRES(mutex_) {
      return static_cast<std::size_t>(std::ranges::count(happened_, at, &Happened::at)) >= count;
    });
  }

 private:
  struct Fault {
    At at;
    Code code;
    unsigned count;
    std::string who;
    std::optional<unsigned> device;
  };
  mutable Mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::set<std::pair<At, std::string>> held_ CUZK_GUARDED_BY(mutex_);
  std::set<At> throwing_ CUZK_GUARDED_BY(mutex_);
  std::deque<Fault> faults_ CUZK_GUARDED_BY(mutex_);
  std::vector<Happened> happened_ CUZK_GUARDED_BY(mutex_);
  unsigned corrupt_ CUZK_GUARDED_BY(mutex_) = 0;
  bool knows_constraints_ CUZK_GUARDED_BY(mutex_) = true;
  std::vector<bool> other_means_ CUZK_GUARDED_BY(mutex_);
  std::vector<bool> urgent_ CUZK_GUARDED_BY(mutex_);
  std::function<std::shared_ptr<const void>()> of_tickets_ CUZK_GUARDED_BY(mutex_);
};

/// The public input of a partition: from it the proof follows.
inline U256 input_of(const std::string& text, std::uint32_t partition) {
  const auto hash = sha256(text_bytes(text + "/" + std::to_string(partition)));
  return U256::from_u64(load_le<std::uint64_t>(hash.data()));
}
inline std::string proof_of(const U256& input) { return "<" + input.to_hex() + ">"; }
/// What a job of this text and number of partitions must get.
inline std::string result_of(const std::string& text, std::uint32_t partitions) {
  std::string all;
  for (std::uint32_t k = 0; k < partitions; ++k) all += proof_of(input_of(text, k));
  return all;
}

class FakeStatement final : public Statement {
 public:
  FakeStatement(Script& script, std::string circuit, std::string text, std::uint32_t partitions)
      : script_(script), circuit_(std::move(circuit)), text_(std::move(text)), partitions_(partitions) {}

  const std::string& circuit() const noexcept override { return circuit_; }
  std::uint32_t partitions() const noexcept override { return partitions_; }
  std::optional<std::vector<U256>> public_inputs(std::uint32_t k) const override {
    return std::vector{input_of(text_, k)};
  }
  Result<r1cs::Witness> witness(Arena&, std::uint32_t k, const StopToken& stop) const override {
    CUZK_CHECK_OK(script_.pass(At::witness, text_ + "/" + std::to_string(k), stop));
    return r1cs::Witness({U256::from_u64(1), input_of(text_, k), U256::from_u64(k)});
  }

 private:
  Script& script_;
  const std::string circuit_, text_;
  const std::uint32_t partitions_;
};

class FakeKind final : public JobKind {
 public:
  FakeKind(Script& script, std::string name, Priority priority)
      : script_(script), name_(std::move(name)), priority_(priority) {}

  const std::string& name() const noexcept override { return name_; }
  Priority default_priority() const noexcept override { return priority_; }
  Result<std::shared_ptr<const Statement>> read(const JobContent& content, const Reading& reading) const override {
    if (content.payloads.empty()) return fail(Code::malformed, Kind::bad_count, "no payload");
    const std::string text(bytes_text(content.payloads[0].bytes));
    reading.decoded();
    CUZK_CHECK_OK(script_.pass(At::read, text, reading.stop));
    if (text.starts_with("bad")) return fail(Code::malformed, Kind::merkle_root_mismatch, "a wrong path");
    return std::make_shared<const FakeStatement>(script_, content.circuit, text, content.partitions);
  }

 private:
  Script& script_;
  const std::string name_;
  const Priority priority_;
};

/// Accelerators have a clock of their own: each proof takes so long on it, and a part of its key crosses beside that.
inline constexpr std::uint64_t kFakeKernelNs = 3'000'000;
inline backend::DeviceTimes times_of_a_proof(std::uint64_t now_ns) {
  backend::DeviceTimes times;
  const std::uint64_t begin = now_ns - kFakeKernelNs;
  times.spans = {{backend::DevicePhase::h2d_witness, begin - 500'000, begin},
                 {backend::DevicePhase::h2d_key, begin, begin + 200'000},
                 {backend::DevicePhase::h2d_key, begin + 700'000, begin + 800'000},
                 {backend::DevicePhase::ntt, begin, begin + 1'000'000},
                 {backend::DevicePhase::msm_h, begin + 1'000'000, now_ns},
                 {backend::DevicePhase::subset_sums, begin + 500'000, begin + 1'500'000}};
  times.bytes[static_cast<std::size_t>(backend::Way::packed_witness)] = 1000;
  times.bytes[static_cast<std::size_t>(backend::Way::key)] = 70;
  return times;
}

struct FakeTicket final : ProofTicket {
  backend::Moved moved() const noexcept override { return moved_bytes; }
  std::shared_ptr<const backend::DeviceTimes> times() const noexcept override { return on_device; }

  U256 input{};
  backend::Moved moved_bytes;
  std::shared_ptr<backend::DeviceTimes> on_device;
  std::shared_ptr<const void> held;
};

class FakeCircuit : public ProvingCircuit {
 public:
  FakeCircuit(Script& script, std::string id, CircuitSizes sizes, std::string_view key = "key")
      : script_(script), id_(std::move(id)), key_(sha256(text_bytes(key))), sizes_(sizes) {}

  const std::string& id() const noexcept override { return id_; }
  const store::KeyDigest& key_digest() const noexcept override { return key_; }
  std::size_t num_public() const noexcept override { return 1; }
  CircuitSizes sizes() const noexcept override { return sizes_; }
  bool runs_on(const Device&) const noexcept override { return true; }
  Result<std::shared_ptr<const ResidentCircuit>> load_circuit(const Device& device,
                                                              const StopToken& stop) const override {
    CUZK_CHECK_OK(script_.pass(At::load_circuit, id_, stop, device.ordinal));
    return std::make_shared<const ResidentCircuit>();
  }
  Result<std::shared_ptr<const ResidentKey>> load_key(const Device& device, const StopToken& stop) const override {
    CUZK_CHECK_OK(script_.pass(At::load_key, id_, stop, device.ordinal));
    return std::make_shared<const ResidentKey>();
  }
  Status check_fit(const ResidentKey&, const ResidentCircuit&) const override { return {}; }
  Result<bool> check_witness(Arena&, const ResidentCircuit&, const r1cs::Witness&, const StopToken&) const override {
    return script_.knows_constraints();
  }
  backend::Wants wants(const Device&, const ProvingSet*) const noexcept override {
    return sizes_.abc_bytes > 0 ? backend::Wants::abc : backend::Wants::witness;
  }
  std::uint64_t abc_bytes(const ProvingSet&) const noexcept override { return sizes_.abc_bytes; }
  Status evaluate(Arena&, const ProvingSet&, const r1cs::Witness& witness, const memory::HostBuffer& abc,
                  const StopToken&) const override {
    abc.write(0, std::as_bytes(witness.values().subspan(1, 1)));
    return {};
  }
  /// What is in a, b, c is what is proven, where they are wanted.
  Result<std::unique_ptr<ProofTicket>> start(const Device& device, const ProvingSet&, PartitionInput given,
                                             const StopToken& stop) const override {
    script_.note_start(given);
    U256 input = given.witness->values()[1];
    if (given.abc.size() > 0) given.abc.read(0, std::as_writable_bytes(std::span(&input, 1)));
    CUZK_CHECK_OK(script_.pass(At::start, proof_of(input), stop, device.ordinal));
    auto ticket = std::make_unique<FakeTicket>();
    ticket->input = input;
    ticket->moved_bytes = {.pinned_bytes = given.abc.pinned_bytes(), .pageable_bytes = given.abc.pageable_bytes()};
    ticket->held = script_.for_ticket();
    if (!device.is_cpu) ticket->on_device = std::make_shared<backend::DeviceTimes>();
    return ticket;
  }
  Result<std::vector<std::byte>> finish(const Device& device, std::unique_ptr<ProofTicket> ticket) const override {
    const auto& own = static_cast<FakeTicket&>(*ticket);
    const U256 input = own.input;
    CUZK_CHECK_OK(script_.pass(At::finish, proof_of(input), {}, device.ordinal));
    if (own.on_device != nullptr) *own.on_device = times_of_a_proof(monotonic_ns());
    const std::string proof = script_.take_corruption() ? "<wrong>" : proof_of(input);
    const Bytes bytes = text_bytes(proof);
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }
  Status verify(Arena&, const ResidentKey&, std::span<const U256> inputs, Bytes proof) const override {
    CUZK_CHECK_OK(script_.pass(At::verify, std::string(bytes_text(proof)), {}));
    if (bytes_text(proof) == proof_of(inputs[0])) return {};
    return fail(Code::unsatisfied, Kind::invalid_proof, "the proof does not verify");
  }
  std::vector<std::byte> record(Bytes proof, std::span<const U256>) const override {
    return {proof.begin(), proof.end()};
  }
  Result<std::vector<std::byte>> assemble(std::span<const Bytes> records) const override {
    std::vector<std::byte> all;
    for (const Bytes record : records) all.insert(all.end(), record.begin(), record.end());
    return all;
  }

 private:
  Script& script_;
  const std::string id_;
  const store::KeyDigest key_;
  const CircuitSizes sizes_;
};

class FakeCatalogue final : public Catalogue {
 public:
  void add(std::shared_ptr<const ProvingCircuit> circuit) {
    const MutexLock lock(mutex_);
    circuits_[circuit->id()] = std::move(circuit);
  }
  void remove(const std::string& id) {
    const MutexLock lock(mutex_);
    circuits_.erase(id);
  }
  Result<std::shared_ptr<const ProvingCircuit>> find(std::string_view id) const override {
    const MutexLock lock(mutex_);
    const auto found = circuits_.find(std::string(id));
    if (found == circuits_.end()) return fail(Code::not_found, "no circuit " + std::string(id));
    return found->second;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<const ProvingCircuit>> circuits_ CUZK_GUARDED_BY(mutex_);
};

inline constexpr std::uint64_t kKeyBytes = 4000;
inline constexpr std::uint64_t kCircuitBytes = 400;
inline constexpr std::uint64_t kPeakBytes = 1000;
inline constexpr CircuitSizes kSizes = {.key_bytes = kKeyBytes,
                                        .circuit_bytes = kCircuitBytes,
                                        .witness_bytes = 200,
                                        .start_bytes = 800,
                                        .finish_bytes = 300};

/// An engine among fakes. Kinds: "low", "normal", "high", "critical"; circuits: "a", "b", "c".
struct World {
  explicit World(std::function<void(EngineOptions&)> change = {}, std::uint64_t budget_bytes = 100'000,
                 std::function<void(Script&)> prepare = {}) {
    memory::BudgetOptions of_budget;
    of_budget.total_bytes = budget_bytes;
    budget = must(memory::MemoryBudget::create(std::move(of_budget)));
    for (const char* id : {"a", "b", "c"}) catalogue.add(std::make_shared<FakeCircuit>(script, id, kSizes));
    options.arena = &arena;
    options.budget = budget;
    options.catalogue = &catalogue;
    for (const Priority priority : {Priority::low, Priority::normal, Priority::high, Priority::critical}) {
      options.kinds.push_back(std::make_shared<FakeKind>(script, std::string(memory::to_string(priority)), priority));
    }
    options.devices.resize(1);
    options.devices[0].name = "fake 0";
    options.max_payload_bytes = 10'000;
    options.min_idle = 0ms;
    options.housekeeping = 5ms;
    if (change) change(options);
    if (prepare) prepare(script);
    start();
  }

  void start() { engine = must(Engine::create(options)); }
  void restart() {
    engine.reset();
    start();
  }

  static JobRequest request(const std::string& text, std::uint32_t partitions = 1, const std::string& kind = "normal",
                            const std::string& circuit = "a") {
    JobRequest request;
    request.label = text;
    request.content.kind = kind;
    request.content.circuit = circuit;
    request.content.partitions = partitions;
    const auto owner = std::make_shared<const std::string>(text);
    request.content.payloads.push_back({text_bytes(*owner), owner});
    return request;
  }
  JobHandle submit(const std::string& text, std::uint32_t partitions = 1, const std::string& kind = "normal",
                   const std::string& circuit = "a") {
    return must(engine->submit(request(text, partitions, kind, circuit)));
  }
  static std::shared_ptr<const JobResult> result(const JobHandle& job) {
    return must(job.await(Deadline::after(kPatience)));
  }
  static std::string proof(const JobHandle& job) { return std::string(bytes_text(result(job)->proof)); }

  /// What is asked for must stay once it has come: who passes through many states may pass unseen.
  static bool eventually(const std::function<bool()>& done) { return cuzk::test::eventually(done); }
  /// Of a queue of the snapshot.
  std::size_t queue_length(std::string_view name) const {
    const EngineSnapshot now = engine->snapshot();
    const auto queue = std::ranges::find(now.queues, name, &QueueSnapshot::name);
    return queue == now.queues.end() ? 0 : queue->length;
  }
  /// Bytes that partitions hold now.
  std::uint64_t working_bytes() const {
    const auto by_tag = budget->snapshot().by_tag;
    std::uint64_t sum = 0;
    for (const auto tag : {memory::MemoryTag::workspace, memory::MemoryTag::witness, memory::MemoryTag::abc}) {
      sum += by_tag[static_cast<std::size_t>(tag)].bytes;
    }
    return sum;
  }

  Script script;
  Arena arena{2};
  std::shared_ptr<memory::MemoryBudget> budget;
  FakeCatalogue catalogue;
  EngineOptions options;
  std::unique_ptr<Engine> engine;  // ends first
};

}  // namespace cuzk::engine::test
