#include "filecoin/verify/verify.h"

#include <algorithm>
#include <string>

#include "filecoin/primitives/public_inputs.h"
#include "filecoin/wire/base64.h"
#include "formats/bellperson_proof.h"
#include "groth16/batch_verifier.h"
#include "support/hex.h"

namespace cuzk::filecoin {
namespace {

using C = Bls12_381;
using Item = groth16::BatchItem<C>;

struct Range {
  std::uint64_t first;
  std::uint64_t count;
};

Result<Range> partitions_asked_for(const Statement& statement, std::optional<std::uint64_t> partition) {
  const std::uint64_t all = partitions_of(statement);
  if (!partition) return Range{0, all};
  if (*partition < all) return Range{*partition, 1};
  return fail(Code::invalid_argument,
              "there is no partition " + std::to_string(*partition) + ": the proof has " + std::to_string(all));
}

Status check_key(const VerifyingKey& key, const Circuit& circuit) {
  if (key.num_public() == circuit.num_public()) return {};
  return fail(Code::malformed, Kind::circuit_mismatch,
              "the verifying key has " + std::to_string(key.num_public()) + " public inputs, the circuit " +
                  circuit.id() + " has " + std::to_string(circuit.num_public()));
}

std::vector<std::vector<U256>> derive_inputs(Arena& arena, const Statement& statement, Range range) {
  std::vector<std::vector<U256>> inputs(range.count);
  parallel_tasks(arena, range.count, [&](std::size_t i) { inputs[i] = public_inputs(statement, range.first + i); });
  return inputs;
}

/// One partition: its own fault. More: which ones.
Error refusal(std::vector<groth16::Refusal>&& refusals, Range range) {
  Error& first = refusals.front().error;
  if (range.count == 1) return std::move(first);
  std::string text = refusals.size() == 1 ? "partition" : "partitions";
  for (const groth16::Refusal& refused : refusals)
    text += (&refused == refusals.data() ? " " : ", ") + std::to_string(range.first + refused.index);
  return std::move(first).context(text + " of " + std::to_string(range.count));
}

bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_hex(std::string_view text) noexcept {
  constexpr std::size_t kProofDigits = 2 * formats::kBellpersonProofBytes;
  return text.size() % kProofDigits == 0 && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

}  // namespace

Status verify_proof(Arena& arena, const VerifyingKey& key, const Statement& statement, Bytes proof,
                    std::optional<std::uint64_t> partition) {
  CUZK_TRY(const Range range, partitions_asked_for(statement, partition));
  CUZK_CHECK_OK(check_key(key, circuit_of(statement)));
  CUZK_TRY(const auto proofs, formats::read_bellperson_proofs(proof, range.count));
  const std::vector<std::vector<U256>> inputs = derive_inputs(arena, statement, range);
  std::vector<Item> items;
  for (std::size_t i = 0; i < proofs.size(); ++i) items.push_back({inputs[i], proofs[i]});
  const groth16::PreparedVerifyingKey<C> prepared(key);
  CUZK_TRY(auto refusals, groth16::batch_verify<C>(arena, prepared, items));
  if (!refusals.empty()) return fail(refusal(std::move(refusals), range));
  return {};
}

Result<std::vector<std::byte>> read_proof_file(Bytes file) {
  // A compressed point has the top bit of its first byte set; no text has.
  if (file.empty() || (file.front() & std::byte{0x80}) != std::byte{0}) return std::vector(file.begin(), file.end());
  const std::string_view text = trimmed(bytes_text(file));
  auto decoded = is_hex(text) ? decode_hex(text) : decode_base64(text);
  if (decoded) return decoded;
  return fail(
      std::move(decoded).error().context("a proof file holds " + std::to_string(formats::kBellpersonProofBytes) +
                                         " bytes for each partition, as they are, in hexadecimal or in base64"));
}

}  // namespace cuzk::filecoin
