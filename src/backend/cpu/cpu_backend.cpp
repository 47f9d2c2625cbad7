#include "backend/cpu/cpu_backend.h"

#include "backend/cpu/cpu_key.h"
#include "backend/proving_checks.h"
#include "groth16/assembly.h"
#include "groth16/evaluate.h"
#include "groth16/quotient.h"
#include "msm/msm.h"
#include "support/cpu_path_scope.h"
#include "support/right_of_way.h"
#include "support/stop.h"

namespace cuzk::backend {

namespace {

constexpr std::size_t kScalarsPerChunk = 16384;      // a copy of 32 bytes each
constexpr std::size_t kElementsPerCopy = 64 * 1024;  // 2 MiB

template <class C> using Fr = typename C::Fr;

/// N field elements, not initialised.
template <class F> class Elements {
 public:
  explicit Elements(std::size_t size) : data_(std::make_unique_for_overwrite<F[]>(size)), size_(size) {}
  std::span<F> span() noexcept { return {data_.get(), size_}; }

 private:
  std::unique_ptr<F[]> data_;
  std::size_t size_;
};

template <class C> struct CpuTicket final : Ticket<C> {
  std::shared_ptr<const CpuKey<C>> key;
  Blinding<C> blinding;
  StopToken stop;
  ProgressRef progress;
  bool urgent;
  CpuPath path;  // of the arithmetic
  Moved moved_bytes;
  groth16::ProofSums<C> sums;
  Elements<Fr<C>> quotient_memory;
  std::span<const U256> quotient;

  CpuTicket(std::shared_ptr<const CpuKey<C>> proving_key, ProvingInput<C>& input)
      : key(std::move(proving_key)),
        blinding(std::move(input.blinding)),
        stop(input.stop),
        progress(input.progress),
        urgent(input.urgent),
        path(input.other_means ? CpuPath::portable : active_cpu_path()),
        quotient_memory(key->domain().size()) {}

  Moved moved() const noexcept override { return moved_bytes; }
};

/// A vector out of its chunks, filled up with zeros.
template <class F>
void copy_vector(Arena& arena, const AbcBuffer<F>& abc, std::size_t vector, std::span<F> to) noexcept {
  abc.for_each_part(vector, [&](std::span<const F> part, std::size_t first) {
    parallel_for(arena, 0, part.size(), kElementsPerCopy, [&](std::size_t begin, std::size_t end) {
      std::ranges::copy(part.subspan(begin, end - begin), to.subspan(first + begin).begin());
    });
  });
  std::ranges::fill(to.subspan(abc.rows()), F::zero());
}

/// Bytes of a, b, c by the memory of their chunks.
template <class F> Moved bytes_of(const AbcBuffer<F>& abc) noexcept {
  Moved moved;
  const memory::HostBuffer& buffer = abc.buffer();
  for (std::size_t i = 0; i < buffer.chunk_count(); ++i) {
    (buffer.chunk_is_pinned(i) ? moved.pinned_bytes : moved.pageable_bytes) += buffer.chunk(i).size();
  }
  return moved;
}

/// The witness' values of some variables, in their order.
std::vector<U256> gather(Arena& arena, std::span<const U256> witness, std::span<const r1cs::Wire> variables) {
  std::vector<U256> scalars(variables.size());
  parallel_for(arena, 0, scalars.size(), kScalarsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) scalars[i] = witness[variables[i]];
  });
  return scalars;
}

template <class C> void drop_pages(const CpuOptions& options, const CpuKey<C>& key, Bytes part) noexcept {
  if (options.drop_pages && key.view().file != nullptr) key.view().file->drop(part);
}

/// Before long work on a mapped key, and before a result made of it is delivered.
template <class C> Status check_mapping(const CpuKey<C>& key) {
  return key.view().file == nullptr ? Status() : key.view().file->still_whole();
}

