#include "curve/base_fields.h"
#include "curve/fq2.h"
#include "curve/point_impl.h"
#include "field/fp_mul.h"

namespace cuzk {

#define CUZK_INSTANTIATE(F)  \
  template struct Affine<F>; \
  template struct Point<F>;  \
  template void to_affine_n(std::span<const Point<F>>, std::span<Affine<F>>) noexcept;
#define CUZK_INSTANTIATE_GROUPS(F) \
  CUZK_INSTANTIATE(F)              \
  CUZK_INSTANTIATE(Fq2<F>)

CUZK_FOR_EACH_BASE_FIELD(CUZK_INSTANTIATE_GROUPS)

}  // namespace cuzk
