#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "backend/cuda/lane.h"
#include "backend/cuda/nvtx.h"
#include "backend/cuda/order.h"
#include "backend/cuda/proof_memory.h"
#include "backend/cuda/resident.h"
#include "groth16/assembly.h"
#include "groth16/evaluate.h"
#include "r1cs/packed_witness.h"
#include "support/clock.h"

namespace cuzk::backend {

using cuda::DeviceSpan;
using cuda::Stream;

namespace {

constexpr std::size_t kValuesPerChunk = 64 * 1024;  // 2 MiB

template <class C> using FrOf = typename C::Fr;

std::span<const U256> aux_of(std::span<const U256> values, std::size_t num_inputs) {
  return values.subspan(num_inputs);
}

void copy_parallel(Arena& arena, MutableBytes to, const std::byte* from) {
  constexpr std::size_t kBytesPerChunk = std::size_t{1} << 20;
  parallel_for(arena, 0, to.size(), kBytesPerChunk,
               [&](std::size_t begin, std::size_t end) { std::memcpy(to.data() + begin, from + begin, end - begin); });
}

template <class T> DeviceSpan<const T> constant(DeviceSpan<T> span) { return {span.data, span.size}; }

/// Memory of a device that a proof holds, counted.
class ProofHold {
 public:
  ProofHold() = default;
  ProofHold(CudaDevice& device, cuda::DeviceBuffer memory) : device_(&device), memory_(std::move(memory)) {
    ++device.proofs();
  }
  ProofHold(ProofHold&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), memory_(std::move(other.memory_)) {}
  ProofHold& operator=(ProofHold&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~ProofHold() {
    if (device_ != nullptr) --device_->proofs();  // before the memory is given back: who waits for that looks at it
  }

  DeviceSpan<std::byte> memory() const { return memory_.as<std::byte>(); }

 private:
  CudaDevice* device_ = nullptr;
  cuda::DeviceBuffer memory_;
};

template <class C> struct CudaTicket final : Ticket<C> {
  std::shared_ptr<CudaDevice> device;
  std::shared_ptr<LanePool<C>> lanes;
  std::shared_ptr<const CudaKey<C>> key;
  std::shared_ptr<const CudaCircuit<C>> circuit;
  Blinding<C> blinding;
  StopToken stop;
  ProgressRef progress;
  bool urgent;
  Moved moved_bytes;
  const std::shared_ptr<DeviceTimes> device_times = std::make_shared<DeviceTimes>();
  ProofHold hold;
  std::unique_ptr<Lane<C>> lane;
  ProofPlan plan;
  ProofMemory<C> parts;
  std::optional<cuda::DeviceWitness> witness;
  bool copies_done = false;

  CudaTicket(std::shared_ptr<CudaDevice> on, std::shared_ptr<LanePool<C>> pool, std::shared_ptr<const CudaKey<C>> k,
             std::shared_ptr<const CudaCircuit<C>> c, ProvingInput<C>& input)
      : device(std::move(on)),
        lanes(std::move(pool)),
        key(std::move(k)),
        circuit(std::move(c)),
        blinding(std::move(input.blinding)),
        stop(input.stop),
        progress(input.progress),
        urgent(input.urgent) {}
  CudaTicket(const CudaTicket&) = delete;
  CudaTicket& operator=(const CudaTicket&) = delete;
  ~CudaTicket() override {
    static_cast<void>(device->use());
    if (!copies_done) static_cast<void>(device->copies().wait());
    if (lane == nullptr) return;
    lane->drain();
    if (device->health()) lanes->give_back(std::move(lane), urgent);
  }

  Moved moved() const noexcept override { return moved_bytes; }
  std::shared_ptr<const DeviceTimes> times() const noexcept override { return device_times; }
  /// Bytes that cross in this way.
  std::uint64_t& crossing(Way way) noexcept { return device_times->bytes[static_cast<std::size_t>(way)]; }
  const Stream& sums_stream() const { return plan.side_by_side ? lane->streams.sums : lane->streams.main; }
};

/// Those of a query's two sums.
struct SumPhases {
  cuda::PhaseLog& log;
  DevicePhase ones, general;
};

/// Queues both sums of a query: of the points whose scalar is 1, and of those that have other scalars.
template <class C, class Point>
Status queue_sum(SumPhases phases, const Stream& stream, DeviceSpan<const Affine<typename Point::Field>> points,
                 const cuda::SplitScalars& split, std::uint32_t general, SumInPieces<C, Point>& sum,
                 cuda::XyzzPoint<Point>* ones, cuda::Msm<C, Point>& msm, std::uint32_t most,
                 DeviceSpan<std::byte> work) {
  CUZK_REQUIRE(general <= split.scalars.size);
  const auto of_ones = [&] { return cuda::subset_sum<C, Point>(stream, points, constant(split.ones), work, ones); };
  const auto of_general = [&] {
    return sum.add(stream, msm, most, points, constant(split.scalars).subspan(0, general), split.points.data);
  };
  return phases.log.run(stream, {{phases.ones, of_ones}, {phases.general, of_general}});
}

/// One run of prove_start: the steps and what they share.
template <class C> class Start {
 public:
  using Fr = FrOf<C>;
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  Start(CudaTicket<C>& ticket, ProvingInput<C>& input)
      : ticket_(ticket),
        device_(*ticket.device),
        key_(*ticket.key),
        circuit_(ticket.circuit.get()),
        input_(input),
        values_(input.witness->values()),
        num_inputs_(key_.shape().num_inputs),
        rows_(input.other_means || input.abc ? nullptr : rows_of(key_, circuit_)),
        plan_(ticket.plan),
        memory_(ticket.parts),
        witness_(ticket.witness) {}

  static const cuda::DeviceCircuit<Fr>* rows_of(const CudaKey<C>& key, const CudaCircuit<C>* circuit) {
    if (key.shape().has_matrices) return key.rows();
    return circuit == nullptr ? nullptr : circuit->rows();
  }

  Status run() {
    CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
    ticket_.progress.begin("witness");
    CUZK_CHECK_OK(take_memory());
    CUZK_TRY(ticket_.lane, ticket_.lanes->take(ticket_.urgent));
    CUZK_CHECK_OK(device_.clock().keep_up());
    CUZK_CHECK_OK(use_memory());
    CUZK_CHECK_OK(upload_witness());
    CUZK_CHECK_OK(queue_splits());
    if (rows_ != nullptr) CUZK_CHECK_OK(queue_quotient());
    CUZK_CHECK_OK(queue_sums());
    if (rows_ == nullptr) {
      ticket_.progress.begin("rows of A, B and C");
      CUZK_CHECK_OK(input_.abc ? upload_abc() : evaluate_here());
    }
    CUZK_CHECK_OK(lane().events.main.record(lane().streams.main));
    return check_stop(ticket_.stop, "proving");
  }

 private:
  Lane<C>& lane() { return *ticket_.lane; }
  const Stream& sums_stream() { return ticket_.sums_stream(); }
  const Stream& g2_stream() { return plan_.side_by_side ? lane().streams.sums_g2 : lane().streams.main; }
  const cuda::QueryMap& map_a() const { return key_.shape().filtered ? circuit_->a() : key_.a(); }
  const cuda::QueryMap& map_b() const { return key_.shape().filtered ? circuit_->b() : key_.b(); }

  ProofShape shape() {
    const auto aux = aux_of(values_, num_inputs_);
    bits_ = r1cs::find_bits(device_.host(), aux);
    const std::size_t general = bits_.general;
    const auto split = [&](const cuda::QueryMap& map) {
      return ProofShape::Split{map.num_points(),
                               map.num_inputs() + std::min(general, map.num_points() - map.num_inputs())};
    };
    return {.domain_size = key_.shape().domain_size,
            .quotient_scalars = key_.num_quotient_scalars(),
            .witness = {.num_inputs = num_inputs_, .num_aux = aux.size(), .most_general = general},
            .plain = general > aux.size() / 8,
            .a = split(map_a()),
            .b = split(map_b()),
            .l = split(map_l()),
            .streams_h = !key_.queries().h.is_resident(),
            .streams_l = !key_.queries().l.is_resident()};
  }
  cuda::QueryMap map_l() const { return cuda::QueryMap::all(0, values_.size() - num_inputs_); }

  /// Waits for others' ends; with nobody else there, a smaller plan.
  Status take_memory() {
    plan_ = ProofPlan::largest(shape());
    while (true) {
      CUZK_TRY(const std::size_t bytes, ProofMemory<C>::bytes(plan_));
      cuda::DeviceArena& arena = device_.arena();
      const std::uint64_t seen = arena.returns();
      auto memory = arena.take({.bytes = bytes, .tag = memory::MemoryTag::workspace, .owner = "a proof"});
      if (memory) {
        ticket_.hold = ProofHold(device_, *std::move(memory));
        return {};
      }
      if (device_.proofs() > 0) {
        CUZK_CHECK_OK(arena.wait_return(seen, ticket_.stop));
      } else if (!plan_.shrink()) {
        return fail(std::move(memory).error());
      }
    }
  }

  Status use_memory() {
    CUZK_TRY(memory_, ProofMemory<C>::parts(plan_, ticket_.hold.memory()));
    lane().clear();
    auto& msms = lane().msms;
    CUZK_CHECK_OK(msms.h.use(memory_.msm_h, plan_.most_h()));
    CUZK_CHECK_OK(msms.g1.use(memory_.msm_g1, plan_.most_g1()));
    return msms.g2.use(memory_.msm_g2, plan_.most_g2());
  }

  // The witness.

  Status upload_witness() {
    const Stream& copies = device_.copies();
    witness_.emplace(plan_.shape.witness, memory_.witness);
    if (!plan_.shape.plain) {
      packed_.emplace(r1cs::pack(device_.host(), values_, num_inputs_, std::move(bits_)));
      CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
    }
    const std::uint64_t bytes = packed_ ? packed_->view().bytes() : values_.size_bytes();
    ticket_.moved_bytes.pageable_bytes += bytes;
    ticket_.crossing(packed_ ? Way::packed_witness : Way::plain_witness) += bytes;
    const auto upload = [&] { return packed_ ? witness_->upload(copies, packed_->view()) : upload_plain(); };
    CUZK_CHECK_OK(lane().phases.run(copies, {{DevicePhase::h2d_witness, upload}}));
    const cuda::Event& there = lane().events.witness;
    CUZK_CHECK_OK(there.record(copies));
    for (const Stream* stream : std::array<const Stream*, 2>{&lane().streams.main, &sums_stream()})
      CUZK_CHECK_OK(there.delay(*stream));
    return {};
  }

  Status upload_plain() {
    const Stream& copies = device_.copies();
    CUZK_CHECK_OK(witness_->begin_plain(copies, values_.first(num_inputs_)));
    const auto aux = aux_of(values_, num_inputs_);
    const auto* const from = reinterpret_cast<const std::byte*>(aux.data());
    return device_.uploader().stream_through(
        copies, memory_.staging, aux.size_bytes(), 64 * sizeof(U256),
        [&](std::size_t offset, MutableBytes to) {
          copy_parallel(device_.host(), to, from + offset);
          return check_stop(ticket_.stop, "proving");
        },
        [&](std::size_t offset, DeviceSpan<std::byte> part) {
          const DeviceSpan<const U256> values{reinterpret_cast<const U256*>(part.data), part.size / sizeof(U256)};
          return witness_->pack(copies, values, offset / sizeof(U256));
        });
  }

  // Sums of the witness' queries.

  Status queue_splits() {
    const ProofShape& shape = plan_.shape;
    const Stream& stream = sums_stream();
    const cuda::WitnessView witness = witness_->view();
    const cuda::AuxRange all{0, shape.witness.num_aux};
    auto* const host = lane().host;
    split_a_ = cuda::split_memory(shape.a.points, shape.a.general, memory_.split_a);
    split_b_ = cuda::split_memory(shape.b.points, shape.b.general, memory_.split_b);
    if (!shape.streams_l) split_l_ = cuda::split_memory(shape.l.points, shape.l.general, memory_.split_l);
    const auto split_all = [&]() -> Status {
      CUZK_CHECK_OK(cuda::split(stream, witness, map_a(), all, split_a_, &host->general_a));
      CUZK_CHECK_OK(cuda::split(stream, witness, map_b(), all, split_b_, &host->general_b));
      return shape.streams_l ? Status() : cuda::split(stream, witness, map_l(), all, split_l_, &host->general_l);
    };
    CUZK_CHECK_OK(lane().phases.run(stream, {{DevicePhase::split, split_all}}));
    return lane().events.split.record(stream);
  }

  /// Waits for the witness and what it splits into: then its memory on the host is read no more, and the sums' sizes
  /// are known.
  Status queue_sums() {
    CUZK_CHECK_OK(lane().events.split.wait());
    ticket_.copies_done = true;
    packed_.reset();
    CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
    const auto& queries = key_.queries();
    const auto* const host = lane().host;
    CUZK_CHECK_OK(lane().events.split.delay(g2_stream()));
    CUZK_CHECK_OK(queue_sum_g1(queries.a.points(), split_a_, host->general_a, lane().a, &lane().host->ones_a));
    CUZK_CHECK_OK(queue_sum_g1(queries.b_g1.points(), split_b_, host->general_b, lane().b, &lane().host->ones_b));
    if (!plan_.shape.streams_l) {
      CUZK_CHECK_OK(queue_sum_g1(queries.l.points(), split_l_, host->general_l, lane().l, &lane().host->ones_l));
    }
    CUZK_CHECK_OK(lane().events.sums.record(sums_stream()));
    const SumPhases in_g2{lane().phases, DevicePhase::msm_b_g2, DevicePhase::msm_b_g2};
    CUZK_CHECK_OK((queue_sum<C, G2>(in_g2, g2_stream(), queries.b_g2.points(), split_b_, host->general_b, lane().b_g2,
                                    &lane().host->ones_b_g2, lane().msms.g2, plan_.most_g2(), memory_.ones_g2)));
    return lane().events.sums_g2.record(g2_stream());
  }

  template <class Sum>
  Status queue_sum_g1(DeviceSpan<const typename C::G1Affine> points, const cuda::SplitScalars& split,
                      std::uint32_t general, Sum& sum, cuda::XyzzPoint<G1>* ones) {
    return queue_sum<C, G1>({lane().phases, DevicePhase::subset_sums, DevicePhase::msm_general}, sums_stream(), points,
                            split, general, sum, ones, lane().msms.g1, plan_.most_g1(), memory_.ones_g1);
  }

  // Rows and quotient.

  Status queue_quotient() {
    const Stream& stream = lane().streams.main;
    const auto evaluate = [&] { return rows_->evaluate(stream, witness_->view(), 0, memory_.a, memory_.b, memory_.c); };
    const auto to_coset = [&]() -> Status {
      for (const DeviceSpan<Fr> rows : {memory_.a, memory_.b, memory_.c}) {
        CUZK_CHECK_OK(key_.quotient().to_coset(stream, rows));
      }
      return {};
    };
    CUZK_CHECK_OK(lane().phases.run(stream, {{DevicePhase::evaluate, evaluate}, {DevicePhase::ntt, to_coset}}));
    return queue_h();
  }
  /// a, b and c are on the coset as far as the main stream has come.
  Status queue_h() {
    const Stream& stream = lane().streams.main;
    const auto divide = [&] {
      return key_.quotient().divide(stream, memory_.a, constant(memory_.b), constant(memory_.c));
    };
    CUZK_CHECK_OK(lane().phases.run(stream, {{DevicePhase::ntt, divide}}));
    if (plan_.shape.streams_h) return {};  // in prove_finish
    const auto points = key_.queries().h.points();
    const DeviceSpan<const U256> scalars{reinterpret_cast<const U256*>(memory_.a.data), points.size};
    const auto add = [&] { return lane().h.add(stream, lane().msms.h, plan_.most_h(), points, scalars, nullptr); };
    return lane().phases.run(stream, {{DevicePhase::msm_h, add}});
  }

  /// A vector is transformed while the next one crosses.
  template <class Copy> Status upload_rows(std::size_t rows, const Copy& copy) {
    const std::array to = {memory_.a, memory_.b, memory_.c};
    const Stream& copies = device_.copies();
    ticket_.copies_done = false;
    for (unsigned i = 0; i < 3; ++i) {
      CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
      const auto cross = [&] { return copy(i, to[i].subspan(0, rows)); };
      CUZK_CHECK_OK(lane().phases.run(copies, {{DevicePhase::h2d_abc, cross}}));
      const std::size_t rest = (to[i].size - rows) * sizeof(Fr);
      if (rest > 0) CUZK_CUDA(cudaMemsetAsync(to[i].data + rows, 0, rest, copies.get()));
      CUZK_CHECK_OK(lane().events.rows.record(copies));
      CUZK_CHECK_OK(lane().events.rows.delay(lane().streams.main));
      const auto to_coset = [&] { return key_.quotient().to_coset(lane().streams.main, to[i]); };
      CUZK_CHECK_OK(lane().phases.run(lane().streams.main, {{DevicePhase::ntt, to_coset}}));
    }
    CUZK_CHECK_OK(queue_h());
    CUZK_CHECK_OK(lane().events.rows.wait());  // the last one: the host's memory is read no more
    ticket_.copies_done = true;
    return {};
  }

  Status upload_abc() {
    const memory::HostBuffer& buffer = input_.abc->buffer();
    ticket_.crossing(buffer.is_pinned() ? Way::pinned_abc : Way::pageable_abc) += buffer.size();
    CUZK_CHECK_OK(upload_rows(input_.abc->rows(), [&](unsigned i, DeviceSpan<Fr> to) { return copy_abc(i, to); }));
    input_.abc.reset();  // to its pool
    return {};
  }

  /// Chunks of the buffer, straight from page-locked ones.
  Status copy_abc(unsigned vector, DeviceSpan<Fr> to) {
    const memory::HostBuffer& buffer = input_.abc->buffer();
    const std::size_t bytes = to.size * sizeof(Fr);
    const std::size_t begin = vector * bytes;
    std::size_t at = 0;  // of the chunk in the buffer
    for (std::size_t i = 0; i < buffer.chunk_count(); ++i) {
      const MutableBytes chunk = buffer.chunk(i);
      const std::size_t first = std::max(at, begin);
      const std::size_t last = std::min(at + chunk.size(), begin + bytes);
      if (first < last) {
        CUZK_CHECK_OK(copy_part(buffer.chunk_is_pinned(i), chunk.subspan(first - at, last - first),
                                {reinterpret_cast<std::byte*>(to.data) + (first - begin), last - first}));
      }
      at += chunk.size();
    }
    return {};
  }
  Status copy_part(bool pinned, Bytes from, DeviceSpan<std::byte> to) {
    if (!pinned) return upload_bytes(from, to);
    ticket_.moved_bytes.pinned_bytes += from.size();
    CUZK_CUDA(cudaMemcpyAsync(to.data, from.data(), from.size(), cudaMemcpyHostToDevice, device_.copies().get()));
    return {};
  }
  Status upload_bytes(Bytes from, DeviceSpan<std::byte> to) {
    ticket_.moved_bytes.pageable_bytes += from.size();
    return device_.uploader().upload(device_.copies(), to, 32, [&](std::size_t offset, MutableBytes part) {
      copy_parallel(device_.host(), part, from.data() + offset);
      return check_stop(ticket_.stop, "proving");
    });
  }

  /// Where the device has no rows: the host computes those of A and B; C's are their products.
  Status evaluate_here() {
    const std::size_t rows = memory_.a.size;
    const auto here = std::make_unique_for_overwrite<Fr[]>(3 * rows);
    const std::span<Fr> a(here.get(), rows), b(here.get() + rows, rows), c(here.get() + 2 * rows, rows);
    const groth16::RowPart<Fr> whole{0, a, b, c};
    if (const auto& records = key_.host_records()) {
      groth16::evaluate<Fr>(device_.host(), *records, values_, std::span(&whole, 1), ticket_.stop);
    } else {
      groth16::evaluate<Fr>(device_.host(), circuit_->compiled(), values_, a, b, {}, ticket_.stop);
      parallel_for(device_.host(), 0, rows, kValuesPerChunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) c[i] = a[i] * b[i];
      });
    }
    const std::array from = {a, b, c};
    ticket_.crossing(Way::pageable_abc) += 3 * rows * sizeof(Fr);
    return upload_rows(rows, [&](unsigned i, DeviceSpan<Fr> to) {
      return upload_bytes(std::as_bytes(from[i]), {reinterpret_cast<std::byte*>(to.data), to.size * sizeof(Fr)});
    });
  }

