// What is wrong with a key file: the check behind `cuzk keys check`.
//
// In this order, the first fault ends it: there, a regular file of the published size, of the right structure (counts
// that fit each other, a sound verifying key), of this circuit (number of public inputs; a .params begins with the
// bytes of the .vk beside it), the published digest, sound points. A key with a development marker need not have the
// published digest. Errors: not_found; malformed / bad_length, circuit_mismatch, digest_mismatch, those of
// formats/bellperson_params.h. Thread-safety: pure functions. Memory: the verifying key; files larger than memory are
// read through their mapping and dropped behind.
#pragma once

#include <optional>
#include <string>

#include "filecoin/params/key_files.h"
#include "support/mapped_file.h"
#include "support/parallel.h"
#include "support/progress.h"

namespace cuzk::filecoin {

enum class KeyPart : std::uint8_t { params, vk };

/// What a file should be. 0 and empty: nobody published it.
struct KeyExpectation {
  std::string path;
  std::uint64_t bytes = 0;
  std::string digest;
};
KeyExpectation expected_key(const Circuit& circuit, KeyPart part, const std::string& folder);

struct KeyCheckOptions {
  bool digests = true;
  bool points = false;
};

struct KeyVerdict {
  std::uint64_t bytes = 0;
  std::string digest;        // as far as it was computed
  bool development = false;  // its trapdoor was known to whoever made it
  bool missing = false;      // nothing is there; what cannot be read is a fault of another kind
  std::optional<Error> fault;
};
KeyVerdict check_key_file(Arena& arena, const Circuit& circuit, KeyPart part, const std::string& folder,
                          const KeyCheckOptions& options, ProgressRef progress = {});

/// The first 16 bytes of a file's BLAKE2b-512, as hexadecimal: how published keys are told apart. Progress counts
/// bytes.
std::string key_digest(const MappedFile& file, ProgressRef progress = {});

}  // namespace cuzk::filecoin
