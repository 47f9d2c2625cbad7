// The CUDA backend against the CPU's: equal proofs for equal blinding, memory that stays what it was, failures that
// leave nothing behind. A program of its own, as device_check is.
//
//   backend_check [--figures]   every check; with --figures the times of whole proofs as JSON too
//   backend_check --times       the checks and figures of what a device's clock tells alone
//   backend_check --queue N     ten proofs of 2^N rows in a process that has made none, then a queue of twenty, and
//                               when that ran, so that a profiler's kernels can be held against it
//   backend_check --little N    a domain of 2^N in as much less than 8 GiB as it is less than 2^27
//   backend_check --profile N   two proofs of 2^N rows on BN254, for a profiler
//   backend_check --partitions N [--memory SIZE] [KIND...]   partitions in a domain of 2^N: keys made on the device,
//                               their proofs, which must verify, and their times; porep, window: that kind's shape;
//                               both: both keys resident at once. SIZE ("8GiB"): what proofs may use of the device,
//                               circuits and keys included; two proofs, and what was given up for them
//
// Prints a line for each check and "N passed, N failed" last; exit status 1 when one has failed or there is no device.
#include <chrono>
#include <cstring>
#include <future>
#include <thread>

#include "backend/busy_time.h"
#include "backend/cuda/device_multiples.h"
#include "backend/cuda/devices.h"
#include "backend/cuda/order.h"
#include "backend/known_answer.h"
#include "groth16/verifier.h"
#include "memory/memory_size.h"
#include "memory/pinned_pool.h"
#include "support/clock.h"
#include "tests/backend/samples.h"
#include "tests/device/check_tools.h"
#include "tests/device/partition_circuit.h"

namespace cuzk::test {
namespace {

using backend::AbcBuffer;
using backend::Backend;
using backend::Blinding;
using backend::CudaBackends;
using backend::CudaOptions;
using backend::DevicePhase;
using backend::DeviceTimes;
using backend::ProvingInput;
using backend::Way;
using groth16::Proof;

template <class C> std::shared_ptr<Backend<C>> of_curve(const CudaBackends& backends) {
  if constexpr (std::is_same_v<C, Bn254>) {
    return backends.bn254;
  } else {
    return backends.bls12_381;
  }
}

struct Machine {
  Arena arena;
  std::shared_ptr<memory::ScriptedFaults> faults = std::make_shared<memory::ScriptedFaults>();
  CudaBackends backends;

  explicit Machine(std::uint64_t limit_bytes) : backends(open(arena, limit_bytes, faults)) {}

  static CudaBackends open(Arena& arena, std::uint64_t limit_bytes, std::shared_ptr<memory::FaultPolicy> faults) {
    CudaOptions options;
    options.margin_bytes = 0;
    options.limit_bytes = limit_bytes;
    options.faults = std::move(faults);
    return must(backend::open_cuda_device(arena, must(backend::cuda_devices(), "devices").front(), options), "device");
  }
  std::uint64_t used() const { return backends.bn254->memory()->budget()->snapshot().used; }
};

template <class C> bool equal(const Proof<C>& a, const Proof<C>& b) { return a.a == b.a && a.b == b.b && a.c == b.c; }

/// Of one key and witness: r and s drawn once.
template <class C> struct Trial {
  Case<C> sample;
  U256 r, s;

  Trial(Arena& arena, const CircuitShape& shape, const KeyForm& form, std::mt19937_64& random)
      : sample(arena, shape, form, random),
        r(uniform_element<typename C::Fr>(random).canonical()),
        s(uniform_element<typename C::Fr>(random).canonical()) {}

  ProvingInput<C> input() const { return {.witness = sample.witness(), .blinding = Blinding<C>::fixed(r, s)}; }
  Proof<C> expected(Arena& arena) const {
    backend::CpuBackend<C> cpu(arena);
    return must(prove(cpu, sample.plain_view(), true, input()), "CPU");
  }
  Result<Proof<C>> prove(Backend<C>& on, const groth16::ProvingKeyView<C>& view, bool with_circuit,
                         ProvingInput<C> given) const {
    CUZK_TRY(auto key, on.load_key(view));
    std::shared_ptr<const backend::Circuit<C>> circuit;
    if (with_circuit) {
      CUZK_TRY(circuit, on.load_circuit(sample.circuit));
    }
    CUZK_TRY(auto ticket, on.prove_start(std::move(key), std::move(circuit), std::move(given)));
    return on.prove_finish(std::move(ticket));
  }
};

template <class C> bool same(const Result<Proof<C>>& proof, const Proof<C>& expected) {
  if (!proof) std::printf("  %s\n", proof.error().to_string().c_str());
  return proof && equal<C>(*proof, expected);
}

/// Memory for a, b, c of the host.
struct Pool {
  std::shared_ptr<memory::MemoryBudget> budget;
  std::shared_ptr<memory::PinnedPool> pool;

