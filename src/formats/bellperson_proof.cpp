#include "formats/bellperson_proof.h"

#include <array>

#include "formats/points.h"

namespace cuzk::formats {

namespace {

using G1 = Bls12_381::G1Affine;
using G2 = Bls12_381::G2Affine;
using Proof = groth16::Proof<Bls12_381>;

Result<Proof> read_one(Reader& in, const std::string& prefix) {
  Proof proof;
  CUZK_TRY(proof.a, read_point<ZcashCompressedCodec, G1>(in, prefix + "a"));
  CUZK_TRY(proof.b, read_point<ZcashCompressedCodec, G2>(in, prefix + "b"));
  CUZK_TRY(proof.c, read_point<ZcashCompressedCodec, G1>(in, prefix + "c"));
  return proof;
}

}  // namespace

Result<std::vector<Proof>> read_bellperson_proofs(Bytes file, std::size_t count) {
  Reader in(file, "");
  if (file.size() % kBellpersonProofBytes != 0 || file.size() / kBellpersonProofBytes != count) {
    return fail(in.malformed_at(0, Kind::bad_length, "a proof has 192 bytes", std::to_string(count) + " x 192 bytes",
                                std::to_string(file.size())));
  }
  std::vector<Proof> proofs;
  for (std::size_t i = 0; i < count; ++i) {
    CUZK_TRY(Proof proof, read_one(in, count == 1 ? "" : "proof " + std::to_string(i) + "."));
    proofs.push_back(std::move(proof));
  }
  return proofs;
}

Result<Proof> read_bellperson_proof(Bytes file) {
  CUZK_TRY(std::vector<Proof> proofs, read_bellperson_proofs(file, 1));
  return std::move(proofs.front());
}

std::vector<std::byte> write_bellperson_proofs(std::span<const Proof> proofs) {
  std::vector<std::byte> out(proofs.size() * kBellpersonProofBytes);
  MutableBytes rest(out);
  for (const Proof& proof : proofs) {
    zcash::encode_g1_compressed(proof.a, rest.first(zcash::kG1Compressed));
    zcash::encode_g2_compressed(proof.b, rest.subspan(zcash::kG1Compressed, zcash::kG2Compressed));
    zcash::encode_g1_compressed(proof.c,
                                rest.subspan(zcash::kG1Compressed + zcash::kG2Compressed, zcash::kG1Compressed));
    rest = rest.subspan(kBellpersonProofBytes);
  }
  return out;
}

std::vector<std::byte> write_bellperson_proof(const Proof& proof) {
  return write_bellperson_proofs(std::span(&proof, 1));
}

}  // namespace cuzk::formats
