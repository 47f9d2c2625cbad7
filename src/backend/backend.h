// What proves: a CPU or a device, behind one interface with split proving.
//
// prove_start queues the work and returns as soon as the input's buffers are no longer needed; prove_finish waits for
// the sums and assembles the proof. A Ticket owns everything its proof still needs; dropping it cancels. The proving
// algorithm is groth16/assembly.h's; the backend decides where sums and transforms run. Whichever way a partition's
// input takes (Wants), equal blinding gives equal proof bytes.
//
// Errors: load_* malformed (a point outside the curve or subgroup, counts that contradict each other), exhausted;
// prove_* malformed with Kind witness_length_mismatch, exhausted, cancelled, device. Thread-safety: all methods
// concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "backend/abc_buffer.h"
#include "backend/device_times.h"
#include "groth16/proof.h"
#include "groth16/proving_key.h"
#include "memory/device_budget.h"
#include "r1cs/compiled_circuit.h"
#include "r1cs/witness.h"
#include "support/progress.h"
#include "support/result.h"
#include "support/secret.h"

namespace cuzk::backend {

/// A proving key resident in a backend; immutable and shared. Concrete type: the backend's.
template <class C> class Key {
 public:
  virtual ~Key() = default;
  virtual const groth16::VerifyingKey<C>& vk() const noexcept = 0;
  virtual std::size_t num_variables() const noexcept = 0;
  /// Memory of the host that it holds now, beside pages of a mapped file that the system may take back; it only falls.
  /// None: it proves from the host's memory, and takes as much as its file.
  virtual std::optional<std::uint64_t> host_bytes() const noexcept { return std::nullopt; }
  /// What would have to be free in the memory of its device so that what crosses for each proof at a loss would stay
  /// there. 0: nothing does, or the device is too small.
  virtual std::uint64_t lacking_bytes() const noexcept { return 0; }
};

/// A circuit resident in a backend; immutable and shared.
template <class C> class Circuit {
 public:
  virtual ~Circuit() = default;
};

/// The prover's randomness. `random` is the normal way; `fixed` marks its proof as not zero-knowledge.
template <class C> class Blinding {
 public:
  /// Uniform in [0, r) by rejection from the operating system.
  static Result<Blinding> random();
  /// Given values, for vectors and tests. precondition: below r.
  static Blinding fixed(const U256& r, const U256& s);

  const typename C::Fr& r() const noexcept { return r_.expose(); }
  const typename C::Fr& s() const noexcept { return s_.expose(); }
  bool zero_knowledge() const noexcept { return zero_knowledge_; }

 private:
  Blinding(const typename C::Fr& r, const typename C::Fr& s, bool zero_knowledge);
  Secret<typename C::Fr> r_, s_;
  bool zero_knowledge_;
};

/// What prove_start takes.
enum class Wants : std::uint8_t {
  witness,  // the witness: the backend has the matrices and evaluates a, b, c
  abc,      // the witness, and a, b, c that the caller has evaluated in host memory
};

/// Everything one proof consumes; given away to prove_start, which gives each part back when it has been read.
template <class C> struct ProvingInput {
  std::shared_ptr<const r1cs::Witness> witness;
  Blinding<C> blinding;
  std::stop_token stop{};
  Progress* progress = nullptr;                    // may be null
  std::optional<AbcBuffer<typename C::Fr>> abc{};  // for Wants::abc; pays for itself
  memory::Reservation memory{};                    // of the witness; may be empty
  bool urgent = false;       // goes before others that are computed here; they are none the worse for it but later
  bool other_means = false;  // a proof failed here: where there is another way to compute, take it
};

/// Bytes of inputs that crossed to the device, by the host memory they came from.
struct Moved {
  std::uint64_t pinned_bytes = 0;
  std::uint64_t pageable_bytes = 0;
};

/// A proof on its way. Concrete type: the backend's.
template <class C> class Ticket {
 public:
  virtual ~Ticket() = default;
  virtual Moved moved() const noexcept { return {}; }
  /// What was given up for want of memory, in words ("two vectors, streamed h"); empty: nothing.
  virtual std::string given_up() const { return {}; }
  /// Filled when prove_finish has returned; null: the backend has no clock of its own.
  virtual std::shared_ptr<const DeviceTimes> times() const noexcept { return nullptr; }
};

template <class C> class Backend {
 public:
  virtual ~Backend() = default;

  // Both: cancelled when the stop was seen.

  virtual Result<std::shared_ptr<const Key<C>>> load_key(const groth16::ProvingKeyView<C>& view,
                                                         const std::stop_token& stop = {}) = 0;
  virtual Result<std::shared_ptr<const Circuit<C>>> load_circuit(
      std::shared_ptr<const r1cs::CompiledCircuit<typename C::Fr>> circuit, const std::stop_token& stop = {}) = 0;

  /// What a proof with these takes; circuit as for prove_start. A null key asks before anything is loaded: abc when
  /// some circuit may need it, so that buffers are made ready.
  virtual Wants wants(const Key<C>* /*key*/, const Circuit<C>* /*circuit*/) const noexcept { return Wants::witness; }

  /// `circuit` may be null when the key carries its matrices (.zkey).
  virtual Result<std::unique_ptr<Ticket<C>>> prove_start(std::shared_ptr<const Key<C>> key,
                                                         std::shared_ptr<const Circuit<C>> circuit,
                                                         ProvingInput<C> input) = 0;
  virtual Result<groth16::Proof<C>> prove_finish(std::unique_ptr<Ticket<C>> ticket) = 0;

  /// Of the device itself: Code::device, saying what happened, when nothing can be computed on it any more until it is
  /// set up anew (a sticky error). Cheap; asked after each failed proof and from time to time while it is ill.
  virtual Status health() const { return {}; }
  /// The device's own memory, with all that this backend holds of it; null: it works in the host's.
  virtual std::shared_ptr<memory::DeviceBudget> memory() const { return nullptr; }
};

}  // namespace cuzk::backend
