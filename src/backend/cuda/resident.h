// The CUDA backend's resident keys and circuits: what proofs are made with on a device.
//
// A key: its queries as points in the device's memory, those that are the identity left out of a and b; h in the order
// in which the quotient's scalars come; the transforms of its domain, shared by all keys of one domain; the rows of A
// and B where the key carries them. What has no room beside what proofs work in stays with the host, in its own order:
// h first, since its sum takes longer than its points take to cross, then l, then those of B and A. It follows when
// there is room (take_room). A circuit: its rows, and which variables are dense, for filtered keys. Rows that take more
// than a quarter of the device are left to the host.
//
// Memory is the arena's, tagged key or circuit; it goes back when the last proof with it has ended. Thread-safety:
// concurrently; what a proof was started with stays as it is.
#pragma once

#include <map>

#include "backend/cuda/device.h"
#include "backend/cuda/evaluate.h"
#include "backend/cuda/quotient.h"
#include "backend/cuda/scalar_split.h"
#include "backend/proving_checks.h"
#include "curve/point_span.h"
#include "memory/page_block.h"
#include "support/mutex.h"

namespace cuzk::backend {

/// Transforms of the domains that resident keys have.
template <class Fr> class QuotientCache {
 public:
  struct Entry {
    cuda::QuotientShape shape;
    cuda::DeviceQuotient<Fr> quotient;
  };
  Result<std::shared_ptr<const Entry>> get(CudaDevice& device, const cuda::QuotientShape& shape);

 private:
  Mutex mutex_;
  std::vector<std::weak_ptr<const Entry>> known_ CUZK_GUARDED_BY(mutex_);
};

/// Which variables of a witness a query has points for, and the memory of that.
struct ResidentMap {
  cuda::QueryMap map = cuda::QueryMap::all(0, 0);
  cuda::DeviceBuffer memory;
  r1cs::Bitmap wires;  // of a dense query, for what stays with the host

