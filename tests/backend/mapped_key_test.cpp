// Proving with queries that are mapped from a file.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/backend/samples.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::backend {
namespace {

using test::must;

class MappedKeyTest : public testing::Test {
 protected:
  using C = Bn254;

  MappedKeyTest() {
    std::ofstream out(path, std::ios::binary);
    const auto view = sample.view_with_records();
    out << '\0';  // sections start anywhere
    for (const Bytes section : {view.a, view.b_g1, view.b_g2, view.l, view.h, view.coefficients->bytes()}) {
      out << bytes_text(section);
    }
  }

  groth16::ProvingKeyView<C> mapped_view() {
    auto file = std::make_shared<const MappedFile>(must(MappedFile::open(path)));
    auto view = sample.view_with_records();
    std::size_t at = 1;
    const auto next = [&](Bytes section) {
      const Bytes mapped = file->bytes().subspan(at, section.size());
      at += section.size();
      return mapped;
    };
    for (Bytes* query : {&view.a, &view.b_g1, &view.b_g2, &view.l, &view.h}) *query = next(*query);
    view.coefficients = r1cs::CoefficientRecords<C::Fr>(next(view.coefficients->bytes()), true);
    view.file = file.get();
    view.owner = std::move(file);
    return view;
  }

  Result<groth16::Proof<C>> prove(CpuBackend<C>& backend, const std::shared_ptr<const Key<C>>& key) {
    CUZK_TRY(auto ticket,
             backend.prove_start(key, nullptr, {sample.witness(), Blinding<C>::fixed(U256::zero(), U256::zero())}));
    return backend.prove_finish(std::move(ticket));
  }

  std::mt19937_64 random{test::run_seed()};
  Arena arena{2};
  test::Case<C> sample{arena, {2000, 2, 1500}, test::kSnarkjs, random};
  test::TemporaryFolder folder;
  std::string path = folder.file("key");
};

TEST_F(MappedKeyTest, DroppedPagesComeBack) {
  CpuBackend<C> backend(arena, {.drop_pages = true});
  CpuBackend<C> in_memory(arena);
  const auto expected = must(prove(in_memory, must(in_memory.load_key(sample.view_with_records()))));
  const auto key = must(backend.load_key(mapped_view()));
  for (int round = 0; round < 2; ++round) {
    const auto proof = must(prove(backend, key));
    EXPECT_EQ(proof.a, expected.a);
    EXPECT_EQ(proof.b, expected.b);
    EXPECT_EQ(proof.c, expected.c);
  }
}

TEST_F(MappedKeyTest, FileThatWasCutIsRefused) {
  CpuBackend<C> backend(arena);
  const auto key = must(backend.load_key(mapped_view()));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  const auto proof = prove(backend, key);
  ASSERT_FALSE(proof);
  EXPECT_EQ(proof.error().code(), Code::malformed);
  EXPECT_EQ(proof.error().kind(), Kind::truncated);
}

}  // namespace
}  // namespace cuzk::backend
