// real-proofs/: public proofs of a running network with their verifying keys and public inputs (BLS12-381).
//
//   single (winning32.prf): proof 192 | u64 BE n | n scalars of 32 bytes BE | verifying key
//   batch  (the others):    u64 BE proofs | u64 BE n | verifying key | for each proof: 192 bytes, n scalars
#include <gtest/gtest.h>

#include "filecoin/primitives/graph.h"
#include "formats/bellperson_proof.h"
#include "formats/bellperson_vk.h"
#include "groth16/verifier.h"
#include "tests/support/must.h"
#include "tests/vectors_runner/vector_case.h"

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;
using C = Bls12_381;

struct Statement {
  FileBytes proof;
  FileBytes scalars;  // big-endian, 32 bytes each
};

struct ProofFile {
  FileBytes vk;
  std::vector<Statement> statements;
};

FileBytes copy(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

Result<Statement> read_statement(Reader& in, std::uint64_t num_public) {
  CUZK_TRY(const Bytes proof, in.bytes(formats::kBellpersonProofBytes, "proof"));
  CUZK_TRY(const Bytes scalars, in.array(num_public, 32, "scalars"));
  return Statement{copy(proof), copy(scalars)};
}

Result<ProofFile> read_single(Reader in) {
  ProofFile file;
  CUZK_TRY(const Bytes proof, in.bytes(formats::kBellpersonProofBytes, "proof"));
  CUZK_TRY(const std::uint64_t num_public, in.u64_be("inputs"));
  CUZK_TRY(const Bytes scalars, in.array(num_public, 32, "scalars"));
  CUZK_TRY(const Bytes vk, in.bytes(in.remaining(), "verifying key"));
  file.vk = copy(vk);
  file.statements.push_back({copy(proof), copy(scalars)});
  return file;
}

Result<ProofFile> read_batch(Reader in) {
  ProofFile file;
  CUZK_TRY(const std::uint64_t count, in.u64_be("proofs"));
  CUZK_TRY(const std::uint64_t num_public, in.u64_be("inputs"));
  CUZK_TRY(const Bytes vk, in.bytes(formats::kBellpersonVkFixedBytes + (num_public + 1) * 96, "verifying key"));
  file.vk = copy(vk);
  for (std::uint64_t i = 0; i < count; ++i) {
    CUZK_TRY(Statement statement, read_statement(in, num_public));
    file.statements.push_back(std::move(statement));
  }
  CUZK_CHECK_OK(in.expect_end());
  return file;
}

std::vector<U256> values_of(const FileBytes& scalars) {
  std::vector<U256> values;
  for (std::size_t at = 0; at < scalars.size(); at += 32) values.push_back(U256::from_be_bytes(scalars.data() + at));
  return values;
}

Status check(const groth16::PreparedVerifyingKey<C>& key, const FileBytes& proof_bytes, const FileBytes& scalars) {
  CUZK_TRY(const auto proof, formats::read_bellperson_proof(proof_bytes));
  return groth16::verify<C>(arena(), key, values_of(scalars), proof);
}

void expect_refused_when_flipped(const groth16::PreparedVerifyingKey<C>& key, const Statement& statement,
                                 std::size_t samples) {
  for_sample_of_bits(statement.proof.size(), samples, [&](std::size_t bit) {
    FileBytes damaged = statement.proof;
    flip(damaged, bit);
    EXPECT_FALSE(check(key, damaged, statement.scalars).has_value()) << "bit " << bit << " of the proof";
  });
  for_sample_of_bits(statement.scalars.size(), samples, [&](std::size_t bit) {
    FileBytes damaged = statement.scalars;
    flip(damaged, bit);
    EXPECT_FALSE(check(key, statement.proof, damaged).has_value()) << "bit " << bit << " of the public inputs";
  });
}

/// A point with a flipped bit is off the curve: the key itself is refused.
void expect_key_refused_when_flipped(const FileBytes& vk, std::size_t samples) {
  for_sample_of_bits(vk.size(), samples, [&](std::size_t bit) {
    FileBytes damaged = vk;
    flip(damaged, bit);
    EXPECT_FALSE(formats::read_bellperson_vk(arena(), damaged).has_value()) << "bit " << bit << " of the key";
  });
}

/// The scalars of a seal are those of a 32 GiB circuit: all parents follow from the challenges. 10 partitions show it.
void expect_graph(const Statement& statement) {
  const filecoin::Graph graph(must(filecoin::seal_proof("StackedDrg32GiBV1")));
  const std::vector<U256> values = values_of(statement.scalars);
  ASSERT_EQ(values.size(), 327u);
  for (std::size_t at = 3; at < values.size(); at += 18) {
    const auto challenge = static_cast<std::uint32_t>(values[at].limb[0]);
    std::vector<std::uint64_t> opened{challenge};
    for (const std::uint32_t parent : graph.drg_parents(challenge)) opened.push_back(parent);
    for (const std::uint32_t parent : graph.expander_parents(challenge)) opened.push_back(parent);
    opened.insert(opened.end(), 3, challenge);
    for (std::size_t i = 0; i < opened.size(); ++i) EXPECT_EQ(values[at + i], U256::from_u64(opened[i])) << at + i;
  }
}

void run_seal_graph(const fs::path& path) {
  const FileBytes bytes = read_file(path);
  const ProofFile file = must(read_batch(Reader(bytes, "")));
  for (const Statement& statement : file.statements) expect_graph(statement);
}

enum class Layout { single, batch };

void run(const fs::path& path, Layout layout, std::size_t samples, std::size_t key_samples) {
  const FileBytes bytes = read_file(path);
  const Reader in(bytes, "");
  const ProofFile file = must(layout == Layout::single ? read_single(in) : read_batch(in));
  const auto vk = must(formats::read_bellperson_vk(arena(), file.vk));
  EXPECT_EQ(formats::write_bellperson_vk(vk), file.vk);
  const groth16::PreparedVerifyingKey<C> key(vk);
  for (const Statement& statement : file.statements) must(check(key, statement.proof, statement.scalars));
  expect_refused_when_flipped(key, file.statements.front(), samples);
  expect_key_refused_when_flipped(file.vk, key_samples);
}

}  // namespace

std::vector<RegisteredCase> real_proof_cases() {
  std::vector<RegisteredCase> cases;
  for (const fs::path& root : vector_roots()) {
    const fs::path folder = root / "real-proofs";
    if (!fs::is_directory(folder)) continue;
    cases.push_back({"real_proofs", "winning32", [p = folder / "winning32.prf"] { run(p, Layout::single, 40, 20); }});
    cases.push_back({"real_proofs", "seal32_x10", [p = folder / "seal32_x10.prf"] { run(p, Layout::batch, 40, 20); }});
    cases.push_back({"real_proofs", "seal32_x10_graph", [p = folder / "seal32_x10.prf"] { run_seal_graph(p); }});
    cases.push_back({"real_proofs", "window", [p = folder / "window.prf"] { run(p, Layout::batch, 6, 3); }});
    break;
  }
  return cases;
}

}  // namespace cuzk::test
