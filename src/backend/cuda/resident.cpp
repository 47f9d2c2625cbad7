#include "backend/cuda/resident.h"

#include <bit>

#include "backend/cuda/order.h"
#include "backend/cuda/proof_memory.h"
#include "backend/key_queries.h"
#include "r1cs/density.h"
#include "r1cs/row_circuit.h"
#include "support/parallel_copy.h"

namespace cuzk::backend {

using cuda::DeviceBuffer;
using cuda::DeviceSpan;
using cuda::Stream;
using memory::MemoryTag;

namespace {

constexpr std::size_t kWiresPerChunk = 64 * 64;  // whole words of a bitmap
constexpr std::uint64_t kMostOfDevice = 4;       // the part of it that the rows of a circuit may take
constexpr std::size_t kVariablesPerMove = std::size_t{1} << 22;

/// Of the tables of one level of a transform (ntt.h).
std::uint64_t table_bytes(const CudaDevice& device) {
  return std::max(device.arena().budget()->budget()->total_bytes() / 64, std::uint64_t{1} << 20);
}

/// The points of the wires.
template <class Point>
void gather(Arena& arena, const PointSpan<Point>& from, std::span<const std::uint32_t> wires, std::span<Point> to) {
  parallel_for(arena, 0, to.size(), kBytesPerCopy / sizeof(Point), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] = from[wires[i]];
  });
}

auto memory_of(CudaDevice& device, MemoryTag tag, std::string owner) {
  return [&device, tag, owner = std::move(owner)](std::size_t bytes) {
    return device.arena().take({.bytes = bytes, .tag = tag, .owner = owner});
  };
}

}  // namespace

template <class Fr>
Result<std::shared_ptr<const typename QuotientCache<Fr>::Entry>> QuotientCache<Fr>::get(
    CudaDevice& device, const cuda::QuotientShape& shape) {
  const MutexLock lock(mutex_);  // who wants the same waits for it
  std::erase_if(known_, [](const auto& entry) { return entry.expired(); });
  for (const auto& known : known_) {
    if (auto entry = known.lock(); entry != nullptr && entry->shape == shape) return entry;
  }
  CUZK_TRY(const Stream stream, Stream::create());
  const auto memory = memory_of(device, MemoryTag::key, "transforms of 2^" + std::to_string(shape.log_size));
  CUZK_TRY(auto quotient, cuda::DeviceQuotient<Fr>::create(stream, shape, table_bytes(device), memory));
  CUZK_CHECK_OK(stream.wait());
  auto entry = std::make_shared<const Entry>(Entry{shape, std::move(quotient)});
  known_.push_back(entry);
  return entry;
}

Result<ResidentMap> ResidentMap::load(CudaDevice& device, const Stream& stream, const r1cs::Bitmap& wires,
                                      std::size_t num_inputs, MemoryTag tag) {
  ResidentMap loaded;
  CUZK_TRY(loaded.memory, memory_of(device, tag, "map of a query")(cuda::QueryMap::bytes(wires, num_inputs)));
  CUZK_TRY(loaded.map, cuda::QueryMap::load(stream, wires, num_inputs, loaded.memory.as<std::byte>()));
  return loaded;
}

template <class Fr>
Result<ResidentRows<Fr>> ResidentRows<Fr>::load(CudaDevice& device, const Stream& stream,
                                                const r1cs::CompiledCircuit<Fr>& circuit,
                                                const cuda::CircuitOptions& options, MemoryTag tag) {
  ResidentRows loaded;
  const auto bytes = cuda::DeviceCircuit<Fr>::bytes(circuit, options);
  if (!bytes && bytes.error().code() == Code::unsupported) return loaded;
  if (!bytes) return fail(Error(bytes.error().code(), bytes.error().message()));
  if (*bytes > device.arena().budget()->budget()->total_bytes() / kMostOfDevice) return loaded;
  CUZK_TRY(loaded.memory, memory_of(device, tag, "rows of a circuit")(*bytes));
  CUZK_TRY(loaded.circuit,
           cuda::DeviceCircuit<Fr>::load(stream, circuit, options, loaded.memory.template as<std::byte>()));
  return loaded;
}

