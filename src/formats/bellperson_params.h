// Parameter files of bellperson (.params): proving keys over BLS12-381, used where they lie.
//
//   verifying key (bellperson_vk.h) | h | l | a | b_g1 | b_g2, each u32 BE count and uncompressed Zcash points
//
// The a and b queries leave identities out; which variables they hold follows from the circuit (densities). open()
// checks the structure, all counts and the verifying key completely; check_points() every other point, once per file. h
// is the coset-monomial basis, the roots are bellperson's (powers of 7). Page: docs/formats/bellperson.md. Errors:
// malformed (truncated, bad_count, bad_domain, trailing_bytes, bad_transcript, bad_flags, non_canonical, not_on_curve,
// not_in_subgroup, identity_point); each names section and offset. Thread-safety: const methods concurrently. Memory:
// the verifying key; all else stays in the file.
#pragma once

#include <string>

#include "formats/key_source.h"
#include "groth16/proving_key.h"
#include "support/parallel.h"
#include "support/progress.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::formats {

/// What may follow the last query.
enum class ParamsTail : std::uint8_t {
  none,              // the file ends there
  zcash_transcript,  // the record of Zcash's phase-2 program: 64 bytes, u32 BE count, count x 544 bytes; or nothing
};

class ParamsFile {
 public:
  /// Names the file in its errors.
  static Result<ParamsFile> open(Arena& arena, const std::string& path, ParamsTail tail = ParamsTail::none);
  static Result<ParamsFile> open(Arena& arena, KeySource source, ParamsTail tail = ParamsTail::none);

  /// Holds the file; outlives this object.
  const groth16::ProvingKeyView<Bls12_381>& view() const noexcept { return view_; }
  const KeySource& source() const noexcept { return source_; }
  /// Entries of the transcript behind the key, 0 if there is none.
  std::uint64_t transcript_entries() const noexcept { return transcript_entries_; }

  /// The full check of every point of h, l, a, b_g1 and b_g2.
  Status check_points(Arena& arena, ProgressRef progress = {}, const StopToken& stop = {}) const;

 private:
  ParamsFile(KeySource source, groth16::ProvingKeyView<Bls12_381> view, std::uint64_t transcript_entries)
      : source_(std::move(source)), view_(std::move(view)), transcript_entries_(transcript_entries) {}

  KeySource source_;
  groth16::ProvingKeyView<Bls12_381> view_;
  std::uint64_t transcript_entries_;
};

/// Whether the file says in which way a key came to be: a key whose trapdoor is known carries a marker beside it.
enum class KeyOrigin : std::uint8_t { ceremony, development };

/// Identities of a and b are left out. For a development key the marker file is written first. Errors: invalid_argument
/// when the key is not in the coset-monomial basis with bellperson's roots, unsupported when a variable is in no
/// constraint (its l would be the identity).
Status write_params(const std::string& path, const groth16::ProvingKey<Bls12_381>& key,
                    KeyOrigin origin = KeyOrigin::development);

/// "<stem>.dev.json" beside the file.
std::string development_marker_path(const std::string& params_path);
bool has_development_marker(const std::string& params_path);

}  // namespace cuzk::formats
