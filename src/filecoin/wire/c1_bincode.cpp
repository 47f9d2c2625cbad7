#include "filecoin/wire/c1_bincode.h"

#include "filecoin/wire/bincode_archive.h"
#include "filecoin/wire/phase1.h"

namespace cuzk::filecoin {
namespace {

using schema::Field;

/// The five sizes' place in the enum of the API's vanilla proofs: that of version 1's proof number.
std::uint32_t tree_variant(const SealProof& seal) noexcept { return seal.number % 5; }

/// filecoin-proofs' struct, or the rest of the API's.
template <class Archive>
Status phase1(Archive& archive, schema::Ref<Archive, PorepVanillaProof> proof, const SectorShape& sector) {
  return archive.record(
      Field{"vanilla_proofs", [&] { return schema::porep_partitions(archive, proof.partitions, sector); }},
      Field{"comm_r", [&] { return archive.node(proof.comm_r); }},
      Field{"comm_d", [&] { return archive.node(proof.comm_d); }},
      Field{"replica_id", [&] { return archive.node(proof.replica_id); }},
      Field{"seed", [&] { return archive.bytes32(proof.seed); }},
      Field{"ticket", [&] { return archive.bytes32(proof.ticket); }});
}

Result<PorepVanillaProof> read_rest(BincodeReader& in, const SealProof& seal) {
  PorepVanillaProof proof{};
  proof.seal_proof = seal.number;
  CUZK_CHECK_OK(phase1(in, proof, *seal.sector));
  CUZK_CHECK_OK(in.expect_end());
  CUZK_CHECK_OK(schema::check_partitions(in, proof, seal));
  return proof;
}

}  // namespace

Result<PorepVanillaProof> read_phase1_bincode(Bytes bytes, const SealProof& seal) {
  BincodeReader in(bytes, {});
  return read_rest(in, seal);
}

Result<PorepVanillaProof> read_api_phase1_bincode(Bytes bytes) {
  BincodeReader in(bytes, {});
  std::uint32_t number = 0, variant = 0;
  CUZK_CHECK_OK(in.u32(number));
  const auto seal = seal_proof(number);
  if (!seal) {
    return fail(Error(Code::unsupported, Kind::unknown_proof_type, "an unknown kind of proof")
                    .at(Where{.file = {},
                              .section = "registered_proof",
                              .offset = 0,
                              .expected = "0 to 19",
                              .found = std::to_string(number)}));
  }
  CUZK_CHECK_OK(in.u32(variant));
  if (variant != tree_variant(*seal)) {
    return fail(in.wrong(Kind::wrong_proof_type, "the proofs are of another sector size than the registered proof",
                         std::to_string(tree_variant(*seal)), std::to_string(variant)));
  }
  return read_rest(in, *seal);
}

std::vector<std::byte> write_phase1_bincode(const PorepVanillaProof& proof) {
  const auto seal = seal_proof(proof.seal_proof);
  CUZK_REQUIRE(seal.has_value());
  BincodeWriter out;
  CUZK_REQUIRE(phase1(out, proof, *seal->sector).has_value());
  return std::move(out).take();
}

std::vector<std::byte> write_api_phase1_bincode(const PorepVanillaProof& proof) {
  const auto seal = seal_proof(proof.seal_proof);
  CUZK_REQUIRE(seal.has_value());
  BincodeWriter out;
  CUZK_REQUIRE(out.u32(seal->number) && out.u32(tree_variant(*seal)) && phase1(out, proof, *seal->sector));
  return std::move(out).take();
}

}  // namespace cuzk::filecoin
