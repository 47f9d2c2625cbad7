#include <algorithm>
#include <array>
#include <atomic>

#include "backend/cuda/lane.h"
#include "backend/cuda/nvtx.h"
#include "backend/cuda/order.h"
#include "backend/cuda/proof_memory.h"
#include "backend/cuda/resident.h"
#include "groth16/assembly.h"
#include "groth16/evaluate.h"
#include "memory/page_block.h"
#include "r1cs/packed_witness.h"
#include "support/clock.h"
#include "support/parallel_copy.h"

namespace cuzk::backend {

using cuda::DeviceSpan;
using cuda::Stream;

namespace {

constexpr std::size_t kValuesPerChunk = 64 * 1024;  // 2 MiB

template <class C> using FrOf = typename C::Fr;

std::span<const U256> aux_of(std::span<const U256> values, std::size_t num_inputs) {
  return values.subspan(num_inputs);
}

template <class T> DeviceSpan<const T> constant(DeviceSpan<T> span) { return {span.data, span.size}; }

/// Memory of a device that a proof holds; such proofs are counted.
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
  const typename CudaKey<C>::Queries queries;
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
  /// Of the parts of queries that are not resident, but for the last one of each.
  struct Ones {
    typename C::G1 a = C::G1::identity(), b_g1 = C::G1::identity(), l = C::G1::identity();
    typename C::G2 b_g2 = C::G2::identity();
  } ones_of_parts;

