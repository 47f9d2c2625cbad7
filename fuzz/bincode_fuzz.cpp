// Any bytes as a vanilla proof of spacetime or of an update, of a small sector, and of shapes with trees above the base
// trees. What is read is written as it was.
#include "filecoin/wire/bincode.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  using namespace cuzk::filecoin;
  for (const std::string_view size : {"2KiB", "32KiB", "1GiB", "32GiB"}) {
    const SectorShape& sector = *find_sector_shape(size);
    for (const ProofKind kind : {ProofKind::winning, ProofKind::window}) {
      const auto proof = read_post_bincode(file, sector, kind, "fuzzed");
      if (proof) CUZK_REQUIRE(std::ranges::equal(write_post_bincode(*proof, sector, kind), file));
    }
    const auto proof = read_update_bincode(file, sector);
    if (proof) CUZK_REQUIRE(std::ranges::equal(write_update_bincode(*proof, sector), file));
  }
}