template <class C>
Result<std::shared_ptr<const CudaCircuit<C>>> CudaCircuit<C>::load(std::shared_ptr<CudaDevice> device,
                                                                   std::shared_ptr<const Compiled> compiled,
                                                                   const StopToken& stop) {
  auto circuit = std::make_shared<CudaCircuit>();
  const auto maps = r1cs::density_maps(*compiled, stop);
  CUZK_CHECK_OK(check_stop(stop, "loading a circuit"));
  CUZK_TRY(const Stream stream, Stream::create());
  const std::size_t inputs = compiled->num_inputs();
  CUZK_TRY(circuit->a_, ResidentMap::load(*device, stream, maps.a, inputs, MemoryTag::circuit));
  CUZK_TRY(circuit->b_, ResidentMap::load(*device, stream, maps.b, inputs, MemoryTag::circuit));
  CUZK_CHECK_OK(check_stop(stop, "loading a circuit"));
  CUZK_TRY(circuit->rows_, ResidentRows<Fr>::load(*device, stream, *compiled, {}, MemoryTag::circuit));
  CUZK_CHECK_OK(check_stop(stop, "loading a circuit"));
  circuit->device_ = std::move(device);
  circuit->compiled_ = std::move(compiled);
  return circuit;
}

template <class C> typename CudaKey<C>::Queries CudaKey<C>::queries() const noexcept {
  const MutexLock lock(mutex_);
  return queries_;
}

template <class C> std::optional<std::uint64_t> CudaKey<C>::host_bytes() const noexcept {
  const Queries all = queries();
  std::uint64_t bytes = 8 * (a_.wires.words().size() + b_.wires.words().size());
  for (const auto& query : {all.a, all.b_g1, all.l, all.h}) bytes += query->decoded.size();
  return bytes + all.b_g2->decoded.size();
}

template <class C> std::uint64_t CudaKey<C>::lacking_bytes() const noexcept {
  const Queries all = queries();
  std::uint64_t bytes = 0;
  const auto count = [&](const auto& query, std::size_t of_point) {
    if (!query.is_resident()) bytes += query.size * of_point;
  };
  count(*all.a, sizeof(G1));
  count(*all.b_g1, sizeof(G1));
  count(*all.b_g2, sizeof(G2));
  if (bytes == 0) return 0;
  bytes += device_->working_bytes();
  return bytes <= device_->arena().budget()->budget()->total_bytes() ? bytes : 0;
}

template <class C>
std::vector<std::uint32_t> CudaKey<C>::list_of(const ResidentMap& map, const cuda::AuxRange& range) const {
  constexpr std::size_t kStep = cuda::QueryMap::kStep;
  const auto all = map.map.points_of(range);
  std::vector<std::uint32_t> list(all.count);
  const std::size_t steps = std::max<std::size_t>((range.count + kStep - 1) / kStep, 1);
  parallel_for(device_->host(), 0, steps, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const cuda::AuxRange part{range.first + i * kStep, std::min(kStep, range.count - i * kStep)};
      std::size_t at = map.map.points_of(part).first - all.first;
      const std::size_t last = shape_.num_inputs + part.first + part.count;
      for (std::size_t wire = part.first == 0 ? 0 : shape_.num_inputs + part.first; wire < last; ++wire) {
        if (map.wires.test(wire)) list[at++] = static_cast<std::uint32_t>(wire);
      }
    }
  });
  return list;
}

template <class C>
template <class Point>
Status CudaKey<C>::upload(const Stream& stream, const Query<Point>& query, std::size_t first, DeviceSpan<Point> to,
                          std::span<const std::uint32_t> wires, const StopToken& stop) const {
  const auto& from = query.on_host;
  const auto fill = [&](std::size_t offset, MutableBytes part) {
    const std::size_t at = offset / sizeof(Point);
    const std::span<Point> points(reinterpret_cast<Point*>(part.data()), part.size() / sizeof(Point));
    if (query.is_dense) {
      gather(device_->host(), from, wires.subspan(at, points.size()), points);
    } else {
      parallel_copy(device_->host(), part, from.bytes().subspan((first + at) * sizeof(Point), part.size()));
    }
    return check_stop(stop, "copying a key's points");
  };
  return device_->uploader().upload(stream, {reinterpret_cast<std::byte*>(to.data), to.size * sizeof(Point)},
                                    sizeof(Point), fill);
}

