// The sink that keeps a key in memory. Thread-safety: external.
#pragma once

#include <utility>
#include <vector>

#include "groth16/key_sink.h"

namespace cuzk::groth16 {

/// Identities stand in their places.
template <class C> class KeyCollector final : public KeySink<C> {
 public:
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;

  Status begin(const KeyShape& shape, const VerifyingKey<C>& vk) override {
    key_.vk = vk;
    key_.num_variables = shape.num_variables;
    key_.domain_size = shape.domain_size;
    key_.basis = shape.basis;
    key_.roots = shape.roots;
    return {};
  }
  Status begin_query(KeyQuery query, std::size_t size, std::size_t) override {
    query_ = query;
    if (query == KeyQuery::b_g2) {
      key_.b_g2.assign(size, G2::identity());
    } else {
      in_g1().assign(size, G1::identity());
    }
    return {};
  }
  Status append(std::span<const std::uint32_t> positions, std::span<const G1> points) override {
    return place(positions, points, in_g1());
  }
  Status append(std::span<const std::uint32_t> positions, std::span<const G2> points) override {
    return place(positions, points, key_.b_g2);
  }

  ProvingKey<C> take() noexcept { return std::move(key_); }

 private:
  std::vector<G1>& in_g1() noexcept {
    switch (query_) {
      case KeyQuery::h:
        return key_.h;
      case KeyQuery::l:
        return key_.l;
      case KeyQuery::a:
        return key_.a;
      default:
        return key_.b_g1;
    }
  }
  template <class A>
  static Status place(std::span<const std::uint32_t> positions, std::span<const A> points, std::vector<A>& to) {
    for (std::size_t i = 0; i < points.size(); ++i) to[positions[i]] = points[i];
    return {};
  }

  ProvingKey<C> key_;
  KeyQuery query_{};
};

}  // namespace cuzk::groth16
