// The models that circuits are instantiated for: X(model) for each.
#pragma once

#include "r1cs/proving_system.h"
#include "r1cs/recording_system.h"
#include "r1cs/test_system.h"
#include "r1cs/witness_system.h"

#define CUZK_FOR_EACH_MODEL(X)            \
  X(r1cs::ProvingSystem<bls12_381::Fr>)   \
  X(r1cs::RecordingSystem<bls12_381::Fr>) \
  X(r1cs::WitnessSystem<bls12_381::Fr>)   \
  X(r1cs::TestSystem<bls12_381::Fr>)
