// The reference vectors as a test of sealing: from the public data of each, the request that was made from it.
#pragma once

#include <filesystem>
#include <ostream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "filecoin/seal/generate.h"
#include "filecoin/seal/sector.h"
#include "support/bytes.h"
#include "support/hex.h"
#include "tests/filecoin/request_vectors.h"
#include "tests/support/must.h"
#include "tests/support/vectors.h"

namespace cuzk::filecoin {

struct SealVector {
  std::string name;  // "porep-2KiB/seed-1"
  std::filesystem::path folder;
  nlohmann::json facts;  // public.json

  friend void PrintTo(const SealVector& vector, std::ostream* out) { *out << vector.name; }
};

/// Those whose public data name the content of their sectors; of the sizes wanted.
inline std::vector<SealVector> seal_vectors(bool large) {
  std::vector<SealVector> found;
  for (const test::RequestVector& request : test::request_vectors()) {
    nlohmann::json facts = request.facts();
    if (!facts.contains("seal_registered_proof") && !facts.contains("c1")) continue;
    if ((request.sector->bytes > 32 << 10) == large) found.push_back({request.name, request.folder, std::move(facts)});
  }
  return found;
}

inline std::string test_name(const testing::TestParamInfo<SealVector>& info) {
  return test::identifier(info.param.name);
}

inline std::string hex(const Node& node) {
  std::array<std::byte, 32> bytes;
  node.to_le_bytes(bytes.data());
  return encode_hex(bytes);
}

/// The request, byte by byte, of each partition.
inline void expect_payloads(Arena& arena, const SealVector& vector, bool twice) {
  const Recipe recipe = test::must(read_recipe(vector.facts.dump()));
  const std::size_t partitions =
      recipe.kind == ProofKind::winning || recipe.kind == ProofKind::window ? vector.facts.at("partitions").size() : 1;
  for (std::size_t partition = 0; partition < partitions; ++partition) {
    const std::string file = recipe.kind == ProofKind::porep  ? "c1.json"
                             : recipe.kind == ProofKind::snap ? "vanilla.json"
                                                              : "vanilla-" + std::to_string(partition) + ".json";
    const GeneratedProof proof =
        test::must(generate(arena, recipe, {.synthetic = false, .partition = partition, .replicas = 0}));
    const test::FileBytes expected = test::read_vector(vector.folder / file);
    EXPECT_TRUE(write_payload(proof) == bytes_text(expected)) << file;

    if (!twice) continue;
    // What it was made from is in what it says of itself.
    const GeneratedProof again = test::must(generate(arena, test::must(read_recipe(write_public_json(proof))), {}));
    EXPECT_TRUE(write_payload(again) == bytes_text(expected)) << file << ", made again";
  }
}

}  // namespace cuzk::filecoin
