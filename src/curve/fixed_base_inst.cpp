#include "curve/fixed_base_impl.h"
#include "field/fp_mul.h"
#include "support/result.h"

namespace cuzk {

template <class A> class FixedBase<A>::Table {
 public:
  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  virtual ~Table() = default;

  virtual void multiply(Arena& arena, std::span<const U256> scalars, std::span<A> out) const noexcept = 0;
};

namespace {

template <class A, class Isa> class IsaTable final : public FixedBase<A>::Table {
 public:
  IsaTable(Arena& arena, const A& base, std::size_t expected)
      : table_(arena, fixed_base_detail::SignedWindows::for_count(expected), with_arithmetic<Isa>(base)) {}

  void multiply(Arena& arena, std::span<const U256> scalars, std::span<A> out) const noexcept override {
    fixed_base_detail::multiply_n(arena, table_, scalars, view_as<Isa>(out));
  }

 private:
  fixed_base_detail::WindowTable<typename rebind_isa<A, Isa>::Field> table_;
};

}  // namespace

template <class A>
FixedBase<A>::FixedBase(Arena& arena, const A& base, std::size_t expected)
    : table_(with_isa([&]<class Isa>() -> std::unique_ptr<const Table> {
        return std::make_unique<const IsaTable<A, Isa>>(arena, base, expected);
      })) {}
template <class A> FixedBase<A>::FixedBase(FixedBase&&) noexcept = default;
template <class A> FixedBase<A>& FixedBase<A>::operator=(FixedBase&&) noexcept = default;
template <class A> FixedBase<A>::~FixedBase() = default;

template <class A>
void FixedBase<A>::multiply(Arena& arena, std::span<const U256> scalars, std::span<A> out) const noexcept {
  CUZK_REQUIRE(scalars.size() == out.size());
  table_->multiply(arena, scalars, out);
}

template <class C>
void fixed_base_g1(Arena& arena, std::span<const U256> scalars, std::span<typename C::G1Affine> out) noexcept {
  FixedBase<typename C::G1Affine>(arena, g1_generator<C>(), scalars.size()).multiply(arena, scalars, out);
}
template <class C>
void fixed_base_g2(Arena& arena, std::span<const U256> scalars, std::span<typename C::G2Affine> out) noexcept {
  FixedBase<typename C::G2Affine>(arena, g2_generator<C>(), scalars.size()).multiply(arena, scalars, out);
}

#define CUZK_INSTANTIATE(C)                                                                       \
  template class FixedBase<C::G1Affine>;                                                          \
  template class FixedBase<C::G2Affine>;                                                          \
  template void fixed_base_g1<C>(Arena&, std::span<const U256>, std::span<C::G1Affine>) noexcept; \
  template void fixed_base_g2<C>(Arena&, std::span<const U256>, std::span<C::G2Affine>) noexcept;

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk
