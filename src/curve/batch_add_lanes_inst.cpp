#if defined(__x86_64__)

#include "curve/base_fields.h"
#include "curve/batch_add_lanes_impl.h"

namespace cuzk::affine_detail {

template class LaneAdder<Bn254FqAdx>;
template class LaneAdder<Bls12_381FqAdx>;

}  // namespace cuzk::affine_detail

#endif