  /// In small chunks.
  Pool() : Pool(small_chunks()) {}
  explicit Pool(memory::PoolOptions of_pool) {
    memory::BudgetOptions of_budget;
    of_budget.total_bytes = std::uint64_t{4} << 30;
    budget = must(memory::MemoryBudget::create(std::move(of_budget)));
    of_pool.locker = must(memory::make_cuda_locker());
    pool = must(memory::PinnedPool::create(budget, std::move(of_pool)));
  }
  static memory::PoolOptions small_chunks() {
    memory::PoolOptions options;
    options.large_chunk_bytes = std::uint64_t{64} << 10;
    options.small_chunk_bytes = std::uint64_t{16} << 10;
    return options;
  }
  template <class C> AbcBuffer<typename C::Fr> evaluated(Arena& arena, const Trial<C>& trial, bool pinned) const {
    return evaluated<typename C::Fr>(arena, *trial.sample.circuit, *trial.sample.witness(), pinned);
  }
  template <class Fr>
  AbcBuffer<Fr> evaluated(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, const r1cs::Witness& witness,
                          bool pinned) const {
    using Abc = AbcBuffer<Fr>;
    const std::size_t rows = circuit.num_constraints() + circuit.num_inputs();
    memory::ReserveRequest request;
    request.pooled_bytes = request.bytes = pool->footprint_bytes(Abc::bytes(rows));
    memory::Reservation paid = must(budget->reserve(request));
    Abc abc(must(pool->acquire(Abc::bytes(rows), paid,
                               pinned ? memory::BufferMemory::pinned : memory::BufferMemory::pageable)),
            rows);
    groth16::evaluate<Fr>(arena, circuit, witness.values(), abc.parts());
    return abc;
  }
};

template <class C> void check_ways(Counts& counts, Machine& machine, const Pool& pool, std::mt19937_64& random) {
  const CircuitShape kShapes[] = {{1, 0, 1},       {1, 1, 1},       {2, 0, 3},      {3, 1, 2},
                                  {5, 2, 0},       {3, 0, 0},       {100, 0, 50},   {100, 3, 60},
                                  {1000, 70, 900}, {5000, 9, 6000}, {4090, 6, 3000}};
  const auto cuda = of_curve<C>(machine.backends);
  for (const KeyForm& form : {kSnarkjs, kBellperson}) {
    for (const CircuitShape& shape : kShapes) {
      const Trial<C> trial(machine.arena, shape, form, random);
      const auto expected = trial.expected(machine.arena);
      const std::string name = std::string(C::name) + (form.basis == kSnarkjs.basis ? " snarkjs " : " bellperson ") +
                               std::to_string(shape.constraints) + " rows " + std::to_string(shape.num_public) +
                               " public " + std::to_string(shape.num_aux) + " aux";
      const auto note = [&](const char* way, const Result<Proof<C>>& proof) {
        counts.note(name + way, same<C>(proof, expected));
      };
      const auto view = trial.sample.plain_view();
      note(": circuit", trial.prove(*cuda, view, true, trial.input()));
      note(": records", trial.prove(*cuda, trial.sample.view_with_records(), false, trial.input()));
      auto input = trial.input();
      input.other_means = true;
      note(": other means", trial.prove(*cuda, view, true, std::move(input)));
      for (const bool pinned : {false, true}) {
        input = trial.input();
        input.abc = pool.evaluated<C>(machine.arena, trial, pinned);
        note(pinned ? ": pinned a, b, c" : ": pageable a, b, c", trial.prove(*cuda, view, true, std::move(input)));
      }
      if constexpr (std::is_same_v<C, Bls12_381>) {
        if (form.basis == kBellperson.basis) {
          const FilteredKey filtered(trial.sample);
          note(": filtered key", trial.prove(*cuda, filtered.view, true, trial.input()));
        }
      }
    }
  }
  counts.note(std::string(C::name) + ": all memory is back", machine.used() == 0);
}

/// Rows x y = z over bits, so that few values are general.
template <class Fr> SatisfiedCircuit<Fr> circuit_of_bits(std::size_t rows, bool bits, std::mt19937_64& random) {
  const std::size_t num_variables = 2 + rows;
  std::vector<Fr> z = {Fr::one(), Fr::from_u64(3)};
  while (z.size() < num_variables) {
    const bool whole = !bits || random() % 64 == 0;
    z.push_back(whole ? uniform_element<Fr>(random) : Fr::from_u64(random() % 2));
  }
  r1cs::CircuitBuilder<Fr> builder(num_variables, 1);
  using Side = typename r1cs::CircuitBuilder<Fr>::Side;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto x = static_cast<r1cs::Wire>(2 + row);
    const auto y = static_cast<r1cs::Wire>(2 + random() % rows);
    builder.add_term(Side::a, x, Fr::one());
    builder.add_term(Side::b, y, Fr::one());
    builder.add_term(Side::b, 0, Fr::from_u64(5));
    builder.add_term(Side::c, 0, z[x] * (z[y] + Fr::from_u64(5)));
    builder.end_constraint();
  }
  return {std::move(builder).finish(), std::move(z)};
}

/// A key of its own and what it proves, for larger circuits than those of Case.
template <class C> struct Large {
  using Fr = typename C::Fr;
  SatisfiedCircuit<Fr> satisfied;
  std::shared_ptr<const r1cs::RowCircuit<Fr>> circuit;
  std::shared_ptr<const groth16::ProvingKey<C>> key;
  std::shared_ptr<const r1cs::Witness> witness;
  U256 r, s;

  Large(Arena& arena, std::size_t rows, bool bits, const KeyForm& form, std::mt19937_64& random)
      : satisfied(circuit_of_bits<Fr>(rows, bits, random)),
        circuit(std::make_shared<const r1cs::RowCircuit<Fr>>(satisfied.circuit)),
        key(std::make_shared<const groth16::ProvingKey<C>>(
            must(groth16::setup<C>(arena, *circuit, must(groth16::Trapdoor<Fr>::random()), form.basis, form.roots)))),
        witness(std::make_shared<const r1cs::Witness>(satisfied.values())),
        r(uniform_element<Fr>(random).canonical()),
        s(uniform_element<Fr>(random).canonical()) {}

  ProvingInput<C> input() const { return {.witness = witness, .blinding = Blinding<C>::fixed(r, s)}; }
};

template <class C> struct Loaded {
  std::shared_ptr<Backend<C>> on;
  std::shared_ptr<const backend::Key<C>> key;
  std::shared_ptr<const backend::Circuit<C>> circuit;

  static Result<Loaded> load(std::shared_ptr<Backend<C>> on, const Large<C>& large) {
    Loaded loaded{.on = std::move(on), .key = {}, .circuit = {}};
    CUZK_TRY(loaded.key, loaded.on->load_key(groth16::view_of(large.key)));
    CUZK_TRY(loaded.circuit, loaded.on->load_circuit(large.circuit));
    return loaded;
  }
  Result<Proof<C>> prove(ProvingInput<C> input) const {
    CUZK_TRY(auto ticket, on->prove_start(key, circuit, std::move(input)));
    return on->prove_finish(std::move(ticket));
  }
};

template <class C> Proof<C> cpu_proof(Arena& arena, const Large<C>& large) {
  const auto cpu = std::make_shared<backend::CpuBackend<C>>(arena);
  return must(must(Loaded<C>::load(cpu, large), "CPU").prove(large.input()), "CPU");
}

/// Both ways of a witness, several proofs at once, ends before their time.
template <class C> void check_large(Counts& counts, Machine& machine, std::mt19937_64& random) {
  for (const bool bits : {true, false}) {
    for (const KeyForm& form : {kSnarkjs, kBellperson}) {
      const std::string name = std::string(C::name) + " 30000 rows" + (bits ? " of bits" : " of any values");
      const Large<C> large(machine.arena, 30'000, bits, form, random);
      const auto expected = cpu_proof(machine.arena, large);
      {
        const auto loaded = must(Loaded<C>::load(of_curve<C>(machine.backends), large), "load");
        const std::uint64_t resident = machine.used();
        counts.note(name, same<C>(loaded.prove(large.input()), expected));
        std::atomic<unsigned> good = 0;
        {
          std::vector<std::jthread> provers;
          for (unsigned i = 0; i < 6; ++i) {
            provers.emplace_back([&, i] {
              for (unsigned round = 0; round < 3; ++round) {
                auto input = large.input();
                input.urgent = i % 2 == 0;
                if (const auto proof = loaded.prove(std::move(input)); same<C>(proof, expected)) ++good;
              }
            });
          }
        }
        counts.note(name + ": six at once", good == 18);
        static_cast<void>(must(loaded.on->prove_start(loaded.key, loaded.circuit, large.input()), "start"));
        counts.note(name + ": a dropped ticket gives its memory back", machine.used() == resident);
        std::stop_source stop;
        auto input = large.input();
        input.stop = stop.get_token();
        auto ticket = must(loaded.on->prove_start(loaded.key, loaded.circuit, std::move(input)), "start");
        stop.request_stop();
        const auto stopped = loaded.on->prove_finish(std::move(ticket));
        counts.note(name + ": stopped", !stopped && stopped.error().code() == Code::cancelled);
        counts.note(name + ": and again", same<C>(loaded.prove(large.input()), expected));
        counts.note(name + ": memory is that of key and circuit", machine.used() == resident);
      }
      counts.note(name + ": all memory is back", machine.used() == 0);
    }
  }
}

/// Every reservation fails once: the proof is the same, or there is none for want of memory.
template <class C> void check_faults(Counts& counts, Machine& machine, std::mt19937_64& random) {
  const Large<C> large(machine.arena, 3'000, true, kBellperson, random);
  const auto expected = cpu_proof(machine.arena, large);
  const std::string name = std::string(C::name) + " with reservation ";
  unsigned refused = 0, made = 0;
  for (std::uint64_t skip = 0;; ++skip) {
    const std::uint64_t failed = machine.faults->failed(memory::FaultSite::reserve);
    machine.faults->fail_next(memory::FaultSite::reserve, 1, skip);
    Result<Proof<C>> proof = fail(Code::internal, "");
    {
      const auto loaded = Loaded<C>::load(of_curve<C>(machine.backends), large);
      if (loaded) {
        proof = loaded->prove(large.input());
      } else {
        proof = fail(Code::exhausted, loaded.error().message());
      }
    }
    machine.faults->fail_next(memory::FaultSite::reserve, 0);
    const bool good = proof ? equal<C>(*proof, expected) : proof.error().code() == Code::exhausted;
    if (!good || machine.used() != 0) counts.note(name + std::to_string(skip) + " refused", false);
    ++(proof ? made : refused);
    if (machine.faults->failed(memory::FaultSite::reserve) == failed) break;
  }
  counts.note(name + "refused: " + std::to_string(refused) + " ends, " + std::to_string(made) + " proofs",
              refused > 5 && made > 0);
}

/// Which plans were seen, by their words.
struct SeenPlans {
  std::string all;
  bool have(std::string_view words) const { return all.find(words) != std::string::npos; }
};

/// A proof and what was given up for it.
template <class C>
Result<Proof<C>> prove_noting(const Loaded<C>& loaded, ProvingInput<C> input, SeenPlans& seen, std::string& given_up) {
  CUZK_TRY(auto ticket, loaded.on->prove_start(loaded.key, loaded.circuit, std::move(input)));
  given_up = ticket->given_up();
  seen.all += given_up + ";";
  return loaded.on->prove_finish(std::move(ticket));
}

/// In less memory than all sums at once take, and in less than any; the rows by the device and by the host.
template <class C>
void check_small_memory(Counts& counts, bool bits, const KeyForm& form, SeenPlans& seen, std::mt19937_64& random) {
  const std::size_t kRows = 200'000;
  Arena arena;
  const Large<C> large(arena, kRows, bits, form, random);
  const auto expected = cpu_proof(arena, large);
  unsigned made = 0, refused = 0, wrong = 0;
  for (const unsigned mib :
       {1500U, 900U, 600U, 450U, 350U, 300U, 250U, 220U, 200U, 180U, 160U, 140U, 120U, 100U, 80U, 60U, 30U}) {
    Machine machine(std::uint64_t{mib} << 20);
    for (const bool other_means : {false, true}) {
      auto input = large.input();
      input.other_means = other_means;
      std::string given_up;
      const auto proof = [&]() -> Result<Proof<C>> {
        CUZK_TRY(const auto loaded, Loaded<C>::load(of_curve<C>(machine.backends), large));
        return prove_noting<C>(loaded, std::move(input), seen, given_up);
      }();
      std::printf("  %u MiB: %s (%s)\n", mib, proof ? "proof" : proof.error().to_string().c_str(), given_up.c_str());
      if (proof) {
        ++(equal<C>(*proof, expected) ? made : wrong);
      } else {
        ++(proof.error().code() == Code::exhausted ? refused : wrong);
      }
    }
    if (machine.used() != 0) ++wrong;
  }
  counts.note(std::string(C::name) + " in little memory: " + std::to_string(made) + " proofs, " +
                  std::to_string(refused) + " refused",
              wrong == 0 && made >= 2 && refused >= 1);
}

/// A domain of 2^log in as much less than 8 GiB as it is less than 2^27, and in somewhat more, where the device has the
/// rows.
template <class C>
void check_proportion(Counts& counts, unsigned log, bool bits, const KeyForm& form, SeenPlans& seen,
                      std::mt19937_64& random) {
  Arena arena;
  const Large<C> large(arena, (std::size_t{1} << log) - 2, bits, form, random);
  const auto inputs = large.witness->public_inputs(large.key->num_public());
  const groth16::PreparedVerifyingKey<C> verifying_key(large.key->vk);
  const std::uint64_t mib = (std::uint64_t{8} << 10) >> (27 - log);
  for (const std::uint64_t size : {mib, mib + mib * 5 / 8}) {
    Machine machine(size << 20);
    std::string given_up;
    const auto begin = std::chrono::steady_clock::now();
    const auto proof = [&]() -> Result<Proof<C>> {
      CUZK_TRY(const auto loaded, Loaded<C>::load(of_curve<C>(machine.backends), large));
      return prove_noting<C>(loaded, large.input(), seen, given_up);
    }();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    std::printf("  2^%u in %llu MiB: %.1f ms with the load (%s)\n", log, static_cast<unsigned long long>(size), ms,
                proof ? given_up.c_str() : proof.error().to_string().c_str());
    counts.note(std::string(C::name) + " 2^" + std::to_string(log) + (bits ? " of bits" : " of any values") + " in " +
                    std::to_string(size) + " MiB, with one vector, verifies",
                proof && given_up.find("one vector") != std::string::npos &&
                    groth16::verify(arena, verifying_key, inputs, *proof));
  }
}

/// A key that was loaded beside another takes its place when that has gone, and never under a proof.
template <class C> void check_promotion(Counts& counts, const KeyForm& form, std::mt19937_64& random) {
  Arena arena;
  const Large<C> other(arena, 100'000, true, form, random), large(arena, 100'000, true, form, random);
  const auto expected = cpu_proof(arena, large);
  const std::string name = std::string(C::name) + " a key beside another: ";
  for (unsigned mib = 400; mib > 100; mib -= 8) {
    Machine machine(std::uint64_t{mib} << 20);
    auto before = Loaded<C>::load(of_curve<C>(machine.backends), other);
    if (!before) continue;
    const auto loaded = Loaded<C>::load(of_curve<C>(machine.backends), large);
    if (!loaded) continue;
    SeenPlans seen;
    std::string at_first, then;
    auto ticket = loaded->on->prove_start(loaded->key, loaded->circuit, large.input());
    if (!ticket) continue;
    at_first = (*ticket)->given_up();
    if (at_first.find("streamed") == std::string::npos) continue;
    before = fail(Code::cancelled, "gone");
    Result<Proof<C>> beside = fail(Code::internal, "");
    std::jthread proving([&] { beside = loaded->prove(large.input()); });  // moves the points, and waits for memory
    const auto under = loaded->on->prove_finish(*std::move(ticket));
    proving.join();
    const auto next = loaded->prove(large.input());  // what had no room beside a proof moves now
    const auto after = prove_noting<C>(*loaded, large.input(), seen, then);
    std::printf("  %u MiB: %s, then %s\n", mib, at_first.c_str(), then.c_str());
    counts.note(name + "all proofs are those of the CPU", same<C>(under, expected) && same<C>(beside, expected) &&
                                                              same<C>(next, expected) && same<C>(after, expected));
    counts.note(name + "it is resident when that has gone", !seen.have("streamed"));
    counts.note(name + "nothing of it is left with the host", loaded->key->host_bytes().value_or(1) < (1 << 20));
    return;
  }
  counts.note(name + "no size at which a part stays with the host", false);
}

/// Points that are decoded for the host, and only those of dense variables.
inline void check_filtered_in_little(Counts& counts, Machine& large_machine, std::mt19937_64& random) {
  using C = Bls12_381;
  const Trial<C> trial(large_machine.arena, {60'000, 5, 50'000}, kBellperson, random);
  const auto expected = trial.expected(large_machine.arena);
  const FilteredKey filtered(trial.sample);
  unsigned made = 0, streamed = 0, wrong = 0;
  for (const unsigned mib : {400U, 250U, 200U, 170U, 150U, 130U, 110U, 90U}) {
    Machine machine(std::uint64_t{mib} << 20);
    const auto proof = trial.prove(*machine.backends.bls12_381, filtered.view, true, trial.input());
    const auto key = machine.backends.bls12_381->load_key(filtered.view);
    if (key && (*key)->host_bytes().value_or(0) > 0) ++streamed;
    if (proof) ++(equal<C>(*proof, expected) ? made : wrong);
    if (!proof && proof.error().code() != Code::exhausted) ++wrong;
  }
  counts.note("a filtered key in little memory: " + std::to_string(made) + " proofs, " + std::to_string(streamed) +
                  " with decoded points on the host",
              wrong == 0 && made > 2 && streamed > 1);
}

template <class C> void check_steady(Counts& counts, Machine& machine, std::mt19937_64& random) {
  const Large<C> large(machine.arena, 8'000, true, kSnarkjs, random);
  const auto expected = cpu_proof(machine.arena, large);
  const auto loaded = must(Loaded<C>::load(of_curve<C>(machine.backends), large), "load");
  std::uint64_t free_before = 0, used_before = 0;
  unsigned good = 0;
  const auto driver_free = [] {
    std::size_t free = 0, total = 0;
    must(cudaMemGetInfo(&free, &total), "memory");
    return std::uint64_t{free};
  };
  for (unsigned i = 0; i < 200; ++i) {
    if (i == 5) {
      free_before = driver_free();
      used_before = machine.used();
    }
    if (same<C>(loaded.prove(large.input()), expected)) ++good;
  }
  const std::uint64_t free_after = driver_free();
  const bool flat = free_after + (1 << 20) >= free_before && machine.used() == used_before;
  counts.note(std::string(C::name) + ": 200 proofs, the device's memory stays", good == 200 && flat);
}

/// A proof and what the device's clock tells of it.
template <class C> struct Timed {
  Result<Proof<C>> proof = fail(Code::internal, "");
  std::shared_ptr<const DeviceTimes> times;
  backend::Moved moved;
  std::string given_up;
  std::uint64_t begin_ns = 0, end_ns = 0;  // of the host's calls

  Timed(const Loaded<C>& loaded, ProvingInput<C> input) : begin_ns(monotonic_ns()) {
    auto ticket = must(loaded.on->prove_start(loaded.key, loaded.circuit, std::move(input)), "start");
    times = ticket->times();
    moved = ticket->moved();
    given_up = ticket->given_up();
    proof = loaded.on->prove_finish(std::move(ticket));
    end_ns = monotonic_ns();
  }

  /// Exactly these, each within the calls (a millisecond is left for the clocks), and the later spans of a phase later.
  bool has(std::initializer_list<DevicePhase> phases) const {
    constexpr std::uint64_t kClocks = 1'000'000;
    std::array<std::uint64_t, backend::kDevicePhases> ends{};
    bool good = true;
    for (const DeviceTimes::Span& span : times->spans) {
      std::uint64_t& end = ends[static_cast<std::size_t>(span.phase)];
      good = good && span.begin_ns + kClocks >= begin_ns && span.begin_ns >= end && span.end_ns > span.begin_ns &&
             span.end_ns <= end_ns + kClocks;
      end = span.end_ns;
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const bool wanted = std::find(phases.begin(), phases.end(), static_cast<DevicePhase>(i)) != phases.end();
      if (wanted == (ends[i] != 0)) continue;
      std::printf("  phase %s is %s\n", to_string(static_cast<DevicePhase>(i)), wanted ? "missing" : "there");
      good = false;
    }
    return good;
  }
  /// All that was moved went these ways.
  bool went(std::initializer_list<Way> ways) const {
    std::uint64_t bytes = 0;
    for (const Way way : ways) {
      if (times->bytes_by(way) == 0) return false;
      bytes += times->bytes_by(way);
    }
    return bytes == moved.pinned_bytes + moved.pageable_bytes;
  }
};

/// The device's clock tells of each phase that a proof has, by each way of its input.
template <class C> void check_times(Counts& counts, Machine& machine, const Pool& pool, std::mt19937_64& random) {
  for (const bool bits : {true, false}) {
    const std::string name = std::string(C::name) + (bits ? ": times, bits" : ": times, any values");
    const Large<C> large(machine.arena, 30'000, bits, kBellperson, random);
    const auto expected = cpu_proof(machine.arena, large);
    const auto loaded = must(Loaded<C>::load(of_curve<C>(machine.backends), large), "load");
    const Way witness = bits ? Way::packed_witness : Way::plain_witness;
    const auto note = [&](const char* way, const Timed<C>& timed, bool on_host, std::initializer_list<Way> ways) {
      using enum DevicePhase;
      const DevicePhase rows = on_host ? h2d_abc : evaluate;
      const bool good = timed.has({h2d_witness, split, rows, ntt, msm_h, subset_sums, msm_general, msm_b_g2, finish});
      counts.note(name + way, same<C>(timed.proof, expected) && good && timed.went(ways));
    };
    note(", circuit", Timed<C>(loaded, large.input()), false, {witness});
    auto input = large.input();
    input.other_means = true;
    note(", other means", Timed<C>(loaded, std::move(input)), true, {witness, Way::pageable_abc});
    for (const bool pinned : {true, false}) {
      input = large.input();
      input.abc = pool.evaluated(machine.arena, *large.circuit, *large.witness, pinned);
      note(pinned ? ", pinned a, b, c" : ", pageable a, b, c", Timed<C>(loaded, std::move(input)), true,
           {witness, pinned ? Way::pinned_abc : Way::pageable_abc});
    }
  }
}

/// Of the parts of a key that a plan streams.
template <class C> std::uint64_t streamed_bytes(const groth16::ProvingKey<C>& key, const std::string& given_up) {
  const std::string queries = given_up.substr(std::min(given_up.find("streamed"), given_up.size())) + " ";
  const auto has = [&](const char* name) { return queries.find(" " + std::string(name) + " ") != std::string::npos; };
  const auto finite = [](const auto& points) {
    const auto identities = std::ranges::count_if(points, [](const auto& point) { return point.is_identity(); });
    return (points.size() - static_cast<std::size_t>(identities)) * sizeof(points[0]);
  };
  return (has("a") ? finite(key.a) : 0) + (has("b_g1") ? finite(key.b_g1) : 0) + (has("b_g2") ? finite(key.b_g2) : 0) +
         (has("l") ? key.l.size() * sizeof(key.l[0]) : 0) + (has("h") ? key.h.size() * sizeof(key.h[0]) : 0);
}

/// What of a key stays with the host crosses for a proof once, and the device's clock tells how long that takes.
template <class C> void check_key_crossing(Counts& counts, const KeyForm& form, std::mt19937_64& random) {
  Arena arena;
  const Large<C> large(arena, 100'000, true, form, random);
  bool good = true;
  unsigned whole = 0, in_part = 0;
  for (unsigned mib = 160; mib >= 56; mib -= 8) {
    Machine machine(std::uint64_t{mib} << 20);
    const auto loaded = Loaded<C>::load(of_curve<C>(machine.backends), large);
    if (!loaded || !loaded->prove(large.input())) break;  // too little for any plan
    const Timed<C> timed(*loaded, large.input());
    const std::uint64_t bytes = streamed_bytes<C>(*large.key, timed.given_up);
    const bool rows_of_host = timed.times->ns(DevicePhase::evaluate) == 0;
    std::printf("  %u MiB: %llu bytes of the key cross in %.2f ms (%s)\n", mib, static_cast<unsigned long long>(bytes),
                static_cast<double>(timed.times->ns(DevicePhase::h2d_key)) * 1e-6, timed.given_up.c_str());
    using enum DevicePhase;
    good = good && timed.proof && timed.times->bytes_by(Way::key) == bytes;
    if (bytes == 0) continue;
    ++(timed.given_up.ends_with("streamed a b_g1 b_g2 l h") ? whole : in_part);
    good = good && timed.has({h2d_witness, h2d_key, split, rows_of_host ? h2d_abc : evaluate, ntt, msm_h, subset_sums,
                              msm_general, msm_b_g2, finish});
  }
  const std::string name = std::string(C::name) + ": ";
  counts.note(name + "bytes and time of a key that crosses", good);
  counts.note(name + "a key crossed in part, and whole", in_part > 0 && whole > 0);
}

/// A kernel that reads where nothing is: nothing can be computed on the device any more, and all say so. The last check
/// of a process.
template <class C> void check_sick_device(Counts& counts, std::mt19937_64& random) {
  Machine machine(std::uint64_t{1} << 30);
  const Large<C> large(machine.arena, 3'000, true, kBellperson, random);
  const auto& on = of_curve<C>(machine.backends);
  {
    const auto loaded = must(Loaded<C>::load(on, large), "load");
    counts.note("a device that is well says so", on->health().has_value());
    auto ticket = must(on->prove_start(loaded.key, loaded.circuit, large.input()), "start");
    const Stream stream = must(Stream::create(), "stream");
    auto* const nowhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 20);
    must(cuda::reverse_order(stream, {nowhere, 32 << 10}, 32, 10), "kernel");
    const Status broken = stream.wait();
    counts.note("a kernel that fails is an error of the device", !broken && broken.error().code() == Code::device);
    const Status health = on->health();
    counts.note("the device says that it is ill", !health && health.error().code() == Code::device);
    const auto finished = on->prove_finish(std::move(ticket));
    counts.note("a proof on its way ends", !finished && finished.error().code() == Code::device);
    const auto started = on->prove_start(loaded.key, loaded.circuit, large.input());
    counts.note("another does not begin", !started && started.error().code() == Code::device);
  }
  counts.note("all memory is back", machine.used() == 0);
}

// Figures.

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Waits for a proof on a thread of its own, as the engine does: where a device has no room for two, the start of the
/// next one waits for its end.
template <class C, class Finish> auto finishing(std::unique_ptr<backend::Ticket<C>> ticket, const Finish& finish) {
  return std::async(std::launch::async,
                    [&finish, ticket = std::move(ticket)]() mutable { return finish(std::move(ticket)); });
}

/// Each of so many proofs, the next one started before the last one has ended.
template <class C, class Start>
double ms_of_queue(Backend<C>& on, unsigned proofs, const Start& start, backend::BusyTime* busy = nullptr) {
  const auto finish = [&](auto ticket) {
    const auto times = ticket->times();
    static_cast<void>(must(on.prove_finish(std::move(ticket)), "finish"));
    return times;
  };
  const auto note = [&](const std::shared_ptr<const DeviceTimes>& times) {
    if (busy != nullptr) busy->add(*times);
  };
  const auto begin = std::chrono::steady_clock::now();
  auto last = finishing<C>(start(), finish);
  for (unsigned i = 1; i < proofs; ++i) {
    auto next = finishing<C>(start(), finish);
    note(last.get());
    last = std::move(next);
  }
  note(last.get());
  return ms_since(begin) / proofs;
}

template <class T> T median(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Of phases that a proof with everything resident has.
void print_phases(const std::string& key, const DeviceTimes& times) {
  for (std::size_t i = 0; i < backend::kDevicePhases; ++i) {
    const auto phase = static_cast<DevicePhase>(i);
    if (times.ns(phase) == 0) continue;
    std::printf("  \"%s_%s_ms\": %.3f,\n", key.c_str(), to_string(phase), static_cast<double>(times.ns(phase)) * 1e-6);
  }
}

/// All cores but one move memory, until it ends.
class BusyCores {
 public:
  BusyCores() {
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) {
      threads_.emplace_back([](const std::stop_token& stop) {
        std::vector<std::byte> from(std::size_t{64} << 20), to(from.size());
        while (!stop.stop_requested()) std::copy(from.begin(), from.end(), to.begin());
      });
    }
  }

 private:
  std::vector<std::jthread> threads_;
};

double gbps(std::uint64_t bytes, double ms) { return static_cast<double>(bytes) / ms * 1e-6; }

/// Memory that the driver copies from, and where to: what our ways are held against.
class PlainCopy {
 public:
  PlainCopy(std::size_t bytes, bool pinned)
      : bytes_(bytes), pinned_(pinned), to_(must(DeviceBuffer::create(bytes), "memory")) {
    if (pinned) {
      must(cudaMallocHost(&from_, bytes), "memory");
    } else {
      from_ = std::malloc(bytes);
    }
    std::memset(from_, 1, bytes);
  }
  PlainCopy(const PlainCopy&) = delete;
  PlainCopy& operator=(const PlainCopy&) = delete;
  ~PlainCopy() { pinned_ ? must(cudaFreeHost(from_), "memory") : std::free(from_); }

  double rate(unsigned runs) const {
    const double ms = median_ms(stream_, runs, [&] {
      must(cudaMemcpyAsync(to_.as<std::byte>().data, from_, bytes_, cudaMemcpyHostToDevice, stream_.get()), "copy");
    });
    return gbps(bytes_, ms);
  }

 private:
  std::size_t bytes_;
  bool pinned_;
  DeviceBuffer to_;
  Stream stream_ = must(Stream::create(true), "stream");
  void* from_ = nullptr;
};

/// Chunks of the pool, one after the other, with nothing else on the device.
double pool_gbps(const memory::HostBuffer& buffer) {
  const DeviceBuffer to = must(DeviceBuffer::create(buffer.chunk(0).size()), "memory");
  const Stream stream = must(Stream::create(true), "stream");
  const double ms = median_ms(stream, 7, [&] {
    for (std::size_t i = 0; i < buffer.chunk_count(); ++i) {
      const Bytes chunk = buffer.chunk(i);
      must(cudaMemcpyAsync(to.as<std::byte>().data, chunk.data(), chunk.size(), cudaMemcpyHostToDevice, stream.get()),
           "copy");
    }
  });
  return gbps(buffer.size(), ms);
}

/// The driver's copy while a proof's kernels run.
template <class C> double plain_beside_gbps(const PlainCopy& plain, const Loaded<C>& loaded, const Large<C>& large) {
  auto ticket = must(loaded.on->prove_start(loaded.key, loaded.circuit, large.input()), "start");
  const double rate = plain.rate(3);
  static_cast<void>(must(loaded.on->prove_finish(std::move(ticket)), "finish"));
  return rate;
}

/// How fast a, b and c of a proof cross, by the device's clock.
template <class C>
double abc_gbps(Machine& machine, const Pool& pool, const Loaded<C>& loaded, const Large<C>& large, bool pinned) {
  std::vector<double> rates;
  for (unsigned i = 0; i < 7; ++i) {
    auto input = large.input();
    input.abc = pool.evaluated(machine.arena, *large.circuit, *large.witness, pinned);
    const Timed<C> timed(loaded, std::move(input));
    rates.push_back(gbps(timed.times->bytes_by(pinned ? Way::pinned_abc : Way::pageable_abc),
                         static_cast<double>(timed.times->ns(DevicePhase::h2d_abc)) * 1e-6));
  }
  return median(rates);
}

constexpr unsigned kCrossingLog = 22;  // the largest: 400 MB cross

template <class C> void time_crossings(Machine& machine, const Loaded<C>& loaded, const Large<C>& large) {
  const Pool pool{memory::PoolOptions()};
  auto abc = pool.evaluated(machine.arena, *large.circuit, *large.witness, true);
  const std::size_t bytes = abc.buffer().size();
  const PlainCopy pinned(bytes, true), pageable(bytes, false);
  const auto time_all = [&](const std::string& cores) {
    const auto print = [&](const char* key, double rate) {
      std::printf("  \"h2d_%s%s_gbps\": %.2f,\n", key, cores.c_str(), rate);
    };
    print("plain_pinned", pinned.rate(7));
    print("pinned", pool_gbps(abc.buffer()));
    print("plain_pinned_beside_kernels", plain_beside_gbps(pinned, loaded, large));
    print("pinned_beside_kernels", abc_gbps(machine, pool, loaded, large, true));
    print("plain_pageable", pageable.rate(7));
    print("pageable", abc_gbps(machine, pool, loaded, large, false));
  };
  std::printf("  \"h2d_bytes\": %zu,\n", bytes);
  time_all("");
  const BusyCores busy;
  time_all("_busy_cpu");
}

template <class C>
void time_proofs(Counts& counts, Machine& machine, const std::string& key, unsigned log, bool bits, unsigned runs,
                 const KeyForm& form, std::mt19937_64& random, bool queue_alone = false) {
  const auto begin_setup = std::chrono::steady_clock::now();
  const Large<C> large(machine.arena, (std::size_t{1} << log) - 2, bits, form, random);
  std::printf("  \"%s_setup_s\": %.1f,\n", key.c_str(), ms_since(begin_setup) / 1000);
  const auto begin_load = std::chrono::steady_clock::now();
  const auto loaded = must(Loaded<C>::load(of_curve<C>(machine.backends), large), "load");
  std::printf("  \"%s_load_ms\": %.1f,\n", key.c_str(), ms_since(begin_load));
  std::vector<double> starts, all;
  std::shared_ptr<const DeviceTimes> times;
  Result<Proof<C>> proof = fail(Code::internal, "");
  for (unsigned i = 0; i <= runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    auto ticket = must(loaded.on->prove_start(loaded.key, loaded.circuit, large.input()), "start");
    starts.push_back(ms_since(begin));
    times = ticket->times();
    proof = loaded.on->prove_finish(std::move(ticket));
    all.push_back(ms_since(begin));
  }
  std::printf("  \"%s_first_ms\": %.2f,\n", key.c_str(), all.front());
  if (all.size() >= 10) {
    std::printf("  \"%s_first_over_tenth\": %.3f,\n", key.c_str(), all.front() / all[9]);
  }
  print_phases(key, *times);
  std::sort(starts.begin(), starts.end());
  std::sort(all.begin(), all.end());
  std::printf("  \"%s_start_ms\": %.2f,\n  \"%s_ms\": %.2f,\n", key.c_str(), starts[starts.size() / 2], key.c_str(),
              all[all.size() / 2]);
  const auto start = [&] { return must(loaded.on->prove_start(loaded.key, loaded.circuit, large.input()), "start"); };
  backend::BusyTime busy;
  const std::uint64_t begin_queue = monotonic_ns();
  std::printf("  \"%s_of_twenty_ms\": %.2f,\n", key.c_str(), ms_of_queue<C>(*loaded.on, 20, start, &busy));
  std::printf("  \"%s_device_busy_share\": %.4f,\n", key.c_str(), busy.share().value_or(0));
  if (queue_alone) {
    std::printf("  \"queue_begin_ns\": %llu,\n  \"queue_end_ns\": %llu,\n",
                static_cast<unsigned long long>(begin_queue), static_cast<unsigned long long>(monotonic_ns()));
  }
  const auto inputs = large.witness->public_inputs(large.key->num_public());
  counts.note(key + " verifies",
              proof && groth16::verify(machine.arena, groth16::PreparedVerifyingKey<C>(large.key->vk), inputs, *proof));
  if (log == kCrossingLog && std::is_same_v<C, Bls12_381> && !queue_alone) time_crossings<C>(machine, loaded, large);
}

void time_all(Counts& counts, std::mt19937_64& random) {
  Machine machine(std::uint64_t{100} << 30);
  std::printf("{\n");
  for (const unsigned log : {16U, 18U, 20U, kCrossingLog}) {
    const std::string size = "2p" + std::to_string(log);
    time_proofs<Bn254>(counts, machine, "proof_bn254_" + size, log, false, 9, kSnarkjs, random);
    time_proofs<Bls12_381>(counts, machine, "proof_bls12_381_bits_" + size, log, true, 9, kBellperson, random);
  }
  std::printf("  \"failed\": %u\n}\n", counts.failed);
}

/// A partition in a domain of full size: key made on the device, its circuit, what it proves.
class Partition {
 public:
  using C = Bls12_381;
  using Fr = C::Fr;

  /// in_memory: part of the figures' names.
  Partition(Machine& machine, PartitionCircuit::Kind kind, unsigned log, bool figures, std::mt19937_64& random,
            const std::string& in_memory = "")
      : machine_(machine),
        figures_(figures),
        name_(std::string("partition_") + (kind == PartitionCircuit::Kind::porep ? "" : "window_") + "2p" +
              std::to_string(log) + in_memory),
        parts_(kind, log, random),
        circuit_(parts_.circuit()),
        r_(uniform_element<Fr>(random).canonical()),
        s_(uniform_element<Fr>(random).canonical()) {
    auto begin = std::chrono::steady_clock::now();
    witness_ = parts_.witness(machine.arena, random());
    tell(name_ + "_witness_s", ms_since(begin) / 1000);
    const auto key = std::make_shared<FilteredCollector<C>>(machine.arena);
    const std::string setup = std::string("key_setup_") + (kind == PartitionCircuit::Kind::porep ? "porep" : "window") +
                              "_2p" + std::to_string(log);
    begin = std::chrono::steady_clock::now();
    make_key(*key);
    tell(setup + "_s", ms_since(begin) / 1000);
    tell(setup + "_gb", static_cast<double>(key->bytes()) / 1e9);
    auto view = key->view();
    view.owner = key;
    vk_ = view.vk;
    begin = std::chrono::steady_clock::now();
    key_ = must(machine.backends.bls12_381->load_key(view), "key");
    tell(name_ + "_key_load_s", ms_since(begin) / 1000);
    circuit_on_device_ = must(machine.backends.bls12_381->load_circuit(circuit_), "circuit");
    tell(name_ + "_load_s", ms_since(begin) / 1000);
    tell(name_ + "_device_gb", static_cast<double>(machine.used()) / 1e9);
  }

  static constexpr unsigned kProofs = 6;

  const std::string& name() const { return name_; }
  std::unique_ptr<backend::Ticket<C>> start() const {
    return must(machine_.backends.bls12_381->prove_start(key_, circuit_on_device_,
                                                         {.witness = witness_, .blinding = Blinding<C>::fixed(r_, s_)}),
                "start");
  }
  Proof<C> finish(std::unique_ptr<backend::Ticket<C>> ticket) const {
    return must(machine_.backends.bls12_381->prove_finish(std::move(ticket)), "finish");
  }
  bool verifies(const Proof<C>& proof) const {
    const auto inputs = witness_->public_inputs(circuit_->num_public());
    return groth16::verify(machine_.arena, groth16::PreparedVerifyingKey<C>(vk_), inputs, proof).has_value();
  }
  void time(Counts& counts, unsigned proofs) const {
    std::vector<double> starts, all;
    std::shared_ptr<const backend::DeviceTimes> times;
    const std::uint64_t resident = machine_.used();
    std::uint64_t working = 0;
    for (unsigned i = 0; i < proofs; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      auto ticket = start();
      starts.push_back(ms_since(begin));
      times = ticket->times();
      working = machine_.used() - resident;
      if (i == 0) std::printf("  \"%s_plan\": \"%s\",\n", name_.c_str(), ticket->given_up().c_str());
      const auto proof = finish(std::move(ticket));
      all.push_back(ms_since(begin));
      counts.note(name_ + " verifies", verifies(proof));
    }
    for (std::size_t i = 0; i < backend::kDevicePhases; ++i) {  // of the last one; phases overlap
      const auto phase = static_cast<backend::DevicePhase>(i);
      tell(name_ + "_phase_" + to_string(phase) + "_ms", static_cast<double>(times->ns(phase)) * 1e-6);
    }
    for (const auto way : {Way::plain_witness, Way::packed_witness, Way::key}) {
      if (times->bytes_by(way) == 0) continue;
      tell(name_ + "_" + std::string(to_string(way)) + "_gbps",
           gbps(times->bytes_by(way), static_cast<double>(times->ns(phase_of(way))) * 1e-6));
    }
    tell(name_ + "_working_gb", static_cast<double>(working) / 1e9);
    tell(name_ + "_first_ms", all.front());
    std::sort(starts.begin(), starts.end());
    std::sort(all.begin(), all.end());
    tell(name_ + "_start_ms", starts[starts.size() / 2]);
    tell(name_ + "_ms", all[all.size() / 2]);
    if (proofs < kProofs) return;
    tell(name_ + "_of_seven_ms", ms_of_queue<C>(*machine_.backends.bls12_381, 7, [&] { return start(); }));
  }

 private:
  void make_key(FilteredCollector<C>& key) const {
    const auto device = must(backend::cuda_devices(), "devices").front();
    const auto multiples = must(backend::open_cuda_multiples<C>(machine_.arena, device), "multiples");
    must(groth16::setup<C>(machine_.arena, *circuit_, must(groth16::Trapdoor<Fr>::random()), kBellperson.basis,
                           kBellperson.roots, key, {}, multiples.get()),
         "setup");
  }

  void tell(const std::string& key, double value) const {
    if (figures_) figure(key, value);
  }

  Machine& machine_;
  bool figures_;
  std::string name_;
  PartitionCircuit parts_;
  std::shared_ptr<const r1cs::BlockCircuit<Fr>> circuit_;
  U256 r_, s_;
  std::shared_ptr<const r1cs::Witness> witness_;
  groth16::VerifyingKey<C> vk_;
  std::shared_ptr<const backend::Key<C>> key_;
  std::shared_ptr<const backend::Circuit<C>> circuit_on_device_;
};

/// Both keys on one device: one proof of each in turn, started before the last one has ended.
void time_both(Counts& counts, const Partition& porep, const Partition& window) {
  using C = Partition::C;
  constexpr unsigned kPairs = 3;
  const auto of_porep = [&](auto ticket) { return porep.finish(std::move(ticket)); };
  const auto of_window = [&](auto ticket) { return window.finish(std::move(ticket)); };
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < kPairs; ++i) {
    auto first = finishing<C>(porep.start(), of_porep);
    auto second = finishing<C>(window.start(), of_window);
    counts.note(porep.name() + " beside a window verifies", porep.verifies(first.get()));
    counts.note(window.name() + " beside a porep verifies", window.verifies(second.get()));
  }
  figure(porep.name() + "_and_window_ms", ms_since(begin) / kPairs);
}

/// `kinds`: porep, window, each alone; both: a window's, then a porep's beside it, then both by turns. None: each
/// alone. `--memory SIZE` among them: so much of the device.
int time_partitions(unsigned log, std::vector<std::string> kinds) {
  std::mt19937_64 random(run_seed());
  Counts counts;
  std::uint64_t bytes = std::uint64_t{136} << 30;
  std::string in_memory;
  if (kinds.size() >= 2 && kinds[0] == "--memory") {
    bytes = must(memory::parse_memory_size(kinds[1]), "--memory");
    in_memory = "_in_" + std::to_string(bytes >> 20) + "mib";
    kinds.erase(kinds.begin(), kinds.begin() + 2);
  }
  const auto has = [&](const char* kind) {
    return (kinds.empty() && std::string_view(kind) != "both") ||
           std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  Machine machine(bytes);
  const auto make = [&](std::optional<Partition>& partition, PartitionCircuit::Kind kind) {
    partition.emplace(machine, kind, log, true, random, in_memory)
        .time(counts, in_memory.empty() ? Partition::kProofs : 2);
  };
  std::optional<Partition> porep, window;
  std::printf("{\n");
  if (has("porep")) make(porep, PartitionCircuit::Kind::porep);
  porep.reset();
  if (has("window") || has("both")) make(window, PartitionCircuit::Kind::window);
  if (has("both")) {
    make(porep, PartitionCircuit::Kind::porep);
    time_both(counts, *porep, *window);
  }
  std::printf("  \"failed\": %u\n}\n%u passed, %u failed\n", counts.failed, counts.passed, counts.failed);
  return counts.failed == 0 ? 0 : 1;
}

int in_little(unsigned log) {
  std::mt19937_64 random(run_seed());
  Counts counts;
  SeenPlans seen;
  check_proportion<Bls12_381>(counts, log, true, kBellperson, seen, random);
  check_proportion<Bls12_381>(counts, log, false, kBellperson, seen, random);
  return counts.failed == 0 ? 0 : 1;
}

int profile(unsigned log) {
  std::mt19937_64 random(run_seed());
  Counts counts;
  Machine machine(std::uint64_t{100} << 30);
  time_proofs<Bn254>(counts, machine, "proof", log, false, 1, kSnarkjs, random);
  return counts.failed == 0 ? 0 : 1;
}

/// The same key bytes as the CPU makes from the same trapdoor, and a circuit of the large ones' kind that is proved.
template <class C> void check_setup(Counts& counts, Machine& machine, std::mt19937_64& random) {
  using Fr = typename C::Fr;
  const auto satisfied = circuit_of_bits<Fr>(5'000, false, random);
  const auto trapdoor = must(groth16::Trapdoor<Fr>::random());
  const auto multiples = must(
      backend::open_cuda_multiples<C>(machine.arena, must(backend::cuda_devices(), "devices").front()), "multiples");
  for (const KeyForm& form : {kSnarkjs, kBellperson}) {
    const auto made = [&](groth16::GeneratorMultiples<C>* by) {
      return must(groth16::setup<C>(machine.arena, satisfied.circuit, trapdoor, form.basis, form.roots, {}, by));
    };
    const auto on_cpu = made(nullptr), on_device = made(multiples.get());
    const bool same = on_cpu.a == on_device.a && on_cpu.b_g1 == on_device.b_g1 && on_cpu.b_g2 == on_device.b_g2 &&
                      on_cpu.l == on_device.l && on_cpu.h == on_device.h && on_cpu.vk.ic == on_device.vk.ic;
    counts.note(std::string(C::name) + " key of the device is the CPU's", same);
  }
}

void check_partition_circuits(Counts& counts, Machine& machine, std::mt19937_64& random) {
  for (const auto kind : {PartitionCircuit::Kind::porep, PartitionCircuit::Kind::window}) {
    const Partition partition(machine, kind, 17, false, random);
    counts.note(partition.name() + " verifies", partition.verifies(partition.finish(partition.start())));
  }
}

/// What cuzk selftest does.
template <class C> void check_known_answer(Counts& counts, Machine& machine) {
  const auto answer = must(backend::KnownAnswer<C>::create(machine.arena), "known answer");
  const Status checked = answer.check(*of_curve<C>(machine.backends));
  if (!checked) std::printf("  %s\n", checked.error().to_string().c_str());
  counts.note(std::string(C::name) + " known answer", checked.has_value());
}

int queue(unsigned log) {
  std::mt19937_64 random(run_seed());
  Counts counts;
  Machine machine(std::uint64_t{100} << 30);
  time_proofs<Bls12_381>(counts, machine, "fresh_proof_bls12_381_bits_2p" + std::to_string(log), log, true, 9,
                         kBellperson, random, true);
  return counts.failed == 0 ? 0 : 1;
}

int times_alone() {
  std::mt19937_64 random(run_seed());
  Counts counts;
  {
    Machine machine(std::uint64_t{4} << 30);
    const Pool pool;
    check_times<Bn254>(counts, machine, pool, random);
    check_times<Bls12_381>(counts, machine, pool, random);
  }
  time_all(counts, random);
  std::printf("%u passed, %u failed\n", counts.passed, counts.failed);
  return counts.failed == 0 ? 0 : 1;
}

int run(bool figures) {
  const auto devices = backend::cuda_devices();
  if (!devices) {
    std::printf("%s\n", devices.error().to_string().c_str());
    return 1;
  }
  for (const auto& device : *devices) std::printf("%s %s\n", device.name.c_str(), device.uuid.c_str());
  std::mt19937_64 random(run_seed());
  Counts counts;
  {
    Machine machine(std::uint64_t{4} << 30);
    const Pool pool;
    check_known_answer<Bn254>(counts, machine);
    check_known_answer<Bls12_381>(counts, machine);
    check_setup<Bn254>(counts, machine, random);
    check_setup<Bls12_381>(counts, machine, random);
    check_partition_circuits(counts, machine, random);
    check_ways<Bn254>(counts, machine, pool, random);
    check_ways<Bls12_381>(counts, machine, pool, random);
    check_large<Bn254>(counts, machine, random);
    check_large<Bls12_381>(counts, machine, random);
    check_faults<Bn254>(counts, machine, random);
    check_faults<Bls12_381>(counts, machine, random);
    check_times<Bn254>(counts, machine, pool, random);
    check_times<Bls12_381>(counts, machine, pool, random);
    check_steady<Bn254>(counts, machine, random);
    check_steady<Bls12_381>(counts, machine, random);
  }
  SeenPlans seen;
  check_small_memory<Bn254>(counts, false, kBellperson, seen, random);
  check_small_memory<Bn254>(counts, true, kSnarkjs, seen, random);
  check_small_memory<Bls12_381>(counts, false, kSnarkjs, seen, random);
  check_small_memory<Bls12_381>(counts, true, kBellperson, seen, random);
  check_proportion<Bn254>(counts, 22, true, kBellperson, seen, random);
  check_proportion<Bn254>(counts, 22, false, kSnarkjs, seen, random);
  for (const char* const words :
       {"two vectors", "one vector", "sums in turn", "pieces of", "streamed l h", "streamed a b_g1 b_g2 l h"}) {
    counts.note("a plan with " + std::string(words) + " was seen", seen.have(words));
  }
  check_key_crossing<Bn254>(counts, kSnarkjs, random);
  check_key_crossing<Bls12_381>(counts, kBellperson, random);
  check_promotion<Bn254>(counts, kSnarkjs, random);
  check_promotion<Bls12_381>(counts, kBellperson, random);
  {
    Machine machine(std::uint64_t{1} << 30);
    check_filtered_in_little(counts, machine, random);
  }
  if (figures) time_all(counts, random);
  check_sick_device<Bn254>(counts, random);
  std::printf("%u passed, %u failed\n", counts.passed, counts.failed);
  return counts.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cuzk::test

int main(int argc, char** argv) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);  // as the program does
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string option = argc > 1 ? argv[1] : "";
  if (option == "--times") return cuzk::test::times_alone();
  if (option == "--queue" && argc > 2) return cuzk::test::queue(static_cast<unsigned>(std::atoi(argv[2])));
  if (option == "--little" && argc > 2) return cuzk::test::in_little(static_cast<unsigned>(std::atoi(argv[2])));
  if (option == "--profile" && argc > 2) return cuzk::test::profile(static_cast<unsigned>(std::atoi(argv[2])));
  if (option == "--partitions" && argc > 2) {
    return cuzk::test::time_partitions(static_cast<unsigned>(std::atoi(argv[2])), {argv + 3, argv + argc});
  }
  return cuzk::test::run(option == "--figures");
}
