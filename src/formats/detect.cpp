#include "formats/detect.h"

#include "formats/bellperson_proof.h"
#include "formats/bellperson_vk.h"
#include "formats/points.h"
#include "formats/r1cs_file.h"
#include "formats/snarkjs_json.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "r1cs/circuit_file.h"

namespace cuzk::formats {

namespace {

template <class Header> std::optional<CurveId> curve_of(const Result<Header>& header) {
  if (!header) return std::nullopt;
  return header->curve;
}

std::optional<CurveId> circuit_curve(Bytes file) {
  if (r1cs::is_circuit_over(file, Bn254::Fr::modulus)) return CurveId::bn254;
  if (r1cs::is_circuit_over(file, Bls12_381::Fr::modulus)) return CurveId::bls12_381;
  return std::nullopt;
}

std::optional<Detected> by_magic(Bytes file) {
  if (file.size() < 4) return std::nullopt;
  const std::string_view magic = bytes_text(file.first(4));
  if (magic == "r1cs") return Detected{FileKind::r1cs, curve_of(read_r1cs_header(file))};
  if (magic == "wtns") return Detected{FileKind::wtns, curve_of(read_wtns_header(file))};
  if (magic == "zkey") return Detected{FileKind::zkey, curve_of(read_zkey_header(file))};
  if (magic == "ptau") return Detected{FileKind::ptau, std::nullopt};
  if (r1cs::is_circuit_file(file)) return Detected{FileKind::circuit, circuit_curve(file)};
  return std::nullopt;
}

/// Counts and sizes of a verifying key, and of the five queries behind it if there is more.
std::optional<Detected> by_bellperson_structure(Bytes file) {
  using G1 = Bls12_381::G1Affine;
  using G2 = Bls12_381::G2Affine;
  constexpr std::uint64_t kPoints = kBellpersonVkFixedBytes - sizeof(std::uint32_t);
  Reader in(file, "");
  if (!in.skip(kPoints, "points")) return std::nullopt;
  const auto ic = read_counted_run<G1>(in, "ic");
  if (!ic || ic->size() == 0) return std::nullopt;
  if (in.remaining() == 0) return Detected{FileKind::bellperson_vk, CurveId::bls12_381};
  for (const bool g2 : {false, false, false, false, true}) {
    if (!read_counted_run(in, "query", g2 ? sizeof(G2) : sizeof(G1))) return std::nullopt;
  }
  return Detected{FileKind::bellperson_params, CurveId::bls12_381};
}

std::optional<Detected> by_proof_size(Bytes file) {
  constexpr std::byte kCompressed{0x80};
  if (file.empty() || file.size() % kBellpersonProofBytes != 0) return std::nullopt;
  for (std::size_t at = 0; at < file.size(); at += kBellpersonProofBytes) {
    if ((file[at] & kCompressed) == std::byte{0}) return std::nullopt;
  }
  return Detected{FileKind::bellperson_proof, CurveId::bls12_381};
}

std::optional<Detected> by_json(Bytes file) {
  const std::string_view text = bytes_text(file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::nullopt;
  if (text[first] == '[') return Detected{FileKind::public_json, std::nullopt};
  if (text[first] != '{') return std::nullopt;
  const bool key = text.find("\"vk_alpha_1\"") != std::string_view::npos;
  const bool proof = text.find("\"pi_a\"") != std::string_view::npos;
  if (key == proof) return std::nullopt;
  const auto curve = json_curve(text);
  return Detected{key ? FileKind::verification_key_json : FileKind::proof_json, curve ? *curve : std::nullopt};
}

}  // namespace

std::string_view to_string(FileKind kind) noexcept {
  switch (kind) {
    case FileKind::unknown:
      return "unknown";
    case FileKind::r1cs:
      return "r1cs";
    case FileKind::wtns:
      return "wtns";
    case FileKind::zkey:
      return "zkey";
    case FileKind::ptau:
      return "ptau";
    case FileKind::circuit:
      return "circuit";
    case FileKind::bellperson_params:
      return "bellperson_params";
    case FileKind::bellperson_vk:
      return "bellperson_vk";
    case FileKind::bellperson_proof:
      return "bellperson_proof";
    case FileKind::verification_key_json:
      return "verification_key_json";
    case FileKind::proof_json:
      return "proof_json";
    case FileKind::public_json:
      return "public_json";
  }
  return "unknown";
}

Detected detect(Bytes file) {
  for (const auto recognise : {by_magic, by_json, by_bellperson_structure, by_proof_size}) {
    if (const auto found = recognise(file)) return *found;
  }
  return {};
}

}  // namespace cuzk::formats
