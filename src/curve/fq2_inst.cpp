#include "curve/base_fields.h"
#include "curve/fq2_impl.h"

namespace cuzk {

#define CUZK_INSTANTIATE(F) \
  template struct Fq2<F>;   \
  template void batch_inverse(std::span<Fq2<F>>, std::span<Fq2<F>>) noexcept;

CUZK_FOR_EACH_BASE_FIELD(CUZK_INSTANTIATE)

}  // namespace cuzk
