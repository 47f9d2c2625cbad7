// What a C handle holds: one opened .zkey, ready to prove, whatever its curve. Both C interfaces (cuzk.h, rapidsnark.h)
// are thin over it. Thread-safety: const methods concurrently.
#pragma once

#include <memory>
#include <string>

#include "cuzk/cuzk.h"
#include "formats/key_source.h"
#include "formats/snarkjs_json.h"
#include "support/result.h"

namespace cuzk::capi {

struct ProverOptions {
  unsigned threads = 0;
  bool allow_insecure_key = false;
  bool check_points = false;
};

struct ProvedJson {
  std::string proof;
  std::string public_inputs;
};

class Prover {
 public:
  static Result<std::unique_ptr<const Prover>> open(formats::KeySource source, const ProverOptions& options);
  virtual ~Prover() = default;

  virtual Result<ProvedJson> prove(Bytes wtns, formats::JsonForm form) const = 0;
  virtual std::string verification_key_json() const = 0;
  virtual CurveId curve() const noexcept = 0;
  virtual std::size_t num_public() const noexcept = 0;
  virtual std::size_t num_variables() const noexcept = 0;
};

/// How many public inputs a .zkey has, from its header alone.
Result<std::uint64_t> num_public_of(const formats::KeySource& source);

/// Status of a proof against a key, all three as snarkjs JSON.
Status verify_json(std::string_view vkey, std::string_view public_inputs, std::string_view proof);

}  // namespace cuzk::capi
