#include "filecoin/wire/bincode.h"

#include "filecoin/wire/bincode_archive.h"

namespace cuzk::filecoin {

Result<PostVanillaProof> read_post_bincode(Bytes bytes, const SectorShape& sector, ProofKind kind,
                                           std::string_view name) {
  BincodeReader in(bytes, name);
  PostVanillaProof proof{};
  CUZK_CHECK_OK(schema::post_proof(in, proof, sector, kind));
  CUZK_CHECK_OK(in.expect_end());
  return proof;
}

Result<UpdatePartitionProof> read_update_bincode(Bytes bytes, const SectorShape& sector, std::string_view name) {
  if (sector.update_partitions == 0)
    return fail(Code::unsupported, "sectors of " + std::string(sector.name) + " cannot be updated");
  BincodeReader in(bytes, name);
  UpdatePartitionProof proof{};
  CUZK_CHECK_OK(schema::update_partition(in, proof, sector));
  CUZK_CHECK_OK(in.expect_end());
  return proof;
}

std::vector<std::byte> write_post_bincode(const PostVanillaProof& proof, const SectorShape& sector, ProofKind kind) {
  BincodeWriter out;
  CUZK_REQUIRE(schema::post_proof(out, proof, sector, kind).has_value());
  return std::move(out).take();
}

std::vector<std::byte> write_update_bincode(const UpdatePartitionProof& proof, const SectorShape& sector) {
  BincodeWriter out;
  CUZK_REQUIRE(schema::update_partition(out, proof, sector).has_value());
  return std::move(out).take();
}

}  // namespace cuzk::filecoin
