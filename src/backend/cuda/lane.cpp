#include "backend/cuda/lane.h"

#include <algorithm>

namespace cuzk::backend {

using cuda::Event;
using cuda::Msm;
using cuda::Stream;

template <class C, class Point> Status SumInPieces<C, Point>::prepare() {
  if (!results_.empty()) return {};
  CUZK_TRY(auto result, (cuda::MsmResult<C, Point>::create()));
  results_.push_back(std::move(result));
  return {};
}

template <class C, class Point>
Status SumInPieces<C, Point>::add(const Stream& stream, Msm<C, Point>& msm, std::uint32_t most,
                                  cuda::DeviceSpan<const Affine> points, cuda::DeviceSpan<const U256> scalars,
                                  const std::uint32_t* numbers) {
  for (std::size_t first = 0; first < scalars.size; first += most) {
    const std::size_t count = std::min<std::size_t>(most, scalars.size - first);
    if (used_ == results_.size()) {
      CUZK_TRY(auto result, (cuda::MsmResult<C, Point>::create()));
      results_.push_back(std::move(result));
    }
    auto& to = results_[used_++];
    const auto part = scalars.subspan(first, count);
    if (numbers == nullptr) {
      CUZK_CHECK_OK(msm.start(stream, points.subspan(first, count), part, to));
    } else {
      CUZK_CHECK_OK(msm.start(stream, points, part, {numbers + first, count}, to));
    }
  }
  return {};
}

template <class C, class Point> Point SumInPieces<C, Point>::value() const {
  Point sum = Point::identity();
  for (std::size_t i = 0; i < used_; ++i) sum += results_[i].value();
  return sum;
}

template <class C> Result<std::unique_ptr<Lane<C>>> Lane<C>::create(bool urgent) {
  CUZK_TRY(auto main, Stream::create(urgent));
  CUZK_TRY(auto sums, Stream::create(urgent));
  CUZK_TRY(auto sums_g2, Stream::create(urgent));
  CUZK_TRY(auto points, Stream::create(urgent));
  std::vector<Event> events;
  for (unsigned i = 0; i < 11; ++i) {
    CUZK_TRY(auto event, Event::create());
    events.push_back(std::move(event));
  }
  CUZK_TRY(auto h, (Msm<C, G1>::create()));
  CUZK_TRY(auto g1, (Msm<C, G1>::create()));
  CUZK_TRY(auto g2, (Msm<C, G2>::create()));
  auto lane = std::make_unique<Lane>(Streams{std::move(main), std::move(sums), std::move(sums_g2), std::move(points)},
                                     Events{std::move(events[0]),
                                            std::move(events[1]),
                                            std::move(events[2]),
                                            std::move(events[3]),
                                            std::move(events[4]),
                                            std::move(events[5]),
                                            std::move(events[10]),
                                            {std::move(events[6]), std::move(events[7])},
                                            {std::move(events[8]), std::move(events[9])}},
                                     Msms{std::move(h), std::move(g1), std::move(g2)});
  void* host = nullptr;
  CUZK_CUDA(cudaMallocHost(&host, sizeof(OnHost)));
  lane->host = static_cast<OnHost*>(host);
  for (auto* sum : {&lane->h, &lane->a, &lane->b, &lane->l}) CUZK_CHECK_OK(sum->prepare());
  CUZK_CHECK_OK(lane->b_g2.prepare());
  CUZK_CHECK_OK(lane->phases.prepare());
  return lane;
}

template <class C> Lane<C>::~Lane() {
  if (host != nullptr) static_cast<void>(cudaFreeHost(host));
}

template <class C> void Lane<C>::drain() const noexcept {
  for (const Stream* stream : {&streams.points, &streams.main, &streams.sums, &streams.sums_g2})
    static_cast<void>(stream->wait());
}

template <class C> Status LanePool<C>::prepare() {
  constexpr unsigned kAtOnce = 2;  // in flight, as a rule
  for (const bool urgent : {false, true}) {
    for (unsigned i = 0; i < kAtOnce; ++i) {
      {
        const MutexLock lock(mutex_);
        if (made_[urgent ? 1 : 0] >= kAtOnce) break;
        ++made_[urgent ? 1 : 0];
      }
      CUZK_TRY(auto lane, Lane<C>::create(urgent));
      give_back(std::move(lane), urgent);
    }
  }
  return {};
}

template <class C> Result<std::unique_ptr<Lane<C>>> LanePool<C>::take(bool urgent) {
  {
    const MutexLock lock(mutex_);
    if (auto& idle = idle_[urgent ? 1 : 0]; !idle.empty()) {
      auto lane = std::move(idle.back());
      idle.pop_back();
      return lane;
    }
  }
  return Lane<C>::create(urgent);
}

template <class C> void LanePool<C>::give_back(std::unique_ptr<Lane<C>> lane, bool urgent) {
  const MutexLock lock(mutex_);
  idle_[urgent ? 1 : 0].push_back(std::move(lane));
}

#define CUZK_INSTANTIATE(C)             \
  template class SumInPieces<C, C::G1>; \
  template class SumInPieces<C, C::G2>; \
  template struct Lane<C>;              \
  template class LanePool<C>;
CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk::backend
