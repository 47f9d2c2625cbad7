#include "r1cs/recording_system.h"

#include <limits>

namespace cuzk::r1cs {

namespace {

template <class Fr> struct Storage {
  std::vector<Fr> coefficients;
  PieceRecorder::Recorded recorded;
  std::vector<std::uint64_t> bits;
};

}  // namespace

template <class Fr> BlockCircuit<Fr> RecordingSystem<Fr>::finish() && {
  CUZK_REQUIRE(depth_ == 0);
  pieces_.cut(num_aux_);
  bits_.resize((num_aux_ + 63) / 64);
  auto storage = std::make_shared<Storage<Fr>>(std::move(dictionary_).take(), std::move(pieces_).finish(num_inputs_),
                                               std::move(bits_));
  CUZK_REQUIRE(storage->recorded.num_rows <= std::numeric_limits<std::uint32_t>::max());
  const BlockParts<Fr> parts{.num_inputs = num_inputs_,
                             .num_aux = num_aux_,
                             .num_constraints = storage->recorded.num_rows,
                             .coefficients = storage->coefficients,
                             .pieces = storage->recorded.pieces,
                             .ends = storage->recorded.ends,
                             .terms = storage->recorded.terms,
                             .placements = storage->recorded.placements,
                             .ports = storage->recorded.ports,
                             .bits = storage->bits};
  return BlockCircuit<Fr>(parts, std::move(storage));
}

template class RecordingSystem<bn254::Fr>;
template class RecordingSystem<bls12_381::Fr>;

}  // namespace cuzk::r1cs
