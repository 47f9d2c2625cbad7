#include "backend/cpu/cpu_key.h"

#include "backend/key_queries.h"
#include "groth16/quotient.h"

namespace cuzk::backend {

namespace {

template <class Point>
Result<std::vector<Point>> decode_query(Arena& arena, const QueryPlace& query, Validation validation,
                                        const StopToken& stop) {
  std::vector<Point> points(query.bytes.size() / sizeof(Point));
  CUZK_CHECK_OK(read_points<Point>(arena, query, 0, points, validation, stop));
  return points;
}

}  // namespace

template <class C> void CpuKey<C>::use_in_place() noexcept {
  queries_ = {G1Points(view_.a), G1Points(view_.b_g1), G1Points(view_.l), G1Points(view_.h), G2Points(view_.b_g2)};
}

template <class C> Status CpuKey<C>::decode(Arena& arena, Validation validation, const StopToken& stop) {
  const auto place = [&](std::string_view name, Bytes query) {
    return QueryPlace{name, query, view_.encoding, view_.file};
  };
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;
  CUZK_TRY(decoded_.a, decode_query<G1>(arena, place("a", view_.a), validation, stop));
  CUZK_TRY(decoded_.b_g1, decode_query<G1>(arena, place("b_g1", view_.b_g1), validation, stop));
  CUZK_TRY(decoded_.l, decode_query<G1>(arena, place("l", view_.l), validation, stop));
  CUZK_TRY(decoded_.h, decode_query<G1>(arena, place("h", view_.h), validation, stop));
  CUZK_TRY(decoded_.b_g2, decode_query<G2>(arena, place("b_g2", view_.b_g2), validation, stop));
  queries_ = {G1Points(decoded_.a), G1Points(decoded_.b_g1), G1Points(decoded_.l), G1Points(decoded_.h),
              G2Points(decoded_.b_g2)};
  return {};
}

template <class C>
Result<std::shared_ptr<const CpuKey<C>>> CpuKey<C>::load(Arena& arena, const groth16::ProvingKeyView<C>& view,
                                                         Validation validation, const StopToken& stop) {
  CUZK_TRY(auto domain, groth16::quotient_domain<C>(arena, view.domain_size, view.basis, view.roots, stop));
  CUZK_CHECK_OK(check_queries(view));
  std::shared_ptr<CpuKey> key(new CpuKey(view, std::move(domain)));
  if (view.encoding == groth16::PointEncoding::montgomery_le) {
    key->use_in_place();
  } else {
    CUZK_CHECK_OK(key->decode(arena, validation, stop));
  }
  return key;
}

template class CpuKey<Bn254>;
template class CpuKey<Bls12_381>;

}  // namespace cuzk::backend
