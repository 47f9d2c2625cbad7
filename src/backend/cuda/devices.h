// The CUDA devices of this machine, and the backends that prove on one. Callers need no toolkit.
//
// Backends of a device share its memory: an arena that is taken from the driver when they are opened, under a
// DeviceBudget (Backend::memory()). Keys and circuits are resident; a proof takes what it works in at its start and
// gives it back at its end, and waits for others' ends where there is no room now. Where there is none with nobody on
// the device, the sums are cut into pieces that work in less, and where even that does not fit, it ends with
// Code::exhausted. In steady state the driver is asked for no memory.
//
// prove_start counts and uploads the witness, queues all kernels and returns when the input has been read; prove_finish
// waits for them and puts the proof together. A ticket that is dropped waits for its kernels, since they cannot be
// called back. Stops are looked at between steps and by every chunk that is uploaded.
//
// A proof by other means (ProvingInput) has its rows evaluated by the host. Errors beyond those of backend.h: as
// cpu_backend.h; nothing of a key's file is read after its load but the rows of a .zkey, for such proofs.
// Thread-safety: all methods concurrently; the Arena must outlive the backends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "curve/encoding.h"
#include "memory/fault_policy.h"
#include "support/parallel.h"

namespace cuzk::backend {

struct CudaDeviceInfo {
  int ordinal = 0;   // the driver's
  std::string name;  // "NVIDIA H200"
  std::string uuid;  // "GPU-8-4-4-4-12 digits", as nvidia-smi has it
  std::uint64_t memory_bytes = 0;
};

/// In the driver's order. unavailable: no driver, or one without a device; the text says which.
Result<std::vector<CudaDeviceInfo>> cuda_devices();

struct CudaOptions {
  /// Of points that load_key decodes.
  Validation validation = Validation::on_curve;
  /// Of the device's memory, what the driver keeps for itself, and the most that is ours.
  std::uint64_t margin_bytes = std::uint64_t{1} << 30;
  std::optional<std::uint64_t> limit_bytes = std::nullopt;
  std::shared_ptr<memory::FaultPolicy> faults = nullptr;
};

struct CudaBackends {
  std::shared_ptr<Backend<Bn254>> bn254;
  std::shared_ptr<Backend<Bls12_381>> bls12_381;
};

/// Errors: device; exhausted: too little of its memory is free.
Result<CudaBackends> open_cuda_device(Arena& arena, const CudaDeviceInfo& device, const CudaOptions& options = {});

}  // namespace cuzk::backend
