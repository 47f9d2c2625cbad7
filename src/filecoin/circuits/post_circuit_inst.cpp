#include "filecoin/circuits/models.h"
#include "filecoin/circuits/post_circuit_impl.h"

namespace cuzk::filecoin {

#define CUZK_INSTANTIATE(Model) template void post_circuit<Model>(Model&, const PostInstance&, const StopToken&);
CUZK_FOR_EACH_MODEL(CUZK_INSTANTIATE)
#undef CUZK_INSTANTIATE

}  // namespace cuzk::filecoin
