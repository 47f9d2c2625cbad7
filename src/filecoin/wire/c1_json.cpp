#include "filecoin/wire/c1_json.h"

#include "filecoin/wire/json_archive.h"
#include "filecoin/wire/phase1.h"

namespace cuzk::filecoin {
namespace {

constexpr std::string_view kWrapped = "Phase1Out";

Result<SealProof> named_proof(const JsonReader& in, std::string_view name) {
  if (auto proof = seal_proof(name)) return *proof;
  const Error place = in.wrong(Kind::unknown_proof_type, "an unknown kind of proof", "StackedDrg<size>V1, ...",
                               JsonReader::printable(name));
  return fail(Error(Code::unsupported, place.kind(), place.message()).at(Where(*place.where())));
}

/// The tree shape's tag is the first version's name whatever the proof's version is.
std::string tree_tag(const SealProof& seal) {
  return SealProof{.number = seal.number, .sector = seal.sector, .feature = PorepFeature::v1}.name();
}

struct Phase1 {
  std::optional<SealProof> seal;
  const SectorShape* sector = nullptr;
  PorepVanillaProof proof{};
};

Status read_registered_proof(JsonReader& in, Phase1& out) {
  std::string_view name;
  CUZK_CHECK_OK(in.string(name));
  CUZK_TRY(out.seal, named_proof(in, name));
  return {};
}

Status read_vanilla_proofs(JsonReader& in, Phase1& out) {
  return in.tagged([&](std::string_view tag) -> Status {
    CUZK_TRY(const SealProof tagged, named_proof(in, tag));
    if (tagged.feature != PorepFeature::v1) {
      return fail(in.wrong(Kind::wrong_proof_type, "no tag of a tree shape", tree_tag(tagged), tagged.name()));
    }
    out.sector = tagged.sector;
    const std::string name = tagged.name();
    return in.scoped(name, [&] { return schema::porep_partitions(in, out.proof.partitions, *tagged.sector); });
  });
}

Status check_phase1(const JsonReader& in, const Phase1& out) {
  if (out.seal->sector != out.sector) {
    return fail(in.wrong(Kind::wrong_proof_type, "the proofs are of another sector size than the registered proof",
                         std::string(out.seal->sector->name), std::string(out.sector->name)));
  }
  return schema::check_partitions(in, out.proof, *out.seal);
}

Result<PorepVanillaProof> read_phase1(JsonReader& in) {
  using schema::Field;
  Phase1 out;
  CUZK_CHECK_OK(in.record(Field{"registered_proof", [&] { return read_registered_proof(in, out); }},
                          Field{"vanilla_proofs", [&] { return read_vanilla_proofs(in, out); }},
                          Field{"comm_r", [&] { return in.node(out.proof.comm_r); }},
                          Field{"comm_d", [&] { return in.node(out.proof.comm_d); }},
                          Field{"replica_id", [&] { return in.node(out.proof.replica_id); }},
                          Field{"seed", [&] { return in.bytes32(out.proof.seed); }},
                          Field{"ticket", [&] { return in.bytes32(out.proof.ticket); }}));
  CUZK_CHECK_OK(in.expect_end());
  CUZK_CHECK_OK(check_phase1(in, out));
  out.proof.seal_proof = out.seal->number;
  return std::move(out.proof);
}

struct Wrapper {
  std::uint64_t sector_number = 0;
  std::string_view phase1;
  std::uint64_t sector_size = 0;
};

Result<Wrapper> read_wrapper(std::string_view text) {
  using schema::Field;
  JsonReader in(text);
  Wrapper wrapper;
  CUZK_CHECK_OK(in.record(Field{"SectorNum", [&] { return in.u64(wrapper.sector_number); }},
                          Field{kWrapped, [&] { return in.raw_string(wrapper.phase1); }},
                          Field{"SectorSize", [&] { return in.u64(wrapper.sector_size); }}));
  CUZK_CHECK_OK(in.expect_end());
  return wrapper;
}

Status check_sector_size(const PorepVanillaProof& proof, std::uint64_t bytes) {
  CUZK_TRY(const SealProof seal, seal_proof(proof.seal_proof));
  if (bytes == seal.sector->bytes) return {};
  return fail(Error(Code::malformed, Kind::wrong_sector_size, "the proof is of another sector size")
                  .at(Where{.file = {},
                            .section = "SectorSize",
                            .offset = 0,
                            .expected = std::to_string(seal.sector->bytes),
                            .found = std::to_string(bytes)}));
}

}  // namespace

Result<PorepVanillaProof> read_phase1_json(std::string_view text) {
  JsonReader in(text);
  return read_phase1(in);
}

Result<C1Output> read_c1_json(std::string_view text) {
  if (text.find("\"" + std::string(kWrapped) + "\"") == std::string_view::npos) {
    CUZK_TRY(PorepVanillaProof proof, read_phase1_json(text));
    return C1Output{std::nullopt, std::move(proof)};
  }
  CUZK_TRY(const Wrapper wrapper, read_wrapper(text));
  Base64Stream stream(wrapper.phase1);
  JsonReader in(stream, kWrapped);
  CUZK_TRY(PorepVanillaProof proof, read_phase1(in));
  CUZK_CHECK_OK(check_sector_size(proof, wrapper.sector_size));
  return C1Output{wrapper.sector_number, std::move(proof)};
}

std::string write_phase1_json(const PorepVanillaProof& proof) {
  using schema::Field;
  const auto seal = seal_proof(proof.seal_proof);
  CUZK_REQUIRE(seal.has_value());
  JsonOut out;
  const auto partitions = [&] {
    return out.variant(0, tree_tag(*seal),
                       [&] { return schema::porep_partitions(out, proof.partitions, *seal->sector); });
  };
  const Status written = out.record(
      Field{"registered_proof", [&] { return out.string(seal->name()); }}, Field{"vanilla_proofs", partitions},
      Field{"comm_r", [&] { return out.node(proof.comm_r); }}, Field{"comm_d", [&] { return out.node(proof.comm_d); }},
      Field{"replica_id", [&] { return out.node(proof.replica_id); }},
      Field{"seed", [&] { return out.bytes32(proof.seed); }},
      Field{"ticket", [&] { return out.bytes32(proof.ticket); }});
  CUZK_REQUIRE(written.has_value());
  return std::move(out).take();
}

std::string write_c1_json(const PorepVanillaProof& proof, std::uint64_t sector_number) {
  const auto seal = seal_proof(proof.seal_proof);
  CUZK_REQUIRE(seal.has_value());
  JsonWriter json;
  json.begin_object().key("SectorNum").integer(sector_number);
  json.key(kWrapped).string(encode_base64(text_bytes(write_phase1_json(proof))));
  json.key("SectorSize").integer(seal->sector->bytes).end_object();
  return json.take();
}

}  // namespace cuzk::filecoin
