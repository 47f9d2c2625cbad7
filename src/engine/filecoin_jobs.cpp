#include "engine/filecoin_jobs.h"

#include <algorithm>
#include <optional>

#include "curve/curves.h"
#include "filecoin/wire/base64.h"

namespace cuzk::engine {

namespace {

using filecoin::ProofKind;

constexpr std::size_t kPeekBytes = std::size_t{64} << 10;

/// What follows from a request without its payloads being decoded.
struct Shape {
  std::uint32_t registered_proof;
  filecoin::Circuit circuit;
  std::uint32_t partitions;
  std::size_t min_payloads, max_payloads;
};

std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

/// A string's value behind `"name"` and a colon; empty: there is none.
std::string_view string_member(std::string_view text, std::string_view name) {
  std::string_view rest = after(text, name);
  rest = after(rest, ":");
  return after(rest, "\"");
}

/// The beginning of the inner text of a C1 output.
std::string inner_text(std::string_view c1) {
  std::string_view packed = string_member(c1.substr(0, kPeekBytes), "\"Phase1Out\"");
  if (packed.empty()) return std::string(c1.substr(0, kPeekBytes));
  std::string inner(kPeekBytes, '\0');
  filecoin::Base64Stream stream(packed.substr(0, packed.size() / 4 * 4));
  inner.resize(stream.read(std::as_writable_bytes(std::span(inner))));
  return inner;
}

/// The proof that a C1 output says it is; what it really is, decoding says.
std::optional<std::uint32_t> stated_seal_proof(Bytes c1) {
  const std::string inner = inner_text(bytes_text(c1));
  const std::string_view value = string_member(inner, "\"registered_proof\"");
  const auto proof = filecoin::seal_proof(value.substr(0, value.find('"')));
  return proof ? std::optional(proof->number) : std::nullopt;
}

Result<Shape> porep_shape(const FilecoinRequest& request) {
  std::uint32_t number = request.registered_proof;
  if (!request.payloads.empty()) number = stated_seal_proof(request.payloads[0].bytes).value_or(number);
  CUZK_TRY(const auto proof, filecoin::seal_proof(number));
  return Shape{number, {ProofKind::porep, proof.sector}, proof.partitions(), 1, 1};
}

Result<Shape> post_shape(const FilecoinRequest& request) {
  CUZK_TRY(const auto proof, filecoin::post_proof(request.registered_proof));
  if (proof.kind != request.kind) {
    return fail(Code::malformed, Kind::wrong_proof_type,
                proof.name() + " is no proof of kind " + std::string(name_of(request.kind)));
  }
  const bool winning = proof.kind == ProofKind::winning;
  return Shape{request.registered_proof,
               {proof.kind, proof.sector},
               1,
               1,
               winning ? 1 : std::size_t{proof.sector->window_sectors}};
}

Result<Shape> snap_shape(const FilecoinRequest& request) {
  CUZK_TRY(const auto* sector, filecoin::update_proof(request.registered_proof));
  const std::uint32_t partitions = sector->update_partitions;
  return Shape{request.registered_proof, {ProofKind::snap, sector}, partitions, partitions, partitions};
}

Result<Shape> shape_of(const FilecoinRequest& request) {
  switch (request.kind) {
    case ProofKind::porep:
      return porep_shape(request);
    case ProofKind::winning:
    case ProofKind::window:
      return post_shape(request);
    case ProofKind::snap:
      break;
  }
  return snap_shape(request);
}

Status check_payloads(const FilecoinRequest& request, const Shape& shape) {
  const std::size_t count = request.payloads.size();
  if (count < shape.min_payloads || count > shape.max_payloads) {
    return fail(Code::malformed, Kind::bad_count,
                std::to_string(count) + " vanilla proofs for " + shape.circuit.id() + ", which has " +
                    std::to_string(shape.min_payloads) + " to " + std::to_string(shape.max_payloads));
  }
  const std::uint64_t most = request.limits.of(request.kind);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t bytes = request.payloads[k].bytes.size();
    if (bytes > 0 && bytes <= most) continue;
    return fail(Code::malformed, Kind::bad_length,
                "vanilla proof " + std::to_string(k) + " has " + std::to_string(bytes) + " bytes, expected 1 to " +
                    std::to_string(most));
  }
  return {};
}

Status check_node(std::string_view name, Bytes value) {
  if (value.size() != sizeof(filecoin::Node)) {
    return fail(Code::malformed, Kind::bad_length,
                std::string(name) + " has " + std::to_string(value.size()) + " bytes, expected 32");
  }
  if (filecoin::Node::from_le_bytes(value.data()) < bls12_381::Fr::modulus) return {};
  return fail(Code::malformed, Kind::non_canonical, std::string(name) + " is not below the field's modulus");
}

void append(std::vector<std::byte>& to, Bytes bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

void append(std::vector<std::byte>& to, std::uint64_t value) {
  std::array<std::byte, 8> bytes;
  store_le(bytes.data(), value);
  append(to, Bytes(bytes));
}

/// Read again by FilecoinKind (filecoin_kinds.cpp).
Result<std::vector<std::byte>> metadata_of(const FilecoinRequest& request, const Shape& shape) {
  std::vector<std::byte> metadata;
  append(metadata, std::uint64_t{shape.registered_proof});
  switch (request.kind) {
    case ProofKind::porep:
      append(metadata, request.sector_number);
      append(metadata, request.miner_id);
      return metadata;
    case ProofKind::winning:
    case ProofKind::window:
      CUZK_CHECK_OK(check_node("randomness", request.randomness));
      append(metadata, request.miner_id);
      append(metadata, Bytes(request.randomness));
      return metadata;
    case ProofKind::snap:
      break;
  }
  CUZK_CHECK_OK(check_node("comm_r_old", request.comm_r_old));
  CUZK_CHECK_OK(check_node("comm_r_new", request.comm_r_new));
  CUZK_CHECK_OK(check_node("comm_d_new", request.comm_d_new));
  for (const auto* node : {&request.comm_r_old, &request.comm_r_new, &request.comm_d_new}) {
    append(metadata, Bytes(*node));
  }
  return metadata;
}

}  // namespace

std::uint64_t PayloadLimits::of(ProofKind kind) const noexcept {
  if (kind == ProofKind::porep) return c1_bytes;
  return kind == ProofKind::window ? window_bytes : vanilla_bytes;
}

std::string_view job_kind(ProofKind kind) noexcept {
  switch (kind) {
    case ProofKind::porep:
      return "porep-c2";
    case ProofKind::winning:
      return "winning-post";
    case ProofKind::window:
      return "window-post";
    case ProofKind::snap:
      break;
  }
  return "snap-update";
}

Result<JobContent> filecoin_content(FilecoinRequest request) {
  CUZK_TRY(const Shape shape, shape_of(request));
  CUZK_CHECK_OK(check_payloads(request, shape));
  JobContent content;
  content.kind = job_kind(request.kind);
  content.circuit = shape.circuit.id();
  content.partitions = shape.partitions;
  CUZK_TRY(content.metadata, metadata_of(request, shape));
  content.payloads = std::move(request.payloads);
  return content;
}

}  // namespace cuzk::engine