/// One run of prove_start: the steps and what they share.
template <class C> class Start {
 public:
  Start(Arena& arena, const CpuOptions& options, CpuTicket<C>& ticket, const CpuCircuit<C>* circuit,
        ProvingInput<C>& input)
      : arena_(arena),
        options_(options),
        ticket_(ticket),
        key_(*ticket.key),
        circuit_(circuit),
        witness_(input.witness->values()),
        abc_(std::move(input.abc)) {}

  Status run() {
    CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
    CUZK_CHECK_OK(check_mapping(key_));
    compute_quotient();
    CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
    sum_a_and_b();
    CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
    sum_l();
    return check_stop(ticket_.stop, "proving");
  }

 private:
  void compute_quotient() {
    const std::span<Fr<C>> a = ticket_.quotient_memory.span();
    Elements<Fr<C>> b(a.size());
    Elements<Fr<C>> c(a.size());
    if (abc_) {
      ticket_.progress.begin("copy of a, b, c");
      take_abc(a, b.span(), c.span());
      ticket_.progress.begin("quotient");
      ticket_.quotient =
          groth16::quotient_of_abc(arena_, key_.domain(), key_.view().basis, a, b.span(), c.span(), ticket_.stop);
      return;
    }
    ticket_.progress.begin("rows of A and B");
    if (const auto& records = key_.view().coefficients) {
      groth16::evaluate(arena_, *records, witness_, a, b.span(), ticket_.stop);
      drop(records->bytes());
    } else {
      groth16::evaluate(arena_, circuit_->compiled(), witness_, a, b.span(), {}, ticket_.stop);
    }
    ticket_.progress.begin("quotient");
    ticket_.quotient = groth16::quotient(arena_, key_.domain(), key_.view().basis, a, b.span(), c.span(), ticket_.stop);
  }

  void take_abc(std::span<Fr<C>> a, std::span<Fr<C>> b, std::span<Fr<C>> c) {
    const std::array to = {a, b, c};
    for (unsigned i = 0; i < 3 && !ticket_.stop.stop_requested(); ++i) copy_vector(arena_, *abc_, i, to[i]);
    ticket_.moved_bytes = bytes_of(*abc_);
    abc_.reset();  // to its pool
  }

  void sum_a_and_b() {
    ticket_.progress.begin("sums of a and b");
    const auto& queries = key_.queries();
    const std::array b_g2 = {queries.b_g2};
    if (key_.view().filtered) {
      const auto& densities = circuit_->densities();
      ticket_.sums.a = msm_g1<C>(arena_, gather(arena_, witness_, densities.a), queries.a, ticket_.stop);
      const std::array b_g1 = {queries.b_g1};
      const auto sums = msm<C>(arena_, gather(arena_, witness_, densities.b), b_g1, b_g2, ticket_.stop);
      ticket_.sums.b_g1 = sums.g1[0];
      ticket_.sums.b_g2 = sums.g2[0];
    } else {
      const std::array a_and_b = {queries.a, queries.b_g1};
      const auto sums = msm<C>(arena_, witness_, a_and_b, b_g2, ticket_.stop);
      ticket_.sums.a = sums.g1[0];
      ticket_.sums.b_g1 = sums.g1[1];
      ticket_.sums.b_g2 = sums.g2[0];
    }
    for (const Bytes query : {key_.view().a, key_.view().b_g1, key_.view().b_g2}) drop(query);
  }

  void sum_l() {
    ticket_.progress.begin("sum of l");
    ticket_.sums.l = msm_g1<C>(arena_, witness_.subspan(key_.num_inputs()), key_.queries().l, ticket_.stop);
    drop(key_.view().l);
  }

  void drop(Bytes part) const noexcept { drop_pages(options_, key_, part); }

  Arena& arena_;
  const CpuOptions& options_;
  CpuTicket<C>& ticket_;
  const CpuKey<C>& key_;
  const CpuCircuit<C>* circuit_;
  std::span<const U256> witness_;
  std::optional<AbcBuffer<Fr<C>>> abc_;
};

}  // namespace