  CudaTicket(std::shared_ptr<CudaDevice> on, std::shared_ptr<LanePool<C>> pool, std::shared_ptr<const CudaKey<C>> k,
             std::shared_ptr<const CudaCircuit<C>> c, ProvingInput<C>& input)
      : device(std::move(on)),
        lanes(std::move(pool)),
        key(std::move(k)),
        circuit(std::move(c)),
        queries(key->queries()),
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
  std::string given_up() const override { return plan.given_up(); }
  const Stream& sums_stream() const { return plan.side_by_side ? lane->streams.sums : lane->streams.main; }
  const cuda::QueryMap& map_a() const { return key->shape().filtered ? circuit->a() : key->a().map; }
  const cuda::QueryMap& map_b() const { return key->shape().filtered ? circuit->b() : key->b().map; }
  cuda::QueryMap map_l() const { return cuda::QueryMap::all(0, key->shape().num_variables - key->shape().num_inputs); }
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

/// The sums of queries that are not resident: their points cross while those before are added up. Where rows do not
/// come behind these sums, the thread that finishes a proof fills the chunks, so that the next proof can be started
/// meanwhile.
template <class C> class StreamedSums {
 public:
  using Fr = FrOf<C>;
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  template <class Point> using Query = typename CudaKey<C>::template Query<Affine<typename Point::Field>>;

  explicit StreamedSums(CudaTicket<C>& ticket) : ticket_(ticket), key_(*ticket.key), lane_(*ticket.lane) {}

  /// Those of the witness.
  Status sum_witness() {
    const auto& streams = ticket_.plan.shape.streams;
    if (!streams.of_witness()) return {};
    const ProofShape::Split most = ticket_.plan.part();
    split_ = cuda::split_memory(most.points, most.general, ticket_.parts.split_part);
    CUZK_CHECK_OK(key_.check_mapping());
    auto& host = *lane_.host;
    auto& ones = ticket_.ones_of_parts;
    const auto& queries = ticket_.queries;
    const Slots<G1> of_a{lane_.a, host.ones_a, ones.a, host.general_a};
    const Slots<G1> of_b_g1{lane_.b, host.ones_b, ones.b_g1, host.general_b};
    const Slots<G1> of_l{lane_.l, host.ones_l, ones.l, host.general_l};
    const Slots<G2> of_b_g2{lane_.b_g2, host.ones_b_g2, ones.b_g2, host.general_b};
    if (streams.l) CUZK_CHECK_OK(sum_g1(*queries.l, ticket_.map_l(), nullptr, of_l));
    if (streams.a) CUZK_CHECK_OK(sum_g1(*queries.a, ticket_.map_a(), &key_.a(), of_a));
    if (streams.b_g1) CUZK_CHECK_OK(sum_g1(*queries.b_g1, ticket_.map_b(), &key_.b(), of_b_g1));
    if (streams.b_g2) {
      const SumPhases phases{lane_.phases, DevicePhase::msm_b_g2, DevicePhase::msm_b_g2};
      CUZK_CHECK_OK(sum<G2>(phases, *queries.b_g2, ticket_.map_b(), &key_.b(), of_b_g2, lane_.msms.g2,
                            ticket_.plan.most_g2(), ticket_.parts.ones_g2));
    }
    CUZK_CHECK_OK(lane_.events.sums.record(ticket_.sums_stream()));
    return key_.check_mapping();
  }

  /// The quotient's.
  Status sum_h() {
    if (!ticket_.plan.shape.streams.h) return {};
    CUZK_CHECK_OK(key_.check_mapping());
    const Stream& stream = lane_.streams.main;
    const DeviceSpan<Fr> scalars = ticket_.parts.a;
    if (key_.has_reversed_scalars()) {
      CUZK_CHECK_OK(cuda::reverse_order(stream, {reinterpret_cast<std::byte*>(scalars.data), scalars.size * sizeof(Fr)},
                                        sizeof(Fr), key_.log_domain()));
    }
    const Query<G1>& query = *ticket_.queries.h;
    const std::size_t most = ticket_.plan.part_points();
    for (std::size_t first = 0; first < query.size; first += most) {
      const cuda::QueryMap::PointRange points{first, std::min(most, query.size - first)};
      CUZK_CHECK_OK(part<G1>(query, points, {}, stream, [&](Points<G1> bases) {
        const DeviceSpan<const U256> of_part{reinterpret_cast<const U256*>(scalars.data) + first, points.count};
        const auto add = [&] {
          return lane_.h.add(stream, lane_.msms.h, ticket_.plan.most_h(), bases, of_part, nullptr);
        };
        return lane_.phases.run(stream, {{DevicePhase::msm_h, add}});
      }));
    }
    CUZK_CHECK_OK(lane_.events.main.record(stream));
    return key_.check_mapping();
  }

 private:
  template <class Point> using Points = DeviceSpan<const Affine<typename Point::Field>>;
  /// Where the sums of a query go.
  template <class Point> struct Slots {
    SumInPieces<C, Point>& general;
    cuda::XyzzPoint<Point>& ones;  // of one part
    Point& ones_before;            // of those before it
    std::uint32_t& count;          // of general scalars of the part
  };

  /// use(points) queues on the stream what reads them.
  template <class Point, class Use>
  Status part(const Query<Point>& query, const cuda::QueryMap::PointRange& points, std::span<const std::uint32_t> wires,
              const Stream& stream, const Use& use) {
    using Affine = cuzk::Affine<typename Point::Field>;
    const DeviceSpan<Affine> buffer{reinterpret_cast<Affine*>(ticket_.parts.points[turn_].data), points.count};
    CUZK_REQUIRE(points.count * sizeof(Affine) <= ticket_.parts.points[turn_].size);
    CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
    CUZK_CHECK_OK(lane_.events.points_read[turn_].wait());  // by whom they were read last
    const auto cross = [&] {
      return key_.upload(lane_.streams.points, query, points.first, buffer, wires, ticket_.stop);
    };
    CUZK_CHECK_OK(lane_.phases.run(lane_.streams.points, {{DevicePhase::h2d_key, cross}}));
    ticket_.crossing(Way::key) += points.count * sizeof(Affine);
    CUZK_CHECK_OK(lane_.events.points_there[turn_].record(lane_.streams.points));
    CUZK_CHECK_OK(lane_.events.points_there[turn_].delay(stream));
    CUZK_CHECK_OK(use(constant(buffer)));
    CUZK_CHECK_OK(lane_.events.points_read[turn_].record(stream));
    turn_ ^= 1;
    return {};
  }

  Status sum_g1(const Query<G1>& query, const cuda::QueryMap& map, const ResidentMap* dense, const Slots<G1>& to) {
    return sum<G1>({lane_.phases, DevicePhase::subset_sums, DevicePhase::msm_general}, query, map, dense, to,
                   lane_.msms.g1, ticket_.plan.most_g1(), ticket_.parts.ones_g1);
  }

  template <class Point>
  Status sum(SumPhases phases, const Query<Point>& query, const cuda::QueryMap& map, const ResidentMap* dense,
             const Slots<Point>& to, cuda::Msm<C, Point>& msm, std::uint32_t most, DeviceSpan<std::byte> work) {
    constexpr bool kIsG2 = std::is_same_v<Point, G2>;
    const Stream& stream = ticket_.sums_stream();
    const std::size_t step = ticket_.plan.part_points() / (kIsG2 ? 2 : 1);
    for (std::size_t first = 0; first < map.num_aux() || first == 0; first += step) {
      const cuda::AuxRange range{first, std::min(step, map.num_aux() - first)};
      const auto wires = query.is_dense ? key_.list_of(*dense, range) : std::vector<std::uint32_t>();
      CUZK_CHECK_OK(part<Point>(query, map.points_of(range), wires, stream, [&](Points<Point> points) -> Status {
        const auto split = [&] { return cuda::split(stream, ticket_.witness->view(), map, range, split_, &to.count); };
        CUZK_CHECK_OK(phases.log.run(stream, {{DevicePhase::split, split}}));
        CUZK_CHECK_OK(lane_.events.split.record(stream));
        CUZK_CHECK_OK(lane_.events.split.wait());
        if (first > 0) to.ones_before += to.ones.point();  // the part before has been summed
        return queue_sum<C, Point>(phases, stream, points, split_, to.count, to.general, &to.ones, msm, most, work);
      }));
    }
    return {};
  }

  CudaTicket<C>& ticket_;
  const CudaKey<C>& key_;
  Lane<C>& lane_;
  cuda::SplitScalars split_;  // of a part
  unsigned turn_ = 0;
};

/// One run of prove_start: the steps and what they share.
template <class C> class Start {
 public:
  using Fr = FrOf<C>;
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  using Queries = typename CudaKey<C>::Queries;

  Start(CudaTicket<C>& ticket, ProvingInput<C>& input)
      : ticket_(ticket),
        device_(*ticket.device),
        key_(*ticket.key),
        circuit_(ticket.circuit.get()),
        queries_(ticket.queries),
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
    if (plan_.rows_last) CUZK_CHECK_OK(StreamedSums<C>(ticket_).sum_witness());
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

  /// A witness of which more than an eighth is no bits crosses whole; how many those are the device finds out.
  ProofShape shape() {
    const auto aux = aux_of(values_, num_inputs_);
    bits_ = r1cs::find_bits(device_.host(), aux, aux.size() / 8);
    const std::size_t general = bits_ ? bits_->general : aux.size();
    const auto split = [&](const cuda::QueryMap& map) {
      return ProofShape::Split{map.num_points(),
                               map.num_inputs() + std::min(general, map.num_points() - map.num_inputs())};
    };
    return {.domain_size = key_.shape().domain_size,
            .quotient_scalars = queries_.h->size,
            .witness = {.num_inputs = num_inputs_, .num_aux = aux.size(), .most_general = general},
            .plain = !bits_,
            .a = split(ticket_.map_a()),
            .b = split(ticket_.map_b()),
            .l = split(ticket_.map_l()),
            .streams = {.a = !queries_.a->is_resident(),
                        .b_g1 = !queries_.b_g1->is_resident(),
                        .b_g2 = !queries_.b_g2->is_resident(),
                        .l = !queries_.l->is_resident(),
                        .h = !queries_.h->is_resident()},
            .rows_on_device = rows_ != nullptr};
  }

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
        if (!plan_.evaluates_rows()) rows_ = nullptr;
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
    if (bits_) {
      packed_.emplace(r1cs::pack(device_.host(), values_, num_inputs_, *std::move(bits_)));
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
    const Bytes from = std::as_bytes(aux_of(values_, num_inputs_));
    return device_.uploader().stream_through(
        copies, memory_.staging, from.size(), 64 * sizeof(U256),
        [&](std::size_t offset, MutableBytes to) {
          parallel_copy(device_.host(), to, from.subspan(offset, to.size()));
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
    const auto split_all = [&]() -> Status {
      if (!shape.streams.a) {
        split_a_ = cuda::split_memory(shape.a.points, shape.a.general, memory_.split_a);
        CUZK_CHECK_OK(cuda::split(stream, witness, ticket_.map_a(), all, split_a_, &host->general_a));
      }
      if (plan_.splits_all_of_b()) {
        split_b_ = cuda::split_memory(shape.b.points, shape.b.general, memory_.split_b);
        CUZK_CHECK_OK(cuda::split(stream, witness, ticket_.map_b(), all, split_b_, &host->general_b));
      }
      if (shape.streams.l) return {};
      split_l_ = cuda::split_memory(shape.l.points, shape.l.general, memory_.split_l);
      return cuda::split(stream, witness, ticket_.map_l(), all, split_l_, &host->general_l);
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
    const ProofShape::Streams& streams = plan_.shape.streams;
    auto* const host = lane().host;
    CUZK_CHECK_OK(lane().events.split.delay(g2_stream()));
    if (!streams.a) CUZK_CHECK_OK(queue_sum_g1(*queries_.a, split_a_, host->general_a, lane().a, &host->ones_a));
    if (!streams.b_g1) CUZK_CHECK_OK(queue_sum_g1(*queries_.b_g1, split_b_, host->general_b, lane().b, &host->ones_b));
    if (!streams.l) CUZK_CHECK_OK(queue_sum_g1(*queries_.l, split_l_, host->general_l, lane().l, &host->ones_l));
    CUZK_CHECK_OK(lane().events.sums.record(sums_stream()));
    if (!streams.b_g2) {
      const SumPhases in_g2{lane().phases, DevicePhase::msm_b_g2, DevicePhase::msm_b_g2};
      CUZK_CHECK_OK(
          (queue_sum<C, G2>(in_g2, g2_stream(), queries_.b_g2->points(), split_b_, host->general_b, lane().b_g2,
                            &host->ones_b_g2, lane().msms.g2, plan_.most_g2(), memory_.ones_g2)));
    }
    return lane().events.sums_g2.record(g2_stream());
  }

  template <class Sum>
  Status queue_sum_g1(const typename CudaKey<C>::template Query<typename C::G1Affine>& query,
                      const cuda::SplitScalars& split, std::uint32_t general, Sum& sum, cuda::XyzzPoint<G1>* ones) {
    return queue_sum<C, G1>({lane().phases, DevicePhase::subset_sums, DevicePhase::msm_general}, sums_stream(),
                            query.points(), split, general, sum, ones, lane().msms.g1, plan_.most_g1(),
                            memory_.ones_g1);
  }

  // Rows and quotient.

  /// Where the vector of A, B or C is worked on.
  DeviceSpan<Fr> place(unsigned i) const {
    return i == 0 || plan_.vectors == 1 ? memory_.a : i == 1 ? memory_.b : memory_.c;
  }

  Status queue_quotient() {
    const Stream& stream = lane().streams.main;
    const auto evaluate = [&](DeviceSpan<Fr> a, DeviceSpan<Fr> b, DeviceSpan<Fr> c) {
      const auto queue = [&] { return rows_->evaluate(stream, witness_->view(), 0, a, b, c); };
      return lane().phases.run(stream, {{DevicePhase::evaluate, queue}});
    };
    if (plan_.vectors == 3) CUZK_CHECK_OK(evaluate(memory_.a, memory_.b, memory_.c));
    for (unsigned i = 0; i < 3; ++i) {
      if (plan_.vectors < 3) {
        std::array<DeviceSpan<Fr>, 3> one{};
        one[i] = place(i);
        CUZK_CHECK_OK(evaluate(one[0], one[1], one[2]));
      }
      CUZK_CHECK_OK(take_vector(i));
    }
    return queue_h();
  }

  /// Rows of A, B or C are in their place as far as the main stream has come. With the last one the scalars are in a.
  Status take_vector(unsigned i) {
    const Stream& stream = lane().streams.main;
    const auto& quotient = key_.quotient();
    const auto to_coset = [&] { return quotient.to_coset(stream, place(i)); };
    CUZK_CHECK_OK(lane().phases.run(stream, {{DevicePhase::ntt, to_coset}}));
    if (i == 0 && plan_.vectors > 1) return {};
    const auto meet = [&]() -> Status {
      if (plan_.vectors == 1) return i < 2 ? park(i) : meet_parked();
      if (plan_.vectors == 2 && i == 1) return quotient.multiply(stream, memory_.a, constant(memory_.b));
      if (i == 1) return {};
      if (plan_.vectors == 3) return quotient.divide(stream, memory_.a, constant(memory_.b), constant(memory_.c));
      CUZK_CHECK_OK(quotient.subtract(stream, memory_.a, constant(memory_.a), constant(memory_.c)));
      return quotient.finish(stream, memory_.a);
    };
    return lane().phases.run(stream, {{DevicePhase::ntt, meet}});
  }

  /// Values on the coset go to the host, which waits for them.
  Status park(unsigned i) {
    const std::size_t page = memory::page_bytes();
    const std::size_t bytes = memory_.a.size * sizeof(Fr);
    CUZK_TRY(parked_[i], memory::PageBlock::map((bytes + page - 1) / page * page));
    const DeviceSpan<const std::byte> from{reinterpret_cast<const std::byte*>(memory_.a.data), bytes};
    return device_.uploader().download(lane().streams.main, from, [&](std::size_t offset, Bytes part) {
      parallel_copy(device_.host(), parked_[i].bytes().subspan(offset, part.size()), part);
      return check_stop(ticket_.stop, "proving");
    });
  }

  /// c is on the coset: a b - c, in parts.
  Status meet_parked() {
    const Stream& stream = lane().streams.main;
    const auto& quotient = key_.quotient();
    const std::size_t most = memory_.parked[0].size;
    for (std::size_t first = 0; first < memory_.a.size; first += most) {
      const std::size_t count = std::min(most, memory_.a.size - first);
      for (unsigned i = 0; i < 2; ++i) {
        const DeviceSpan<std::byte> to{reinterpret_cast<std::byte*>(memory_.parked[i].data), count * sizeof(Fr)};
        const Bytes from = parked_[i].bytes().subspan(first * sizeof(Fr), to.size);
        CUZK_CHECK_OK(device_.uploader().upload(stream, to, sizeof(Fr), [&](std::size_t offset, MutableBytes part) {
          parallel_copy(device_.host(), part, from.subspan(offset, part.size()));
          return check_stop(ticket_.stop, "proving");
        }));
      }
      const auto product = memory_.parked[0].subspan(0, count);
      const auto values = memory_.a.subspan(first, count);
      CUZK_CHECK_OK(quotient.multiply(stream, product, constant(memory_.parked[1].subspan(0, count))));
      CUZK_CHECK_OK(quotient.subtract(stream, values, constant(product), constant(values)));
    }
    for (auto& parked : parked_) parked = {};
    return quotient.finish(stream, memory_.a);
  }

  Status queue_h() {
    if (plan_.shape.streams.h) return {};  // in prove_finish
    const Stream& stream = lane().streams.main;
    const auto points = queries_.h->points();
    const DeviceSpan<const U256> scalars{reinterpret_cast<const U256*>(memory_.a.data), points.size};
    const auto add = [&] { return lane().h.add(stream, lane().msms.h, plan_.most_h(), points, scalars, nullptr); };
    return lane().phases.run(stream, {{DevicePhase::msm_h, add}});
  }

  /// A vector is transformed while the next one crosses, if that has a place of its own.
  template <class Copy> Status upload_rows(std::size_t rows, const Copy& copy) {
    const Stream& copies = device_.copies();
    const Stream& stream = lane().streams.main;
    ticket_.copies_done = false;
    for (unsigned i = 0; i < 3; ++i) {
      const DeviceSpan<Fr> to = place(i);
      CUZK_CHECK_OK(check_stop(ticket_.stop, "proving"));
      if (!plan_.side_by_side || plan_.vectors < 3) {  // something else was there
        CUZK_CHECK_OK(lane().events.place.record(stream));
        CUZK_CHECK_OK(lane().events.place.delay(copies));
      }
      const auto cross = [&] { return copy(i, to.subspan(0, rows)); };
      CUZK_CHECK_OK(lane().phases.run(copies, {{DevicePhase::h2d_abc, cross}}));
      const std::size_t rest = (to.size - rows) * sizeof(Fr);
      if (rest > 0) CUZK_CUDA(cudaMemsetAsync(to.data + rows, 0, rest, copies.get()));
      CUZK_CHECK_OK(lane().events.rows.record(copies));
      CUZK_CHECK_OK(lane().events.rows.delay(stream));
      CUZK_CHECK_OK(take_vector(i));
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
      parallel_copy(device_.host(), part, from.subspan(offset, part.size()));
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
  const Queries& queries_;
  ProvingInput<C>& input_;
  std::span<const U256> values_;
  std::size_t num_inputs_;
  const cuda::DeviceCircuit<Fr>* rows_;  // null: they come from the host
  ProofPlan& plan_;
  ProofMemory<C>& memory_;
  std::optional<cuda::DeviceWitness>& witness_;
  std::optional<r1cs::PackedBits> bits_;  // none: the witness crosses whole
  std::optional<r1cs::PackedWitness> packed_;
  cuda::SplitScalars split_a_, split_b_, split_l_;
  memory::PageBlock parked_[2];  // values of a and b on the coset
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
    if (!input.urgent) CUZK_CHECK_OK(own_key->take_room(input.stop));
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
    if (!own->plan.rows_last) CUZK_CHECK_OK(streamed.sum_witness());
    CUZK_CHECK_OK(streamed.sum_h());
    for (const cuda::Event* event : {&lane.events.sums, &lane.events.sums_g2, &lane.events.main}) {
      CUZK_CHECK_OK(check_stop(own->stop, "proving"));
      CUZK_CHECK_OK(event->wait());
    }
    CUZK_CHECK_OK(check_stop(own->stop, "proving"));
    const cuda::NvtxRange range(to_string(DevicePhase::finish));
    const std::uint64_t begin = monotonic_ns();
    auto sums = sums_of(lane);
    const auto& ones = own->ones_of_parts;
    sums.a += ones.a;
    sums.b_g1 += ones.b_g1;
    sums.b_g2 += ones.b_g2;
    sums.l += ones.l;
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
