// A lane: the streams that a proof runs on, and all that is made once and used by proof after proof: events, sums,
// page-locked memory that results come to. A proof takes a lane of its own.
//
// Thread-safety: a Lane belongs to one thread at a time; a LanePool concurrently.
#pragma once

#include <memory>
#include <vector>

#include "backend/cuda/msm.h"
#include "backend/cuda/phase_log.h"
#include "backend/cuda/subset_sum.h"
#include "support/mutex.h"

namespace cuzk::backend {

/// A sum in pieces, each of which leaves a result.
template <class C, class Point> class SumInPieces {
 public:
  using Affine = cuzk::Affine<typename Point::Field>;

  /// So that the first piece need not make its result.
  Status prepare();
  void clear() noexcept { used_ = 0; }
  /// Queues sum_i scalars[i] points[numbers[i]], or points[i] where numbers are null, in pieces of at most `most`.
  Status add(const cuda::Stream& stream, cuda::Msm<C, Point>& msm, std::uint32_t most,
             cuda::DeviceSpan<const Affine> points, cuda::DeviceSpan<const U256> scalars, const std::uint32_t* numbers);
  /// precondition: the stream has come so far.
  Point value() const;

 private:
  std::vector<cuda::MsmResult<C, Point>> results_;
  std::size_t used_ = 0;
};

template <class C> struct Lane {
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  /// In page-locked memory.
  struct OnHost {
    std::uint32_t general_a, general_b, general_l;
    cuda::XyzzPoint<G1> ones_a, ones_b, ones_l;
    cuda::XyzzPoint<G2> ones_b_g2;
  };
  struct Streams {
    cuda::Stream main, sums, sums_g2;
    cuda::Stream points;  // of queries that are not resident
  };
  struct Events {
    cuda::Event witness, split, rows, main, sums, sums_g2;
    cuda::Event place;  // of a vector: what was there before has been read
    cuda::Event points_there[2], points_read[2];
  };
  struct Msms {
    cuda::Msm<C, G1> h, g1;
    cuda::Msm<C, G2> g2;
  };

  static Result<std::unique_ptr<Lane>> create(bool urgent);
  Lane(Streams s, Events e, Msms m) : streams(std::move(s)), events(std::move(e)), msms(std::move(m)) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  /// Forgets the sums of the proof before.
  void clear() noexcept {
    for (auto* sum : {&h, &a, &b, &l}) sum->clear();
    b_g2.clear();
    phases.clear();
    *host = {};
  }
  /// Until all that was queued has run, whatever came of it.
  void drain() const noexcept;

  Streams streams;
  Events events;
  Msms msms;
  cuda::PhaseLog phases;
  SumInPieces<C, G1> h, a, b, l;
  SumInPieces<C, G2> b_g2;
  OnHost* host = nullptr;
};

/// Lanes that nobody uses now: of urgent proofs, whose kernels go before those of others, and of others.
template <class C> class LanePool {
 public:
  /// Makes some, so that the first proofs need not.
  Status prepare();
  Result<std::unique_ptr<Lane<C>>> take(bool urgent);
  void give_back(std::unique_ptr<Lane<C>> lane, bool urgent);

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<Lane<C>>> idle_[2] CUZK_GUARDED_BY(mutex_);
  unsigned made_[2] CUZK_GUARDED_BY(mutex_) = {};  // by prepare()
};

}  // namespace cuzk::backend
