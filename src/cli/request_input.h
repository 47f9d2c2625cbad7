// RequestInput: what is to be proved by a service, read from files and options, ready to be sent.
//
// Thread-safety: const methods concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "cli/remote_options.h"
#include "client/client.h"
#include "support/mapped_file.h"
#include "support/result.h"

namespace cuzk::cli {

class RequestInput {
 public:
  /// Errors: those of the files, naming them; invalid_argument.
  static Result<RequestInput> read(const ProofInput& input);

  /// "porep", ..., "circom"
  const std::string& kind() const noexcept { return kind_; }
  /// Milliseconds from the acceptance; 0: none.
  std::uint64_t deadline_ms() const noexcept;

  Result<client::Accepted> submit(const client::Client& client, const StopToken& stop) const;
  /// With a repetition that is not 0 it is proved again whatever was proved before.
  Result<client::Outcome> prove(const client::Client& client, std::uint64_t repetition, const StopToken& stop) const;

 private:
  using Request = std::variant<client::FilecoinProof, client::CircomProof>;

  Status read_filecoin(const ProofInput& input);
  Status read_circom(const ProofInput& input);
  Status read_payloads(const ProofInput& input, client::FilecoinProof& proof);

  std::string kind_;
  std::vector<MappedFile> files_;                 // the payloads lie in them,
  std::vector<std::vector<std::byte>> elements_;  // or here
  Request request_;
};

}  // namespace cuzk::cli