template <class C>
Result<std::shared_ptr<const Key<C>>> CpuBackend<C>::load_key(const groth16::ProvingKeyView<C>& view,
                                                              const std::stop_token& stop) {
  return CpuKey<C>::load(arena_, view, options_.validation, stop);
}

template <class C>
Result<std::shared_ptr<const Circuit<C>>> CpuBackend<C>::load_circuit(
    std::shared_ptr<const r1cs::CompiledCircuit<typename C::Fr>> circuit, const std::stop_token& stop) {
  auto loaded = std::make_shared<const CpuCircuit<C>>(std::move(circuit), stop);
  CUZK_CHECK_OK(check_stop(stop, "loading a circuit"));
  return loaded;
}

template <class C>
Result<std::unique_ptr<Ticket<C>>> CpuBackend<C>::prove_start(std::shared_ptr<const Key<C>> key,
                                                              std::shared_ptr<const Circuit<C>> circuit,
                                                              ProvingInput<C> input) {
  auto cpu_key = std::dynamic_pointer_cast<const CpuKey<C>>(std::move(key));
  if (cpu_key == nullptr) return fail(Code::invalid_argument, "not a key of the CPU backend");
  const auto* cpu_circuit = dynamic_cast<const CpuCircuit<C>*>(circuit.get());
  if (circuit != nullptr && cpu_circuit == nullptr) {
    return fail(Code::invalid_argument, "not a circuit of the CPU backend");
  }
  const KeyShape shape = KeyShape::of(cpu_key->view());
  const CircuitShape<Fr<C>> of_circuit = cpu_circuit == nullptr ? CircuitShape<Fr<C>>() : cpu_circuit->shape();
  CUZK_CHECK_OK(check_witness(shape, input.witness.get()));
  CUZK_CHECK_OK(check_circuit(shape, of_circuit));
  if (input.abc) CUZK_CHECK_OK(check_abc(shape, of_circuit.compiled, *input.abc));

  auto ticket = std::make_unique<CpuTicket<C>>(std::move(cpu_key), input);
  const CpuPathScope scope(ticket->path);
  Arena& arena = arena_for(ticket->urgent);
  const RightOfWay way(arena);
  CUZK_CHECK_OK(Start<C>(arena, options_, *ticket, cpu_circuit, input).run());
  input.witness.reset();  // before what pays for it
  return ticket;
}

template <class C> Result<groth16::Proof<C>> CpuBackend<C>::prove_finish(std::unique_ptr<Ticket<C>> ticket) {
  auto* cpu_ticket = dynamic_cast<CpuTicket<C>*>(ticket.get());
  if (cpu_ticket == nullptr) return fail(Code::invalid_argument, "not a ticket of the CPU backend");
  CUZK_CHECK_OK(check_stop(cpu_ticket->stop, "proving"));
  const CpuKey<C>& key = *cpu_ticket->key;

  const CpuPathScope scope(cpu_ticket->path);
  Arena& arena = arena_for(cpu_ticket->urgent);
  const RightOfWay way(arena);
  cpu_ticket->progress.begin("sum of h");
  cpu_ticket->sums.h = msm_g1<C>(arena, cpu_ticket->quotient, key.queries().h, cpu_ticket->stop);
  CUZK_CHECK_OK(check_stop(cpu_ticket->stop, "proving"));
  drop_pages(options_, key, key.view().h);
  CUZK_CHECK_OK(check_mapping(key));
  const Blinding<C>& blinding = cpu_ticket->blinding;
  auto proof = groth16::assemble(key.vk(), cpu_ticket->sums, blinding.r(), blinding.s());
  proof.zero_knowledge = blinding.zero_knowledge();
  cpu_ticket->progress.end();
  return proof;
}

template class CpuBackend<Bn254>;
template class CpuBackend<Bls12_381>;

}  // namespace cuzk::backend