  CudaTicket<C>& ticket_;
  CudaDevice& device_;
  const CudaKey<C>& key_;
  const CudaCircuit<C>* circuit_;
  ProvingInput<C>& input_;
  std::span<const U256> values_;
  std::size_t num_inputs_;
  const cuda::DeviceCircuit<Fr>* rows_;  // null: they come from the host
  ProofPlan& plan_;
  ProofMemory<C>& memory_;
  std::optional<cuda::DeviceWitness>& witness_;
  r1cs::PackedBits bits_;
  std::optional<r1cs::PackedWitness> packed_;
  cuda::SplitScalars split_a_, split_b_, split_l_;
};

/// One run of prove_finish for a key of which parts are with the host: their points cross while those before are added
/// up. The thread that finishes a proof fills the chunks, so that the next proof can be started meanwhile.
template <class C> class StreamedSums {
 public:
  using Fr = FrOf<C>;
  using G1 = typename C::G1;
  using G1Affine = typename C::G1Affine;

  explicit StreamedSums(CudaTicket<C>& ticket) : ticket_(ticket), key_(*ticket.key), lane_(*ticket.lane) {}

  Status run() {
    const ProofShape& shape = ticket_.plan.shape;
    if (!shape.streams_h && !shape.streams_l) return {};
    CUZK_CHECK_OK(key_.check_mapping());
    if (shape.streams_l) CUZK_CHECK_OK(sum_l());
    if (shape.streams_h) CUZK_CHECK_OK(sum_h());
    return key_.check_mapping();
  }

  /// Of the parts of l.
  const G1& ones() const noexcept { return ones_; }

 private:
  using Part = DeviceSpan<const G1Affine>;

  /// use(first point, points) queues on the stream what reads them.
  template <class Use> Status each_part(const PointSpan<G1Affine>& query, const Stream& stream, const Use& use) {
    const std::size_t most = ticket_.plan.part_points();
    for (std::size_t first = 0; first < query.size(); first += most) {
      const std::size_t count = std::min(most, query.size() - first);
      const DeviceSpan<G1Affine> buffer = ticket_.parts.points[turn_].subspan(0, count);
      CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
      CUZK_CHECK_OK(lane_.events.points_read[turn_].wait());  // by whom they were read last
      const auto cross = [&] { return upload(query.subspan(first, count), buffer); };
      CUZK_CHECK_OK(lane_.phases.run(lane_.streams.points, {{DevicePhase::h2d_key, cross}}));
      ticket_.crossing(Way::key) += count * sizeof(G1Affine);
      CUZK_CHECK_OK(lane_.events.points_there[turn_].record(lane_.streams.points));
      CUZK_CHECK_OK(lane_.events.points_there[turn_].delay(stream));
      CUZK_CHECK_OK(use(first, constant(buffer)));
      CUZK_CHECK_OK(lane_.events.points_read[turn_].record(stream));
      turn_ ^= 1;
    }
    return {};
  }
  Status upload(const PointSpan<G1Affine>& from, DeviceSpan<G1Affine> to) {
    CudaDevice& device = *ticket_.device;
    return device.uploader().upload(lane_.streams.points,
                                    {reinterpret_cast<std::byte*>(to.data), to.size * sizeof(G1Affine)},
                                    sizeof(G1Affine), [&](std::size_t offset, MutableBytes part) {
                                      copy_parallel(device.host(), part, from.data() + offset);
                                      return check_stop(ticket_.stop, "proving");
                                    });
  }

  Status sum_l() {
    const Stream& stream = ticket_.sums_stream();
    const ProofShape::Split most = ticket_.plan.l();
    const auto split = cuda::split_memory(most.points, most.general, ticket_.parts.split_l);
    const cuda::QueryMap map = cuda::QueryMap::all(0, ticket_.plan.shape.l.points);
    CUZK_CHECK_OK(each_part(key_.queries().l.on_host, stream, [&](std::size_t first, Part points) -> Status {
      const auto split_part = [&] {
        return cuda::split(stream, ticket_.witness->view(), map, {first, points.size}, split, &lane_.host->general_l);
      };
      CUZK_CHECK_OK(lane_.phases.run(stream, {{DevicePhase::split, split_part}}));
      CUZK_CHECK_OK(lane_.events.split.record(stream));
      CUZK_CHECK_OK(lane_.events.split.wait());
      if (first > 0) ones_ += lane_.host->ones_l.point();  // of the part before
      return queue_sum<C, G1>({lane_.phases, DevicePhase::subset_sums, DevicePhase::msm_general}, stream, points, split,
                              lane_.host->general_l, lane_.l, &lane_.host->ones_l, lane_.msms.g1,
                              ticket_.plan.most_g1(), ticket_.parts.ones_g1);
    }));
    return lane_.events.sums.record(stream);
  }

  Status sum_h() {
    const Stream& stream = lane_.streams.main;
    const DeviceSpan<Fr> scalars = ticket_.parts.a;
    if (key_.has_reversed_scalars()) {
      CUZK_CHECK_OK(cuda::reverse_order(stream, {reinterpret_cast<std::byte*>(scalars.data), scalars.size * sizeof(Fr)},
                                        sizeof(Fr), key_.log_domain()));
    }
    CUZK_CHECK_OK(each_part(key_.queries().h.on_host, stream, [&](std::size_t first, Part points) {
      const DeviceSpan<const U256> part{reinterpret_cast<const U256*>(scalars.data) + first, points.size};
      const auto add = [&] { return lane_.h.add(stream, lane_.msms.h, ticket_.plan.most_h(), points, part, nullptr); };
      return lane_.phases.run(stream, {{DevicePhase::msm_h, add}});
    }));
    return lane_.events.main.record(stream);
  }

  CudaTicket<C>& ticket_;
  const CudaKey<C>& key_;
  Lane<C>& lane_;
  unsigned turn_ = 0;
  G1 ones_ = G1::identity();
};

template <class C> class CudaBackend final : public Backend<C> {
 public:
  explicit CudaBackend(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {}

  Result<std::shared_ptr<const Key<C>>> load_key(const groth16::ProvingKeyView<C>& view,
                                                 const std::stop_token& stop) override {
    CUZK_CHECK_OK(device_->use());
    CUZK_CHECK_OK(lanes_->prepare());
    return CudaKey<C>::load(device_, quotients_, view, stop);
  }

  Result<std::shared_ptr<const Circuit<C>>> load_circuit(std::shared_ptr<const r1cs::CompiledCircuit<FrOf<C>>> circuit,
                                                         const std::stop_token& stop) override {
    CUZK_CHECK_OK(device_->use());
    return CudaCircuit<C>::load(device_, std::move(circuit), stop);
  }

  Wants wants(const Key<C>* key, const Circuit<C>* circuit) const noexcept override {
    const auto* own = dynamic_cast<const CudaKey<C>*>(key);
    if (own == nullptr) return Wants::witness;
    const auto* rows = Start<C>::rows_of(*own, dynamic_cast<const CudaCircuit<C>*>(circuit));
    return rows == nullptr ? Wants::abc : Wants::witness;
  }

  Result<std::unique_ptr<Ticket<C>>> prove_start(std::shared_ptr<const Key<C>> key,
                                                 std::shared_ptr<const Circuit<C>> circuit,
                                                 ProvingInput<C> input) override {
    auto own_key = std::dynamic_pointer_cast<const CudaKey<C>>(std::move(key));
    if (own_key == nullptr || !own_key->is_on(*device_)) {
      return fail(Code::invalid_argument, "not a key of this device");
    }
    auto own_circuit = std::dynamic_pointer_cast<const CudaCircuit<C>>(circuit);
    if (circuit != nullptr && (own_circuit == nullptr || !own_circuit->is_on(*device_))) {
      return fail(Code::invalid_argument, "not a circuit of this device");
    }
    const KeyShape& shape = own_key->shape();
    const auto of_circuit = own_circuit == nullptr ? CircuitShape<FrOf<C>>() : own_circuit->shape();
    CUZK_CHECK_OK(check_witness(shape, input.witness.get()));
    CUZK_CHECK_OK(check_circuit(shape, of_circuit));
    if (input.abc) CUZK_CHECK_OK(check_abc(shape, of_circuit.compiled, *input.abc));

    CUZK_CHECK_OK(device_->use());
    circuit.reset();
    auto ticket = std::make_unique<CudaTicket<C>>(device_, lanes_, std::move(own_key), std::move(own_circuit), input);
    CUZK_CHECK_OK(Start<C>(*ticket, input).run());
    input.witness.reset();  // before what pays for it
    return ticket;
  }

  Result<groth16::Proof<C>> prove_finish(std::unique_ptr<Ticket<C>> ticket) override {
    auto* own = dynamic_cast<CudaTicket<C>*>(ticket.get());
    if (own == nullptr) return fail(Code::invalid_argument, "not a ticket of a CUDA backend");
    CUZK_CHECK_OK(own->device->use());
    own->progress.begin("sums");
    const Lane<C>& lane = *own->lane;
    StreamedSums<C> streamed(*own);
    CUZK_CHECK_OK(streamed.run());
    for (const cuda::Event* event : {&lane.events.sums, &lane.events.sums_g2, &lane.events.main}) {
      CUZK_CHECK_OK(check_stop(own->stop, "proving"));
      CUZK_CHECK_OK(event->wait());
    }
    CUZK_CHECK_OK(check_stop(own->stop, "proving"));
    const cuda::NvtxRange range(to_string(DevicePhase::finish));
    const std::uint64_t begin = monotonic_ns();
    auto sums = sums_of(lane);
    sums.l += streamed.ones();
    auto proof = groth16::assemble(own->key->vk(), sums, own->blinding.r(), own->blinding.s());
    proof.zero_knowledge = own->blinding.zero_knowledge();
    if (auto spans = lane.phases.read(own->device->clock())) {  // a proof is worth more than its times
      own->device_times->spans = *std::move(spans);
    }
    own->device_times->spans.push_back({DevicePhase::finish, begin, monotonic_ns()});
    own->progress.end();
    return proof;
  }

  Status health() const override { return device_->health(); }
  std::shared_ptr<memory::DeviceBudget> memory() const override { return device_->arena().budget(); }

 private:
  groth16::ProofSums<C> sums_of(const Lane<C>& lane) const {
    groth16::ProofSums<C> sums;
    parallel_tasks(device_->host(), 5, [&](std::size_t i) {
      switch (i) {
        case 0:
          sums.b_g2 = lane.b_g2.value() + lane.host->ones_b_g2.point();
          break;
        case 1:
          sums.h = lane.h.value();
          break;
        case 2:
          sums.a = lane.a.value() + lane.host->ones_a.point();
          break;
        case 3:
          sums.b_g1 = lane.b.value() + lane.host->ones_b.point();
          break;
        default:
          sums.l = lane.l.value() + lane.host->ones_l.point();
      }
    });
    return sums;
  }

  const std::shared_ptr<CudaDevice> device_;
  QuotientCache<FrOf<C>> quotients_;
  const std::shared_ptr<LanePool<C>> lanes_ = std::make_shared<LanePool<C>>();
};

}  // namespace

Result<CudaBackends> open_cuda_device(Arena& arena, const CudaDeviceInfo& device, const CudaOptions& options) {
  CUZK_TRY(const auto opened, CudaDevice::open(arena, device, options));
  return CudaBackends{std::make_shared<CudaBackend<Bn254>>(opened), std::make_shared<CudaBackend<Bls12_381>>(opened)};
}

}  // namespace cuzk::backend
