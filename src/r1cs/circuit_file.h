// Circuit files: a compiled circuit of pieces and placements as it lies in memory, opened by mapping it.
//
// Every count, index and offset is checked when a file is opened, so that no use of the circuit can leave its arrays;
// counts are compared with the bytes that are there first. The checksum covers the whole file. matrices_sha256 is that
// of digest.h, computed from the file as re-opened while it was being written, not from what the recorder had in
// memory; a file without it does not exist under its name. What is not checked at opening is that the digest is the
// rows' own (a pass over all terms): matrices_digest() of the opened circuit tells. Page: docs/formats/circuit.md.
//
// Errors: those of MappedFile and AtomicFile; malformed with truncated, bad_magic, bad_version, curve_mismatch,
// bad_length, bad_count, index_out_of_range, non_canonical, bad_checksum, trailing_bytes; when saving, invalid_argument
// (a label that does not fit) and unsupported (too many inputs). Memory: the densities and a description of the pieces
// beside the mapping. Thread-safety: values; functions concurrently.
#pragma once

#include <memory>
#include <string>

#include "r1cs/block_circuit.h"
#include "r1cs/density.h"
#include "support/bytes.h"
#include "support/progress.h"
#include "support/sha256.h"
#include "support/stop.h"

namespace cuzk::r1cs {

inline constexpr std::size_t kMaxCircuitLabel = 64;

template <class Fr> struct CircuitFile {
  std::shared_ptr<const BlockCircuit<Fr>> circuit;
  std::string label;  // which circuit this is: "porep-32g"
  DensityCounts densities;
  Sha256::Digest matrices_sha256;
};

/// From the magic alone, and the prime of the field behind it.
bool is_circuit_file(Bytes file) noexcept;
bool is_circuit_over(Bytes file, const U256& prime) noexcept;

enum class Checksum : bool { skip, check };

template <class Fr> Result<CircuitFile<Fr>> open_circuit(const std::string& path);
/// The same from bytes that `owner` keeps; they are copied where they are not aligned to 8 bytes.
template <class Fr>
Result<CircuitFile<Fr>> parse_circuit(Bytes file, std::shared_ptr<const void> owner,
                                      Checksum checksum = Checksum::check);

/// Writes, re-opens and digests the circuit, and puts the file in place; returns it opened. A file
/// "<path>.<random>.unchecked" stands beside it for a moment; several may save one path at once. cancelled
/// when the stop was seen. label: printable
/// ASCII, at most kMaxCircuitLabel characters.
template <class Fr>
Result<CircuitFile<Fr>> save_circuit(const std::string& path, std::string_view label, const BlockCircuit<Fr>& circuit,
                                     ProgressRef progress = {}, const StopToken& stop = {});

}  // namespace cuzk::r1cs