template <class C> Status CudaKey<C>::bring_in_order(const Stream& stream, const Query<G1>& h) const {
  if (!has_reversed_scalars() || !h.is_resident()) return {};
  return cuda::reverse_order(stream, h.memory.template as<std::byte>(), sizeof(G1), log_domain());
}

template <class C> Status CudaKey<C>::take_room(const StopToken& stop) const {
  const auto is_here = [](const auto&... queries) { return (queries->is_resident() && ...); };
  const MutexLock one_at_a_time(moving_);
  Queries now = queries();
  if (is_here(now.a, now.b_g1, now.b_g2, now.l, now.h)) return {};
  CUZK_CHECK_OK(check_mapping());
  const auto move = [&](auto& query, const Arrival& arrival) -> Status {
    CUZK_CHECK_OK(move_to_device(query, arrival, stop));
    const MutexLock lock(mutex_);
    queries_ = now;
    return {};
  };
  CUZK_CHECK_OK(move(now.a, {.map = &a_}));
  CUZK_CHECK_OK(move(now.b_g1, {.map = &b_}));
  CUZK_CHECK_OK(move(now.b_g2, {.map = &b_}));
  CUZK_CHECK_OK(move(now.l, {}));
  CUZK_CHECK_OK(move(now.h, {.in_order = true}));
  return check_mapping();
}

template <class C>
template <class Point>
Status CudaKey<C>::move_to_device(QueryPtr<Point>& query, const Arrival& arrival, const StopToken& stop) const {
  const std::size_t bytes = query->size * sizeof(Point);
  if (query->is_resident() || !device_->has_room(bytes)) return {};
  auto moved = std::make_shared<Query<Point>>();
  moved->size = query->size;
  auto memory = memory_of(*device_, MemoryTag::key, "a query that was with the host")(bytes);
  if (!memory && memory.error().code() == Code::exhausted) return {};
  CUZK_TRY(moved->memory, std::move(memory));
  CUZK_TRY(const Stream stream, Stream::create());
  const auto to = moved->memory.template as<Point>();
  const auto copy = [&]() -> Status {
    if (!query->is_dense) return upload<Point>(stream, *query, 0, to, {}, stop);
    const cuda::QueryMap& map = arrival.map->map;
    for (std::size_t first = 0; first < map.num_aux() || first == 0; first += kVariablesPerMove) {
      const cuda::AuxRange range{first, std::min(kVariablesPerMove, map.num_aux() - first)};
      const auto points = map.points_of(range);
      const auto wires = list_of(*arrival.map, range);
      CUZK_CHECK_OK(upload<Point>(stream, *query, 0, to.subspan(points.first, points.count), wires, stop));
    }
    return {};
  };
  Status copied = copy();
  if constexpr (std::is_same_v<Point, G1>) {
    if (copied && arrival.in_order) copied = bring_in_order(stream, *moved);
  }
  Status ended = stream.wait();  // before its memory goes back
  CUZK_CHECK_OK(std::move(copied));
  CUZK_CHECK_OK(std::move(ended));
  if (file_ != nullptr && query->decoded.size() == 0) file_->drop(query->on_host.bytes());
  query = std::move(moved);
  return {};
}

