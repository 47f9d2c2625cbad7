#include "filecoin/circuits/circuit.h"
#include "filecoin/circuits/models.h"
#include "filecoin/circuits/porep_circuit.h"
#include "filecoin/circuits/post_circuit.h"
#include "filecoin/circuits/update_circuit.h"

namespace cuzk::filecoin {
namespace {

template <class CS> struct Synthesizer {
  CS& cs;
  const StopToken& stop;
  void operator()(const PorepInstance& instance) const { porep_circuit(cs, instance, stop); }
  void operator()(const PostInstance& instance) const { post_circuit(cs, instance, stop); }
  void operator()(const UpdateInstance& instance) const { update_circuit(cs, instance, stop); }
};

}  // namespace

template <r1cs::ConstraintSystem CS> void synthesize(CS& cs, const Instance& instance, const StopToken& stop) {
  std::visit(Synthesizer<CS>{cs, stop}, instance);
}

#define CUZK_INSTANTIATE(Model) template void synthesize<Model>(Model&, const Instance&, const StopToken&);
CUZK_FOR_EACH_MODEL(CUZK_INSTANTIATE)
#undef CUZK_INSTANTIATE

}  // namespace cuzk::filecoin
