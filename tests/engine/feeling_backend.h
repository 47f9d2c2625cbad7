// A backend that only says how its device feels.
#pragma once

#include <atomic>
#include <memory>

#include "backend/backend.h"

namespace cuzk::engine::test {

class FeelingBackend final : public backend::Backend<Bn254> {
 public:
  using Key = backend::Key<Bn254>;
  using Circuit = backend::Circuit<Bn254>;
  using Ticket = backend::Ticket<Bn254>;

  Result<std::shared_ptr<const Key>> load_key(const groth16::ProvingKeyView<Bn254>&, const StopToken&) override {
    return fail(Code::unsupported, "a fake");
  }
  Result<std::shared_ptr<const Circuit>> load_circuit(std::shared_ptr<const r1cs::CompiledCircuit<bn254::Fr>>,
                                                      const StopToken&) override {
    return fail(Code::unsupported, "a fake");
  }
  Result<std::unique_ptr<Ticket>> prove_start(std::shared_ptr<const Key>, std::shared_ptr<const Circuit>,
                                              backend::ProvingInput<Bn254>) override {
    return fail(Code::unsupported, "a fake");
  }
  Result<groth16::Proof<Bn254>> prove_finish(std::unique_ptr<Ticket>) override {
    return fail(Code::unsupported, "a fake");
  }
  Status health() const override {
    ++asked;
    return ill ? fail(Code::device, "an illegal address was encountered") : Status();
  }
  std::shared_ptr<memory::DeviceBudget> memory() const override { return budget; }

  std::atomic<bool> ill = false;
  mutable std::atomic<int> asked = 0;
  std::shared_ptr<memory::DeviceBudget> budget;
};

}  // namespace cuzk::engine::test