  static Result<ResidentMap> load(CudaDevice& device, const cuda::Stream& stream, const r1cs::Bitmap& wires,
                                  std::size_t num_inputs, memory::MemoryTag tag);
};

/// Rows that a device evaluates.
template <class Fr> struct ResidentRows {
  cuda::DeviceBuffer memory;
  std::optional<cuda::DeviceCircuit<Fr>> circuit;

  static Result<ResidentRows> load(CudaDevice& device, const cuda::Stream& stream,
                                   const r1cs::CompiledCircuit<Fr>& circuit, const cuda::CircuitOptions& options,
                                   memory::MemoryTag tag);
};

template <class C> class CudaCircuit final : public Circuit<C> {
 public:
  using Fr = typename C::Fr;
  using Compiled = r1cs::CompiledCircuit<Fr>;

  static Result<std::shared_ptr<const CudaCircuit>> load(std::shared_ptr<CudaDevice> device,
                                                         std::shared_ptr<const Compiled> compiled,
                                                         const StopToken& stop);

  const Compiled& compiled() const noexcept { return *compiled_; }
  CircuitShape<Fr> shape() const noexcept { return {compiled_.get(), a_.map.num_points(), b_.map.num_points()}; }
  /// Null: the circuit has a form that only the host evaluates, or takes too much of the device.
  const cuda::DeviceCircuit<Fr>* rows() const noexcept { return rows_.circuit ? &*rows_.circuit : nullptr; }
  const cuda::QueryMap& a() const noexcept { return a_.map; }
  const cuda::QueryMap& b() const noexcept { return b_.map; }
  bool is_on(const CudaDevice& device) const noexcept { return device_.get() == &device; }

 private:
  std::shared_ptr<CudaDevice> device_;
  std::shared_ptr<const Compiled> compiled_;
  ResidentMap a_, b_;
  ResidentRows<Fr> rows_;
};

template <class C> class CudaKey final : public Key<C> {
 public:
  using Fr = typename C::Fr;
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;

  template <class Point> struct Query {
    std::size_t size = 0;
    cuda::DeviceBuffer memory;
    PointSpan<Point> on_host;   // not empty: the points stay with the host, and cross for each proof
    bool is_dense = false;      // on_host has points of all variables, and those of the map are meant
    memory::PageBlock decoded;  // what on_host is of, where it is not the key's own bytes

    bool is_resident() const noexcept { return on_host.empty(); }
    cuda::DeviceSpan<const Point> points() const noexcept { return {memory.as<Point>().data, size}; }
  };
  template <class Point> using QueryPtr = std::shared_ptr<const Query<Point>>;
  struct Queries {
    QueryPtr<G1> a, b_g1, l, h;
    QueryPtr<G2> b_g2;
  };

  static Result<std::shared_ptr<const CudaKey>> load(std::shared_ptr<CudaDevice> device, QuotientCache<Fr>& quotients,
                                                     const groth16::ProvingKeyView<C>& view, const StopToken& stop);

  const groth16::VerifyingKey<C>& vk() const noexcept override { return vk_; }
  std::size_t num_variables() const noexcept override { return shape_.num_variables; }
  std::optional<std::uint64_t> host_bytes() const noexcept override;
  std::uint64_t lacking_bytes() const noexcept override;

  const KeyShape& shape() const noexcept { return shape_; }
  unsigned log_domain() const noexcept { return quotient_->shape.log_size; }
  std::size_t num_quotient_scalars() const noexcept { return queries().h->size; }
  /// Whether the quotient's scalars come in bit-reversed order.
  bool has_reversed_scalars() const noexcept {
    return quotient_->shape.basis == groth16::QuotientBasis::coset_monomials;
  }
  const cuda::DeviceQuotient<Fr>& quotient() const noexcept { return quotient_->quotient; }
  /// As they are now; what a proof works with all along.
  Queries queries() const noexcept;
  /// Queries that stayed with the host, for which there is room now, move to the device. Errors: device, cancelled.
  Status take_room(const StopToken& stop) const;
  /// Queues the copy of a range of points from the host. `wires`: of a dense query, list_of() the range.
  template <class Point>
  Status upload(const cuda::Stream& stream, const Query<Point>& query, std::size_t first, cuda::DeviceSpan<Point> to,
                std::span<const std::uint32_t> wires, const StopToken& stop) const;
  /// The wires that have a point of a range.
  std::vector<std::uint32_t> list_of(const ResidentMap& map, const cuda::AuxRange& range) const;
  /// Of keys that are not filtered; of those the circuit's densities tell.
  const ResidentMap& a() const noexcept { return a_; }
  const ResidentMap& b() const noexcept { return b_; }
  /// Null: the key has no rows, or such as only the host evaluates.
  const cuda::DeviceCircuit<Fr>* rows() const noexcept { return rows_.circuit ? &*rows_.circuit : nullptr; }
  /// Rows that the host can evaluate too: those of a key that carries them.
  const std::optional<r1cs::CoefficientRecords<Fr>>& host_records() const noexcept { return records_; }
  bool is_on(const CudaDevice& device) const noexcept { return device_.get() == &device; }
  /// Before and after parts of a mapped file are read.
  Status check_mapping() const { return file_ == nullptr ? Status() : file_->still_whole(); }

 private:
  template <class> friend class KeyLoader;
  CudaKey() = default;
  /// Of a query that moves: where a dense one has its points, and whether they are wanted in the scalars' order.
  struct Arrival {
    const ResidentMap* map = nullptr;
    bool in_order = false;
  };
  template <class Point>
  Status move_to_device(QueryPtr<Point>& query, const Arrival& arrival, const StopToken& stop) const;
  Status bring_in_order(const cuda::Stream& stream, const Query<G1>& h) const;

  std::shared_ptr<CudaDevice> device_;
  groth16::VerifyingKey<C> vk_;
  KeyShape shape_;
  std::shared_ptr<const typename QuotientCache<Fr>::Entry> quotient_;
  mutable Mutex moving_;  // held while points move
  mutable Mutex mutex_;
  mutable Queries queries_ CUZK_GUARDED_BY(mutex_);
  ResidentMap a_, b_;
  ResidentRows<Fr> rows_;
  std::optional<r1cs::CoefficientRecords<Fr>> records_;
  std::shared_ptr<const void> owner_;  // of the records and of points on the host
  const MappedFile* file_ = nullptr;
};

}  // namespace cuzk::backend
