#include "backend/cuda/device_multiples.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "backend/cuda/fixed_base.h"
#include "curve/fixed_base.h"

namespace cuzk::backend {

using cuda::DeviceBuffer;
using cuda::DeviceSpan;
using cuda::FixedBaseTable;
using cuda::Stream;
using cuda::Workspace;

namespace {

constexpr std::size_t kMostScalars = std::size_t{1} << 19;  // of a chunk: several times what a device has threads
constexpr std::size_t kLeastScalars = std::size_t{1} << 12;
constexpr std::size_t kChunksPerCall = 4;
constexpr std::size_t kBytesPerCopy = std::size_t{1} << 20;

/// Memory of the host that a device reads and writes at the link's rate.
class PinnedBytes {
 public:
  static Result<PinnedBytes> create(std::size_t bytes) {
    void* data = nullptr;
    CUZK_CUDA(cudaMallocHost(&data, bytes));
    PinnedBytes pinned;
    pinned.data_.reset(static_cast<std::byte*>(data));
    return pinned;
  }
  std::byte* data() const noexcept { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept { static_cast<void>(cudaFreeHost(data)); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

void copy_parallel(Arena& arena, void* to, const void* from, std::size_t bytes) noexcept {
  parallel_for(arena, 0, bytes, kBytesPerCopy, [&](std::size_t begin, std::size_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin, end - begin);
  });
}

/// A chunk on its way.
struct Slot {
  Stream stream;
  PinnedBytes scalars, points;
  DeviceSpan<std::byte> memory{};
  std::size_t first = 0, count = 0;  // of the call; none: nothing is on its way
};

template <class Point> using AffineOf = cuzk::Affine<typename Point::Field>;

template <class Point> std::size_t chunk_bytes(std::size_t scalars) {
  return Workspace::padded(scalars * sizeof(U256)) + cuda::fixed_base_bytes<Point>(scalars) +
         Workspace::padded(scalars * sizeof(AffineOf<Point>));
}

template <class C> class DeviceMultiples final : public groth16::GeneratorMultiples<C> {
 public:
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;

  DeviceMultiples(Arena& arena, const CudaDeviceInfo& device, std::optional<std::uint64_t> limit_bytes)
      : arena_(arena), device_(device), limit_bytes_(limit_bytes) {}

  Status open() {
    CUZK_CUDA(cudaSetDevice(device_.ordinal));
    CUZK_CHECK_OK(take_memory());
    Workspace workspace(memory_.template as<std::byte>());
    const auto g1 = workspace.take<G1>(FixedBaseTable<typename C::G1>::size_of(kWindows));
    const auto g2 = workspace.take<G2>(FixedBaseTable<typename C::G2>::size_of(kWindows));
    for (unsigned i = 0; i < kSlots; ++i) {
      CUZK_TRY(auto stream, Stream::create());
      CUZK_TRY(auto scalars, PinnedBytes::create(chunk_ * sizeof(U256)));
      CUZK_TRY(auto points, PinnedBytes::create(chunk_ * sizeof(G2)));
      slots_.push_back({std::move(stream), std::move(scalars), std::move(points)});
      slots_.back().memory = workspace.take<std::byte>(chunk_bytes<typename C::G2>(chunk_));
    }
    CUZK_CHECK_OK((make_table<typename C::G1>(g1_generator<C>(), g1, g1_)));
    return make_table<typename C::G2>(g2_generator<C>(), g2, g2_);
  }

  Status in_g1(std::span<const U256> scalars, std::span<G1> out) override {
    return multiply<typename C::G1>(g1_, scalars, out);
  }
  Status in_g2(std::span<const U256> scalars, std::span<G2> out) override {
    return multiply<typename C::G2>(g2_, scalars, out);
  }
  std::size_t scalars_per_call() const noexcept override { return kChunksPerCall * chunk_; }

 private:
  static constexpr FixedWindows kSmallWindows{8}, kWindows{16};
  static constexpr unsigned kSlots = 2;

  std::size_t bytes_for(std::size_t chunk) const {
    const auto table = [](std::size_t entries, std::size_t each) { return Workspace::padded(entries * each); };
    return table(FixedBaseTable<typename C::G1>::size_of(kWindows), sizeof(G1)) +
           table(FixedBaseTable<typename C::G2>::size_of(kWindows), sizeof(G2)) +
           kSlots * chunk_bytes<typename C::G2>(chunk);
  }

  /// As many scalars a chunk as there is room for.
  Status take_memory() {
    for (chunk_ = kMostScalars;; chunk_ /= 2) {
      const std::size_t bytes = bytes_for(chunk_);
      const bool within = bytes <= limit_bytes_.value_or(bytes);
      Status status = within ? Status() : fail(Code::exhausted, exceeds(bytes));
      if (status) {
        auto taken = DeviceBuffer::create(bytes);
        if (taken) {
          memory_ = *std::move(taken);
          return {};
        }
        status = fail(std::move(taken).error());
      }
      if (status.error().code() != Code::exhausted || chunk_ == kLeastScalars) return status;
    }
  }
  std::string exceeds(std::size_t bytes) const {
    return "points of a key are made in at least " + std::to_string(bytes) + " bytes of a device, the limit is " +
           std::to_string(*limit_bytes_);
  }

  /// Factors of a table's entries.
  static std::vector<U256> factors(Arena& arena, const FixedWindows& windows) {
    using Fr = typename C::Fr;
    std::vector<U256> all(std::size_t{windows.count()} * windows.entries());
    parallel_tasks(arena, windows.count(), [&](std::size_t window) {
      const Fr step = Fr::from_u64(2).pow(u64{window * windows.bits});
      Fr factor = Fr::zero();
      for (std::size_t i = 0; i < windows.entries(); ++i) {
        all[window * windows.entries() + i] = (factor += step).canonical();
      }
    });
    return all;
  }

  /// From a small one that the host makes.
  template <class Point>
  Status make_table(const AffineOf<Point>& base, DeviceSpan<AffineOf<Point>> entries, FixedBaseTable<Point>& table) {
    using Affine = AffineOf<Point>;
    const auto few = factors(arena_, kSmallWindows);
    std::vector<Affine> small(few.size());
    FixedBase<Affine>(arena_, base, few.size()).multiply(arena_, few, small);
    CUZK_TRY(const auto buffer, DeviceBuffer::create(small.size() * sizeof(Affine)));
    const auto on_device = buffer.template as<Affine>();
    CUZK_CUDA(cudaMemcpy(on_device.data, small.data(), small.size() * sizeof(Affine), cudaMemcpyHostToDevice));
    CUZK_CUDA(cudaDeviceSynchronize());  // from pageable memory it may return while the last part is on its way
    const FixedBaseTable<Point> of_host{kSmallWindows, {on_device.data, small.size()}};
    const auto all = factors(arena_, kWindows);
    CUZK_CHECK_OK(run<Point>(of_host, all, [&](const Slot& slot, DeviceSpan<const Affine> made) -> Status {
      CUZK_CUDA(cudaMemcpyAsync(entries.data + slot.first, made.data, made.size * sizeof(Affine),
                                cudaMemcpyDeviceToDevice, slot.stream.get()));
      return {};
    }));
    table = {kWindows, {entries.data, entries.size}};
    return {};
  }

  template <class Point>
  Status multiply(const FixedBaseTable<Point>& table, std::span<const U256> scalars, std::span<AffineOf<Point>> out) {
    using Affine = AffineOf<Point>;
    CUZK_REQUIRE(scalars.size() == out.size());
    CUZK_CUDA(cudaSetDevice(device_.ordinal));
    const auto fetch = [](const Slot& slot, DeviceSpan<const Affine> made) -> Status {
      CUZK_CUDA(cudaMemcpyAsync(slot.points.data(), made.data, made.size * sizeof(Affine), cudaMemcpyDeviceToHost,
                                slot.stream.get()));
      return {};
    };
    return run<Point>(table, scalars, fetch, [&](const Slot& slot) {
      copy_parallel(arena_, out.data() + slot.first, slot.points.data(), slot.count * sizeof(Affine));
    });
  }

  /// Chunk by chunk: `take` queues what becomes of the points, `drain` follows when that has run.
  template <class Point, class Take, class Drain = void (*)(const Slot&)>
  Status run(
      const FixedBaseTable<Point>& table, std::span<const U256> scalars, const Take& take,
      const Drain& drain = [](const Slot&) {}) {
    Status status;
    for (std::size_t first = 0, i = 0; status && first < scalars.size(); first += chunk_, ++i) {
      Slot& slot = slots_[i % kSlots];
      status = finish(slot, drain);
      if (!status) break;
      slot.first = first;
      slot.count = std::min(chunk_, scalars.size() - first);
      status = start(slot, table, scalars.subspan(first, slot.count), take);
      turn_ = (i + 1) % kSlots;
    }
    for (unsigned i = 0; i < kSlots; ++i) {  // none is on its way when this returns
      Status ended = finish(slots_[(turn_ + i) % kSlots], drain);
      if (status) status = std::move(ended);
    }
    return status;
  }
  template <class Point, class Take>
  Status start(const Slot& slot, const FixedBaseTable<Point>& table, std::span<const U256> scalars, const Take& take) {
    using Affine = AffineOf<Point>;
    copy_parallel(arena_, slot.scalars.data(), scalars.data(), scalars.size_bytes());
    Workspace workspace(slot.memory);
    const auto on_device = workspace.take<U256>(scalars.size());
    const auto work = workspace.take<std::byte>(cuda::fixed_base_bytes<Point>(scalars.size()));
    const auto made = workspace.take<Affine>(scalars.size());
    CUZK_CUDA(cudaMemcpyAsync(on_device.data, slot.scalars.data(), scalars.size_bytes(), cudaMemcpyHostToDevice,
                              slot.stream.get()));
    CUZK_CHECK_OK((cuda::fixed_base<C, Point>(slot.stream, table, {on_device.data, on_device.size}, work, made)));
    return take(slot, DeviceSpan<const Affine>{made.data, made.size});
  }
  template <class Drain> static Status finish(Slot& slot, const Drain& drain) {
    if (slot.count == 0) return {};
    Status status = slot.stream.wait();
    if (status) drain(slot);
    slot.count = 0;
    return status;
  }

  Arena& arena_;
  const CudaDeviceInfo device_;
  const std::optional<std::uint64_t> limit_bytes_;
  std::size_t chunk_ = 0;
  DeviceBuffer memory_;
  std::vector<Slot> slots_;
  std::size_t turn_ = 0;  // the slot that was started longest ago
  FixedBaseTable<typename C::G1> g1_;
  FixedBaseTable<typename C::G2> g2_;
};

}  // namespace

template <class C>
Result<std::unique_ptr<groth16::GeneratorMultiples<C>>> open_cuda_multiples(Arena& arena, const CudaDeviceInfo& device,
                                                                            std::optional<std::uint64_t> limit_bytes) {
  auto opened = std::make_unique<DeviceMultiples<C>>(arena, device, limit_bytes);
  CUZK_CHECK_OK(opened->open());
  return opened;
}

template Result<std::unique_ptr<groth16::GeneratorMultiples<Bn254>>> open_cuda_multiples<Bn254>(
    Arena&, const CudaDeviceInfo&, std::optional<std::uint64_t>);
template Result<std::unique_ptr<groth16::GeneratorMultiples<Bls12_381>>> open_cuda_multiples<Bls12_381>(
    Arena&, const CudaDeviceInfo&, std::optional<std::uint64_t>);

}  // namespace cuzk::backend
