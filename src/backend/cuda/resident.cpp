#include "backend/cuda/resident.h"

#include <bit>

#include "backend/cuda/order.h"
#include "backend/cuda/proof_memory.h"
#include "backend/key_queries.h"
#include "r1cs/density.h"
#include "r1cs/row_circuit.h"

namespace cuzk::backend {

using cuda::DeviceBuffer;
using cuda::DeviceSpan;
using cuda::Stream;
using memory::MemoryTag;

namespace {

constexpr std::size_t kWiresPerChunk = 64 * 64;      // whole words of a bitmap
constexpr std::size_t kPointsPerGather = 16 * 1024;  // of some 100 bytes

/// Of the tables of one level of a transform (ntt.h).
std::uint64_t table_bytes(const CudaDevice& device) {
  return std::max(device.arena().budget()->budget()->total_bytes() / 64, std::uint64_t{1} << 20);
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
    auto& queries = key_.queries_;
    if (view_.filtered) {
      CUZK_CHECK_OK(load_all("a", view_.a, queries.a));
      CUZK_CHECK_OK(load_all("b_g1", view_.b_g1, queries.b_g1));
      CUZK_CHECK_OK(load_all("b_g2", view_.b_g2, queries.b_g2));
    } else {
      CUZK_CHECK_OK(load_dense());
    }
    device_.expect_working_bytes(working_bytes());
    CUZK_CHECK_OK(load_or_keep("l", view_.l, queries.l));
    CUZK_CHECK_OK(load_or_keep("h", view_.h, queries.h));
    if (view_.basis == groth16::QuotientBasis::coset_monomials && queries.h.is_resident()) {
      CUZK_CHECK_OK(cuda::reverse_order(stream_, queries.h.memory.template as<std::byte>(), sizeof(G1),
                                        static_cast<unsigned>(std::countr_zero(view_.domain_size))));
    }
    if (view_.coefficients) CUZK_CHECK_OK(load_rows(*view_.coefficients));
    CUZK_CHECK_OK(stream_.wait());
    return view_.file == nullptr ? Status() : view_.file->still_whole();
  }

 private:
  QueryPlace place(std::string_view name, Bytes bytes) const { return {name, bytes, view_.encoding, view_.file}; }

  template <class Point> Status make_room(std::string_view name, std::size_t points, Query<Point>& query) {
    query.size = points;
    CUZK_TRY(query.memory, memory_of(device_, MemoryTag::key, "query " + std::string(name))(points * sizeof(Point)));
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

  /// Of a proof in little memory, with a witness of which a quarter is no bits.
  std::uint64_t working_bytes() const {
    const std::size_t aux = view_.num_variables - key_.shape_.num_inputs;
    const auto split = [&](std::size_t points) { return ProofShape::Split{points, std::min(points, aux / 4)}; };
    ProofPlan plan =
        ProofPlan::largest({.domain_size = view_.domain_size,
                            .quotient_scalars = groth16::quotient_size(view_.basis, view_.domain_size),
                            .witness = {.num_inputs = key_.shape_.num_inputs, .num_aux = aux, .most_general = aux / 4},
                            .a = split(key_.queries_.a.size),
                            .b = split(key_.queries_.b_g1.size),
                            .l = split(aux),
                            .streams_h = true});
    plan.shrink();
    return ProofMemory<C>::bytes(plan).value_or(0);
  }

  /// On the device, if that leaves proofs their room.
  Status load_or_keep(std::string_view name, Bytes bytes, Query<G1>& query) {
    if (device_.arena().largest_free_bytes() >= bytes.size() + device_.working_bytes()) {
      Status loaded = load_all(name, bytes, query);
      if (loaded || loaded.error().code() != Code::exhausted) return loaded;
    }
    return keep_on_host(name, bytes, query);
  }

  Status keep_on_host(std::string_view name, Bytes bytes, Query<G1>& query) {
    query.size = bytes.size() / sizeof(G1);
    if (query.size == 0) return {};
    key_.owner_ = view_.owner;
    if (view_.encoding == groth16::PointEncoding::montgomery_le) {
      key_.file_ = view_.file;
      query.on_host = PointSpan<G1>(bytes);
      return {};
    }
    const std::size_t page = memory::page_bytes();
    CUZK_TRY(query.decoded, memory::PageBlock::map((bytes.size() + page - 1) / page * page));
    const std::span<G1> points(reinterpret_cast<G1*>(query.decoded.bytes().data()), query.size);
    query.on_host = PointSpan<G1>(std::as_bytes(points));
    return read_points<G1>(device_.host(), place(name, bytes), 0, points, device_.options().validation, stop_);
  }

  /// Those of the wires, from a dense query in our memory layout.
  template <class Point>
  Status load_some(std::string_view name, Bytes bytes, std::span<const std::uint32_t> wires, Query<Point>& query) {
    CUZK_CHECK_OK(make_room(name, wires.size(), query));
    const PointSpan<Point> from(bytes);
    CUZK_CHECK_OK(upload<Point>(query, [&](std::size_t first, std::span<Point> to) {
      parallel_for(device_.host(), 0, to.size(), kPointsPerGather, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) to[i] = from[wires[first + i]];
      });
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

  Status load_dense() {
    if (view_.encoding != groth16::PointEncoding::montgomery_le) {
      return fail(Code::unsupported, "a key whose encoded queries are not filtered");
    }
    const std::size_t inputs = key_.shape_.num_inputs;
    const r1cs::Bitmap a = present(PointSpan<G1>(view_.a));
    CUZK_CHECK_OK(check_stop(stop_, "loading a key"));
    CUZK_TRY(key_.a_, ResidentMap::load(device_, stream_, a, inputs, MemoryTag::key));
    CUZK_CHECK_OK(load_some("a", view_.a, list_of(a), key_.queries_.a));
    const r1cs::Bitmap b = present(PointSpan<G1>(view_.b_g1), PointSpan<G2>(view_.b_g2));
    CUZK_CHECK_OK(check_stop(stop_, "loading a key"));
    CUZK_TRY(key_.b_, ResidentMap::load(device_, stream_, b, inputs, MemoryTag::key));
    const auto wires = list_of(b);
    CUZK_CHECK_OK(load_some("b_g1", view_.b_g1, wires, key_.queries_.b_g1));
    return load_some("b_g2", view_.b_g2, wires, key_.queries_.b_g2);
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
  Status loaded = KeyLoader<C>(*device, stream, view, stop, *key).run();
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

}  // namespace cuzk::backend