/// The steps of a load, and what they share.
template <class C> class KeyLoader {
 public:
  using Fr = typename C::Fr;
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;
  template <class Point> using Query = typename CudaKey<C>::template Query<Point>;

  KeyLoader(CudaDevice& device, const Stream& stream, const groth16::ProvingKeyView<C>& view, const StopToken& stop,
            CudaKey<C>& key)
      : device_(device), stream_(stream), view_(view), stop_(stop), key_(key) {}

  Status run() {
    if (!view_.filtered) CUZK_CHECK_OK(load_maps());
    CUZK_TRY(const std::uint64_t working, working_bytes());
    device_.expect_working_bytes(working);
    CUZK_CHECK_OK(load_of_map("a", view_.a, wires_a_, a_));
    CUZK_CHECK_OK(load_of_map("b_g1", view_.b_g1, wires_b_, b_g1_));
    CUZK_CHECK_OK(load_of_map("b_g2", view_.b_g2, wires_b_, b_g2_));
    CUZK_CHECK_OK(load_or_keep("l", view_.l, l_));
    CUZK_CHECK_OK(load_or_keep("h", view_.h, h_));
    CUZK_CHECK_OK(key_.bring_in_order(stream_, h_));
    if (view_.coefficients) CUZK_CHECK_OK(load_rows(*view_.coefficients));
    CUZK_CHECK_OK(stream_.wait());
    give_queries();
    return view_.file == nullptr ? Status() : view_.file->still_whole();
  }

 private:
  QueryPlace place(std::string_view name, Bytes bytes) const { return {name, bytes, view_.encoding, view_.file}; }

  void give_queries() {
    if (a_.is_dense) key_.a_.wires = std::move(wires_a_);
    if (b_g1_.is_dense || b_g2_.is_dense) key_.b_.wires = std::move(wires_b_);
    const auto shared = []<class Point>(Query<Point>& query) {
      return std::make_shared<const Query<Point>>(std::move(query));
    };
    const MutexLock lock(key_.mutex_);
    key_.queries_ = {.a = shared(a_), .b_g1 = shared(b_g1_), .l = shared(l_), .h = shared(h_), .b_g2 = shared(b_g2_)};
  }

  template <class Point> Status make_room(std::string_view name, std::size_t points, Query<Point>& query) {
    CUZK_TRY(query.memory, memory_of(device_, MemoryTag::key, "query " + std::string(name))(points * sizeof(Point)));
    query.size = points;
    return {};
  }

  template <class Point> using Fill = FunctionRef<Status(std::size_t first, std::span<Point> to)>;
  template <class Point> Status upload(const Query<Point>& query, Fill<Point> fill) {
    return device_.uploader().upload(stream_, {query.memory.template as<std::byte>().data, query.size * sizeof(Point)},
                                     sizeof(Point), [&](std::size_t offset, MutableBytes to) {
                                       return fill(offset / sizeof(Point),
                                                   {reinterpret_cast<Point*>(to.data()), to.size() / sizeof(Point)});
                                     });
  }

  template <class Point> Status load_all(std::string_view name, Bytes bytes, Query<Point>& query) {
    CUZK_CHECK_OK(make_room(name, bytes.size() / sizeof(Point), query));
    const QueryPlace from = place(name, bytes);
    return upload<Point>(query, [&](std::size_t first, std::span<Point> to) {
      return read_points<Point>(device_.host(), from, first, to, device_.options().validation, stop_);
    });
  }

  /// Of a proof in little memory, with a witness of which a quarter is no bits: sums in turn, in half of the device at
  /// most where that costs little, else in most of it. No less than any witness takes at least.
  Result<std::uint64_t> working_bytes() const {
    const std::size_t aux = view_.num_variables - key_.shape_.num_inputs;
    const std::uint64_t total = device_.arena().budget()->budget()->total_bytes();
    CUZK_TRY(ProofPlan plan, ProofPlan::in_turn<C>(proof_shape(aux / 4), total / 2));
    if (plan.vectors == 1) {
      CUZK_TRY(plan, ProofPlan::in_turn<C>(proof_shape(aux / 4), total - total / 8));
    }
    CUZK_TRY(const ProofPlan least, ProofPlan::in_turn<C>(proof_shape(aux), 0));
    CUZK_TRY(const std::uint64_t bytes, ProofMemory<C>::bytes(plan));
    CUZK_TRY(const std::uint64_t least_bytes, ProofMemory<C>::bytes(least));
    return std::min(std::max(bytes, least_bytes), total);
  }
  ProofShape proof_shape(std::size_t general) const {
    const std::size_t aux = view_.num_variables - key_.shape_.num_inputs;
    const auto split = [&](std::size_t points) { return ProofShape::Split{points, std::min(points, general)}; };
    return {.domain_size = view_.domain_size,
            .quotient_scalars = groth16::quotient_size(view_.basis, view_.domain_size),
            .witness = {.num_inputs = key_.shape_.num_inputs, .num_aux = aux, .most_general = general},
            .plain = general > aux / 8,
            .a = split(view_.filtered ? view_.a.size() / sizeof(G1) : key_.a_.map.num_points()),
            .b = split(view_.filtered ? view_.b_g1.size() / sizeof(G1) : key_.b_.map.num_points()),
            .l = split(aux),
            .streams = ProofShape::Streams::all()};
  }

  /// On the device, if that leaves proofs their room.
  template <class Point, class Load, class Keep>
  Status load_if_room(std::size_t points, const Load& load, const Keep& keep) {
    if (device_.has_room(points * sizeof(Point))) {
      Status loaded = load();
      if (loaded || loaded.error().code() != Code::exhausted) return loaded;
    }
    key_.owner_ = view_.owner;
    key_.file_ = view_.file;
    return keep();
  }

  template <class Point> Status load_or_keep(std::string_view name, Bytes bytes, Query<Point>& query) {
    return load_if_room<Point>(
        bytes.size() / sizeof(Point), [&] { return load_all(name, bytes, query); },
        [&] { return keep_on_host(name, bytes, query); });
  }

  template <class Point> Status keep_on_host(std::string_view name, Bytes bytes, Query<Point>& query) {
    query.size = bytes.size() / sizeof(Point);
    if (query.size == 0) return {};
    if (view_.encoding == groth16::PointEncoding::montgomery_le) {
      query.on_host = PointSpan<Point>(bytes);
      return {};
    }
    const std::size_t page = memory::page_bytes();
    CUZK_TRY(query.decoded, memory::PageBlock::map((bytes.size() + page - 1) / page * page));
    const std::span<Point> points(reinterpret_cast<Point*>(query.decoded.bytes().data()), query.size);
    query.on_host = PointSpan<Point>(std::as_bytes(points));
    return read_points<Point>(device_.host(), place(name, bytes), 0, points, device_.options().validation, stop_);
  }

  /// Of a dense query only the points of the wires.
  template <class Point>
  Status load_of_map(std::string_view name, Bytes bytes, const r1cs::Bitmap& wires, Query<Point>& query) {
    if (view_.filtered) return load_or_keep(name, bytes, query);
    const std::size_t count = wires.count();
    return load_if_room<Point>(
        count, [&] { return load_some(name, bytes, list_of(wires), query); },
        [&] {
          query.size = count;
          if (count > 0) query.on_host = PointSpan<Point>(bytes);
          query.is_dense = count > 0;
          return Status();
        });
  }

  /// Those of the wires, from a dense query in our memory layout.
  template <class Point>
  Status load_some(std::string_view name, Bytes bytes, std::span<const std::uint32_t> wires, Query<Point>& query) {
    CUZK_CHECK_OK(make_room(name, wires.size(), query));
    const PointSpan<Point> from(bytes);
    CUZK_CHECK_OK(upload<Point>(query, [&](std::size_t first, std::span<Point> to) {
      gather(device_.host(), from, wires.subspan(first, to.size()), to);
      return check_stop(stop_, "loading a key");
    }));
    if (view_.file != nullptr) view_.file->drop(bytes);
    return {};
  }

  /// Wires whose points are not all the identity.
  template <class... Points> r1cs::Bitmap present(const PointSpan<Points>&... queries) const {
    r1cs::Bitmap wires(view_.num_variables);
    parallel_for(device_.host(), 0, (view_.num_variables + kWiresPerChunk - 1) / kWiresPerChunk, 1,
                 [&](std::size_t begin, std::size_t end) {
                   const std::size_t last = std::min(end * kWiresPerChunk, view_.num_variables);
                   for (std::size_t i = begin * kWiresPerChunk; i < last; ++i) {
                     if (!(queries[i].is_identity() && ...)) wires.set(i);
                   }
                 });
    return wires;
  }
  static std::vector<std::uint32_t> list_of(const r1cs::Bitmap& wires) {
    std::vector<std::uint32_t> list;
    list.reserve(wires.count());
    for (std::size_t i = 0; i < wires.size(); ++i) {
      if (wires.test(i)) list.push_back(static_cast<std::uint32_t>(i));
    }
    return list;
  }

  Status load_maps() {
    if (view_.encoding != groth16::PointEncoding::montgomery_le) {
      return fail(Code::unsupported, "a key whose encoded queries are not filtered");
    }
    const std::size_t inputs = key_.shape_.num_inputs;
    wires_a_ = present(PointSpan<G1>(view_.a));
    CUZK_CHECK_OK(check_stop(stop_, "loading a key"));
    CUZK_TRY(key_.a_, ResidentMap::load(device_, stream_, wires_a_, inputs, MemoryTag::key));
    wires_b_ = present(PointSpan<G1>(view_.b_g1), PointSpan<G2>(view_.b_g2));
    CUZK_CHECK_OK(check_stop(stop_, "loading a key"));
    CUZK_TRY(key_.b_, ResidentMap::load(device_, stream_, wires_b_, inputs, MemoryTag::key));
    return {};
  }

  /// The rows of a .zkey; of more records than a circuit can have the host evaluates them.
  Status load_rows(const r1cs::CoefficientRecords<Fr>& records) {
    key_.records_ = records;
    key_.owner_ = view_.owner;
    if (records.size() >> 32 != 0) return {};
    const auto rows = r1cs::to_rows(records, view_.num_variables, view_.num_public(), view_.domain_size);
    CUZK_CHECK_OK(check_stop(stop_, "loading a key"));
    if (view_.file != nullptr) view_.file->drop(records.bytes());
    const cuda::CircuitOptions options{.inputs = cuda::RowsOfInputs::stored};
    CUZK_TRY(key_.rows_, ResidentRows<Fr>::load(device_, stream_, rows, options, MemoryTag::key));
    return {};
  }

  CudaDevice& device_;
  const Stream& stream_;
  const groth16::ProvingKeyView<C>& view_;
  const StopToken& stop_;
  CudaKey<C>& key_;
  r1cs::Bitmap wires_a_, wires_b_;
  Query<G1> a_, b_g1_, l_, h_;
  Query<G2> b_g2_;
};

