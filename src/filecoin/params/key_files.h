// Where the keys of Filecoin's circuits are: a folder with files of official names.
//
// Nothing is ever made or fetched here: a key that is not there is an error. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "filecoin/registry.h"
#include "support/result.h"

namespace cuzk::filecoin {

/// $FIL_PROOFS_PARAMETER_CACHE, or /var/tmp/filecoin-proof-parameters.
std::string default_key_folder();

struct KeyFiles {
  std::string params;
  std::string vk;
};
KeyFiles key_files(const Circuit& circuit, const std::string& folder);

/// Bytes of the circuit's .vk.
std::uint64_t vk_bytes(const Circuit& circuit) noexcept;

/// Whether nothing is there under the name: what is there and cannot be read is not missing.
bool nothing_at(const std::string& path);
/// not_found, saying which file of which circuit is missing and how to come by it.
Error missing_key(const Circuit& circuit, const std::string& path);

}  // namespace cuzk::filecoin
