// OutputFiles: a proof and, where they are wanted, its public inputs, open from the start: what cannot be written is
// not made.
//
// Thread-safety: external.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/atomic_file.h"
#include "support/bytes.h"
#include "support/result.h"

namespace cuzk::cli {

class OutputFiles {
 public:
  /// Empty names are not written.
  static Result<OutputFiles> open(const std::string& proof, const std::string& public_inputs);

  /// Both are on the disk before either appears under its name.
  Status write(Bytes proof, std::string_view public_json);

 private:
  OutputFiles() = default;

  std::optional<AtomicFile> proof_;
  std::optional<AtomicFile> public_inputs_;
};

}  // namespace cuzk::cli
