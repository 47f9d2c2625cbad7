// .zkey files (iden3, version 1, Groth16): proving keys of snarkjs, used where they lie.
//
// open() checks everything that costs little: the section table, both primes, all counts against the sections' lengths,
// the header's points and IC completely (range, curve, subgroup, identity), and every coefficient record (matrix, row,
// variable, value), in one parallel pass. check_points() checks the points of sections 5 to 9; that is the expensive
// part, needed once per file. Order of open()'s checks: container, header, lengths, header points, IC, coefficients.
// Points are little-endian Montgomery (our memory layout), the domain's roots are iden3's, h is the odd-coset basis.
// Page: docs/formats/zkey.md. Errors: malformed, kinds as the page lists; each names section and offset. A domain of
// 2^two_adicity has no odd coset: bad_domain. Thread-safety: const methods concurrently.
// Memory: IC and the header; all else stays in the file.
#pragma once

#include <string>
#include <vector>

#include "formats/key_source.h"
#include "groth16/proving_key.h"
#include "r1cs/compiled_circuit.h"
#include "support/parallel.h"
#include "support/progress.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::formats {

struct ZkeyHeader {
  CurveId curve;
  std::uint32_t num_variables;  // with ONE
  std::uint32_t num_public;
  std::uint32_t domain_size;
};

/// The header alone, with its counts checked: which curve a file is for, before a ZkeyFile<C> is opened.
Result<ZkeyHeader> read_zkey_header(Bytes file);

/// The name that development keys carry as their (only) contribution.
inline constexpr std::string_view kDevelopmentContribution =
    "cuzk development key: trapdoor known, never for production";

struct ZkeyContribution {
  enum class Type : std::uint8_t { contribution, beacon };
  Type type;
  std::string name;                    // empty if none was given
  std::vector<std::byte> beacon_hash;  // beacons only
};

template <class C> class ZkeyFile {
 public:
  /// Names the file in its errors.
  static Result<ZkeyFile> open(Arena& arena, const std::string& path);
  static Result<ZkeyFile> open(Arena& arena, KeySource source);

  /// Holds the file; outlives this object.
  const groth16::ProvingKeyView<C>& view() const noexcept { return view_; }
  const KeySource& source() const noexcept { return source_; }

  /// The full check of every point of sections 5 to 9: the first bad one (in file order of its section) is the error.
  Status check_points(Arena& arena, ProgressRef progress = {}, const StopToken& stop = {}) const;

  /// Section 10, which proving does not need and open() does not look at; none when the file has no section 10.
  Result<std::vector<ZkeyContribution>> contributions() const;
  /// Made by our own setup with a known trapdoor; false when section 10 is missing or cannot be read.
  bool is_development() const;

 private:
  ZkeyFile(KeySource source, groth16::ProvingKeyView<C> view) : source_(std::move(source)), view_(std::move(view)) {}

  KeySource source_;
  groth16::ProvingKeyView<C> view_;
};

/// Size of the file that write_zkey() makes of a circuit's key.
template <class C>
std::uint64_t zkey_bytes(const r1cs::CompiledCircuit<typename C::Fr>& circuit,
                         std::string_view contribution = kDevelopmentContribution);

/// Writes sections 1 to 10 in order, coefficients by row (A before B) with the public inputs' rows last.
/// `contribution` becomes section 10's only entry; empty: none. Errors: invalid_argument when the key is not in the
/// odd-coset basis with iden3's roots or does not fit the circuit.
template <class C>
Status write_zkey(const std::string& path, const groth16::ProvingKey<C>& key,
                  const r1cs::CompiledCircuit<typename C::Fr>& circuit,
                  std::string_view contribution = kDevelopmentContribution);

}  // namespace cuzk::formats
