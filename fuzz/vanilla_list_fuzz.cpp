// Any text as a JSON list of vanilla proofs of 2 KiB sectors.
#include "filecoin/wire/vanilla_list.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  using namespace cuzk::filecoin;
  const std::string_view json = cuzk::bytes_text(file);
  const SectorShape& sector = *find_sector_shape("2KiB");
  const auto elements = read_vanilla_list(json);
  if (elements) {
    const auto again = read_vanilla_list(write_vanilla_list(*elements));
    CUZK_REQUIRE(again && *again == *elements);
  }
  for (const ProofKind kind : {ProofKind::winning, ProofKind::window}) {
    const auto proofs = read_post_proofs(json, sector, kind);
    if (proofs) CUZK_REQUIRE(elements && proofs->size() == elements->size());
  }
  const auto partitions = read_update_proofs(json, sector);
  if (partitions) CUZK_REQUIRE(elements && partitions->size() == sector.update_partitions);
}
