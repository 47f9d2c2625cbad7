#include "poly/domain.h"

#include <bit>
#include <memory>
#include <new>
#include <string>

#include "field/isa.h"
#include "poly/ntt.h"

namespace cuzk {

template <class Fr> struct Domain<Fr>::Tables {
  std::unique_ptr<Fr[]> twiddles;  // size / 2 elements, poly/ntt.h
  std::size_t count = 0;

  std::span<const Fr> view() const noexcept { return {twiddles.get(), count}; }
};

template <class Fr>
Result<Domain<Fr>> Domain<Fr>::create(Arena& arena, std::size_t size, RootFamily family, const StopToken& stop) {
  if (!std::has_single_bit(size) || size > std::size_t{1} << Fr::Constants::two_adicity)
    return fail(Code::unsupported, Kind::bad_domain,
                "no domain of size " + std::to_string(size) + ": it must be a power of two up to 2^" +
                    std::to_string(Fr::Constants::two_adicity));
  Domain domain;
  domain.size_ = size;
  domain.log_size_ = static_cast<unsigned>(std::countr_zero(size));
  domain.family_ = family;
  domain.omega_ = Fr::root_of_unity(family, domain.log_size_);
  auto tables = std::make_shared<Tables>();
  tables->count = size / 2;
  try {
    tables->twiddles = std::make_unique_for_overwrite<Fr[]>(tables->count);
  } catch (const std::bad_alloc&) {
    return fail(Code::exhausted, "no memory for the " + std::to_string(tables->count * sizeof(Fr)) +
                                     " bytes of twiddles of a domain of size " + std::to_string(size));
  }
  with_isa([&]<class Isa>() {
    transform::build_twiddles(arena, with_arithmetic<Isa>(domain.omega_),
                              view_as<Isa>(std::span<Fr>(tables->twiddles.get(), tables->count)), stop);
  });
  CUZK_CHECK_OK(check_stop(stop, "making an evaluation domain"));
  domain.tables_ = std::move(tables);
  return domain;
}

template <class Fr> void Domain<Fr>::ntt(Arena& arena, std::span<Fr> a, const StopToken& stop) const noexcept {
  CUZK_ASSERT(a.size() == size_);
  with_isa([&]<class Isa>() { transform::ntt(arena, view_as<Isa>(tables_->view()), view_as<Isa>(a), stop); });
}

template <class Fr> void Domain<Fr>::inverse_ntt(Arena& arena, std::span<Fr> a, const StopToken& stop) const noexcept {
  CUZK_ASSERT(a.size() == size_);
  with_isa([&]<class Isa>() { transform::inverse_ntt(arena, view_as<Isa>(tables_->view()), view_as<Isa>(a), stop); });
}

template <class Fr>
void Domain<Fr>::to_coset(Arena& arena, const Fr& shift, std::span<Fr> a, const StopToken& stop) const noexcept {
  CUZK_ASSERT(a.size() == size_);
  with_isa([&]<class Isa>() {
    transform::to_coset(arena, view_as<Isa>(tables_->view()), with_arithmetic<Isa>(shift), view_as<Isa>(a), stop);
  });
}

template <class Fr>
void Domain<Fr>::coset_to_coefficients(Arena& arena, const Fr& shift, std::span<Fr> a,
                                       const StopToken& stop) const noexcept {
  CUZK_ASSERT(a.size() == size_);
  with_isa([&]<class Isa>() {
    transform::coset_to_coefficients(arena, view_as<Isa>(tables_->view()), with_arithmetic<Isa>(shift), view_as<Isa>(a),
                                     stop);
  });
}

template <class Fr> void Domain<Fr>::lagrange_at(Arena& arena, const Fr& x, std::span<Fr> out) const noexcept {
  CUZK_ASSERT(out.size() == size_);
  with_isa([&]<class Isa>() {
    transform::lagrange_at(arena, with_arithmetic<Isa>(omega_), with_arithmetic<Isa>(x), view_as<Isa>(out));
  });
}

template <class Fr> Fr Domain<Fr>::vanishing_at(const Fr& x) const noexcept { return x.pow(size_) - Fr::one(); }

template class Domain<bn254::Fr>;
template class Domain<bls12_381::Fr>;

}  // namespace cuzk