template <class C>
Result<std::shared_ptr<const CudaKey<C>>> CudaKey<C>::load(std::shared_ptr<CudaDevice> device,
                                                           QuotientCache<Fr>& quotients,
                                                           const groth16::ProvingKeyView<C>& view,
                                                           const StopToken& stop) {
  CUZK_CHECK_OK(groth16::check_quotient_domain<C>(view.domain_size, view.basis));
  CUZK_CHECK_OK(check_queries(view));
  std::shared_ptr<CudaKey> key(new CudaKey());
  key->vk_ = view.vk;
  key->shape_ = KeyShape::of(view);
  CUZK_TRY(key->quotient_,
           quotients.get(*device, {.log_size = static_cast<unsigned>(std::countr_zero(view.domain_size)),
                                   .basis = view.basis,
                                   .roots = view.roots}));
  CUZK_TRY(const Stream stream, Stream::create());
  KeyLoader<C> loader(*device, stream, view, stop, *key);
  Status loaded = loader.run();
  key->device_ = std::move(device);
  if (loaded) return key;
  static_cast<void>(stream.wait());  // before its memory goes back
  return fail(std::move(loaded).error());
}

template class QuotientCache<bn254::Fr>;
template class QuotientCache<bls12_381::Fr>;
template class CudaCircuit<Bn254>;
template class CudaCircuit<Bls12_381>;
template class CudaKey<Bn254>;
template class CudaKey<Bls12_381>;

#define CUZK_INSTANTIATE(C, Point)                                                                             \
  template Status CudaKey<C>::upload(const Stream&, const Query<C::Point>&, std::size_t, DeviceSpan<C::Point>, \
                                     std::span<const std::uint32_t>, const StopToken&) const;
CUZK_INSTANTIATE(Bn254, G1Affine)
CUZK_INSTANTIATE(Bn254, G2Affine)
CUZK_INSTANTIATE(Bls12_381, G1Affine)
CUZK_INSTANTIATE(Bls12_381, G2Affine)

}  // namespace cuzk::backend
