#include "filecoin/wire/vanilla_list.h"

#include "filecoin/wire/base64.h"
#include "filecoin/wire/bincode.h"
#include "filecoin/wire/json_archive.h"

namespace cuzk::filecoin {
namespace {

std::string element_name(std::size_t i) { return "[" + std::to_string(i) + "]"; }

Error list_error(Kind kind, std::string section, std::string message, std::string expected, std::string found) {
  return Error(Code::malformed, kind, std::move(message))
      .at(Where{.file = {},
                .section = std::move(section),
                .offset = 0,
                .expected = std::move(expected),
                .found = std::move(found)});
}

Status read_element(JsonReader& in, ByteStrings& elements) {
  const std::string name = element_name(elements.size());
  std::string_view text;
  CUZK_CHECK_OK(in.raw_string(text));
  if (Base64Stream(text).decoded_size() > kMaxElementBytes) {
    return fail(list_error(Kind::bad_length, name, "too long for a vanilla proof",
                           "at most " + std::to_string(kMaxElementBytes) + " bytes",
                           std::to_string(Base64Stream(text).decoded_size())));
  }
  Result<std::vector<std::byte>> bytes = decode_base64(text);
  if (!bytes) {
    const Error& error = bytes.error();
    Where where = *error.where();
    where.section = name;
    return fail(Error(error.code(), error.kind(), error.message()).at(std::move(where)));
  }
  elements.push_back(*std::move(bytes));
  return {};
}

std::vector<Bytes> views(const ByteStrings& elements) { return {elements.begin(), elements.end()}; }

Status check_count(std::size_t found, std::size_t least, std::size_t most) {
  if (found >= least && found <= most) return {};
  const std::string expected = std::to_string(least) + (most == least ? "" : " to " + std::to_string(most));
  return fail(list_error(Kind::bad_count, {}, "another number of vanilla proofs", expected, std::to_string(found)));
}

/// Decodes every element, so that all that cannot be decoded are told, with the fault of the first.
template <class Proof, class Decode>
Result<std::vector<Proof>> decode_all(std::span<const Bytes> elements, Decode decode) {
  std::vector<Proof> proofs;
  proofs.reserve(elements.size());
  std::optional<Error> first;
  std::size_t faulty = 0;
  std::string names;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Result<Proof> proof = decode(elements[i], element_name(i));
    if (proof && !first) proofs.push_back(*std::move(proof));
    if (proof) continue;
    ++faulty;
    names += " " + std::to_string(i);
    if (!first) first = std::move(proof).error();
  }
  if (!first) return proofs;
  if (faulty == 1) return fail(*std::move(first));
  return fail(std::move(*first).context(std::to_string(faulty) + " of " + std::to_string(elements.size()) +
                                        " vanilla proofs cannot be decoded, counted from 0:" + names));
}

}  // namespace

Result<ByteStrings> read_vanilla_list(std::string_view json) {
  JsonReader in(json);
  ByteStrings elements;
  CUZK_CHECK_OK(in.sequence_up_to(kMaxListElements, [&](std::size_t) { return read_element(in, elements); }));
  CUZK_CHECK_OK(in.expect_end());
  return elements;
}

std::string write_vanilla_list(std::span<const std::vector<std::byte>> elements) {
  JsonWriter json;
  json.begin_array();
  for (const std::vector<std::byte>& element : elements) json.string(encode_base64(element));
  json.end_array();
  return json.take();
}

Result<std::vector<PostVanillaProof>> read_post_proofs(std::span<const Bytes> elements, const SectorShape& sector,
                                                       ProofKind kind) {
  CUZK_CHECK_OK(check_count(elements.size(), 1, kind == ProofKind::winning ? 1 : sector.window_sectors));
  return decode_all<PostVanillaProof>(
      elements, [&](Bytes element, std::string_view name) { return read_post_bincode(element, sector, kind, name); });
}

Result<std::vector<PostVanillaProof>> read_post_proofs(std::string_view json, const SectorShape& sector,
                                                       ProofKind kind) {
  CUZK_TRY(const ByteStrings elements, read_vanilla_list(json));
  return read_post_proofs(views(elements), sector, kind);
}

Result<std::vector<UpdatePartitionProof>> read_update_proofs(std::span<const Bytes> elements,
                                                             const SectorShape& sector) {
  if (sector.update_partitions == 0)
    return fail(Code::unsupported, "sectors of " + std::string(sector.name) + " cannot be updated");
  CUZK_CHECK_OK(check_count(elements.size(), sector.update_partitions, sector.update_partitions));
  return decode_all<UpdatePartitionProof>(
      elements, [&](Bytes element, std::string_view name) { return read_update_bincode(element, sector, name); });
}

Result<std::vector<UpdatePartitionProof>> read_update_proofs(std::string_view json, const SectorShape& sector) {
  CUZK_TRY(const ByteStrings elements, read_vanilla_list(json));
  return read_update_proofs(views(elements), sector);
}

}  // namespace cuzk::filecoin
