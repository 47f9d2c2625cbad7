// Writing of circuit files; the reader is circuit_file.cpp.
#include <array>
#include <filesystem>
#include <vector>

#include "r1cs/circuit_file.h"
#include "r1cs/circuit_file_layout.h"
#include "r1cs/digest.h"
#include "support/atomic_file.h"
#include "support/hex.h"
#include "support/random.h"

namespace cuzk::r1cs {

using namespace circuit_file;

namespace {

/// The arrays in the order of the file.
template <class Fr> std::array<Bytes, 7> sections_of(const BlockParts<Fr>& parts, std::span<const U256> coefficients) {
  return {std::as_bytes(coefficients), std::as_bytes(parts.pieces),     std::as_bytes(parts.ends),
          std::as_bytes(parts.terms),  std::as_bytes(parts.placements), std::as_bytes(parts.ports),
          std::as_bytes(parts.bits)};
}

template <class Fr>
Header header_of(const BlockCircuit<Fr>& circuit, std::string_view label, const Sha256::Digest& matrices_sha256) {
  const BlockParts<Fr>& parts = circuit.parts();
  const NonZeros non_zeros = circuit.non_zeros();
  const DensityCounts dense = density_counts<Fr>(circuit);
  Header h{.magic = kMagic,
           .version = kVersion,
           .label_length = static_cast<std::uint32_t>(label.size()),
           .prime = Fr::modulus,
           .label = {},
           .num_inputs = parts.num_inputs,
           .num_aux = parts.num_aux,
           .num_constraints = parts.num_constraints,
           .non_zeros_a = non_zeros.a,
           .non_zeros_b = non_zeros.b,
           .non_zeros_c = non_zeros.c,
           .dense_a_aux = dense.a_aux,
           .dense_b_inputs = dense.b_inputs,
           .dense_b_aux = dense.b_aux,
           .num_coefficients = parts.coefficients.size(),
           .num_pieces = parts.pieces.size(),
           .num_ends = parts.ends.size(),
           .num_terms = parts.terms.size(),
           .num_placements = parts.placements.size(),
           .num_ports = parts.ports.size(),
           .matrices_sha256 = matrices_sha256,
           .checksum = {},
           .reserved = {}};
  std::copy(label.begin(), label.end(), h.label.begin());
  return h;
}

template <class Fr>
Status write_file(const std::string& path, std::string_view label, const BlockCircuit<Fr>& circuit,
                  const Sha256::Digest& matrices_sha256) {
  std::vector<U256> coefficients;
  for (const Fr& coefficient : circuit.coefficients()) coefficients.push_back(coefficient.canonical());
  const auto sections = sections_of(circuit.parts(), coefficients);
  Header header = header_of(circuit, label, matrices_sha256);
  header.checksum = checksum_of(header, sections);

  CUZK_TRY(AtomicFile file, AtomicFile::create(path));
  CUZK_CHECK_OK(file.append(object_bytes(header)));
  for (const Bytes section : sections) {
    CUZK_CHECK_OK(file.append(section));
    CUZK_CHECK_OK(file.append(padding_behind(section.size())));
  }
  return file.commit();
}

/// The error of a file under a name that nobody knows, as one of the file that was to be made.
Error under_name(const Error& error, const std::string& unknown, const std::string& path) {
  std::string message = error.message();
  if (const std::size_t at = message.find(unknown); at != message.npos) message.replace(at, unknown.size(), path);
  Error renamed(error.code(), error.kind(), std::move(message));
  if (const Where* const where = error.where(); where != nullptr) {
    return std::move(renamed).at({path, where->section, where->offset, where->expected, where->found});
  }
  return std::move(renamed).in_file(path);
}

/// A file without a digest, re-opened; its name, which nobody else uses, is gone again.
template <class Fr>
Result<CircuitFile<Fr>> write_unchecked(const std::string& path, std::string_view label,
                                        const BlockCircuit<Fr>& circuit) {
  std::array<std::byte, 8> tag;
  CUZK_CHECK_OK(fill_random(tag));
  const std::string unchecked = path + "." + encode_hex(tag) + ".unchecked";
  if (Status written = write_file<Fr>(unchecked, label, circuit, {}); !written)
    return fail(under_name(written.error(), unchecked, path));
  Result<CircuitFile<Fr>> reopened = open_circuit<Fr>(unchecked);
  std::error_code ignored;
  std::filesystem::remove(unchecked, ignored);  // what is mapped stays
  if (!reopened) return fail(under_name(reopened.error(), unchecked, path));
  return reopened;
}

}  // namespace

template <class Fr>
Result<CircuitFile<Fr>> save_circuit(const std::string& path, std::string_view label, const BlockCircuit<Fr>& circuit,
                                     ProgressRef progress, const StopToken& stop) {
  if (label.size() > kMaxCircuitLabel || !is_printable(label)) {
    return fail(Code::invalid_argument, "a circuit's label is printable ASCII of at most 64 characters");
  }
  if (circuit.num_inputs() > kMaxInputs) {
    return fail(Code::unsupported, "a circuit file holds at most " + std::to_string(kMaxInputs) + " inputs");
  }
  CUZK_TRY(const CircuitFile<Fr> reopened, write_unchecked(path, label, circuit));
  const Sha256::Digest digest = matrices_digest<Fr>(*reopened.circuit, progress, stop);
  CUZK_CHECK_OK(check_stop(stop, "saving a circuit"));
  CUZK_CHECK_OK(write_file<Fr>(path, label, *reopened.circuit, digest));
  return open_circuit<Fr>(path);
}

template Result<CircuitFile<bn254::Fr>> save_circuit(const std::string&, std::string_view,
                                                     const BlockCircuit<bn254::Fr>&, ProgressRef, const StopToken&);
template Result<CircuitFile<bls12_381::Fr>> save_circuit(const std::string&, std::string_view,
                                                         const BlockCircuit<bls12_381::Fr>&, ProgressRef,
                                                         const StopToken&);

}  // namespace cuzk::r1cs
