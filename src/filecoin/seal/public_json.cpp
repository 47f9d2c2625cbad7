#include "filecoin/seal/generate.h"
#include "support/hex.h"
#include "support/json_writer.h"

namespace cuzk::filecoin {
namespace {

class PublicWriter {
 public:
  explicit PublicWriter(const GeneratedProof& proof) : proof_(proof), json_(JsonWriter::Style::indented) {}

  std::string write() {
    json_.begin_object();
    json_.key("kind").string(name_of(proof_.recipe.kind));
    json_.key("sector_size").integer(proof_.recipe.sector().bytes);
    bytes("prover_id", proof_.recipe.prover_id);
    std::visit([this](const auto& statement) { members(statement); }, proof_.statement);
    if (proof_.options.synthetic) json_.key("content").string(proof_.recipe.label);
    json_.end_object();
    return json_.take() + "\n";
  }

 private:
  void bytes(std::string_view key, const Bytes32& value) { json_.key(key).string(encode_hex(value)); }
  void node(std::string_view key, const Node& value) {
    Bytes32 raw;
    value.to_le_bytes(raw.data());
    bytes(key, raw);
  }
  const SectorRecipe& only_sector() const noexcept { return proof_.recipe.sectors.front(); }

  void members(const SealStatement& seal) {
    json_.key("registered_proof").string(seal.proof.name());
    json_.key("registered_proof_number").integer(seal.proof.number);
    json_.key("sector_number").integer(seal.sector_number);
    bytes("ticket", seal.ticket);
    bytes("seed", seal.seed);
    node("comm_d", seal.comm_d);
    node("comm_r", seal.comm_r);
    node("replica_id", std::get<PorepVanillaProof>(proof_.vanilla).replica_id);
    roots(proof_.sectors.front());
    if (!proof_.options.synthetic) {
      json_.key("data").begin_object().key("label").string(only_sector().data_label).end_object();
    }
  }

  void members(const PostStatement& post) {
    json_.key("registered_proof_number").integer(post.proof.number);
    json_.key("seal_registered_proof").string(proof_.recipe.seal.name());
    node("randomness", post.randomness);
    json_.key("partition_index").integer(post.first_partition);
    json_.key("sectors").begin_array();
    for (std::size_t i = 0; i < post.sectors.size(); ++i) {
      json_.begin_object().key("sector_number").integer(post.sectors[i].sector_number);
      node("comm_r", post.sectors[i].comm_r);
      roots(proof_.sectors[i]);
      if (!proof_.options.synthetic) {
        bytes("ticket", proof_.recipe.sectors[i].ticket);
        json_.key("data_label").string(proof_.recipe.sectors[i].data_label);
      }
      json_.end_object();
    }
    json_.end_array();
  }

  void members(const UpdateStatement& update) {
    json_.key("registered_proof_number").integer(update_number());
    json_.key("seal_registered_proof").string(proof_.recipe.seal.name());
    json_.key("sector_number").integer(only_sector().number);
    bytes("ticket", only_sector().ticket);
    node("comm_r_old", update.comm_r_old);
    node("comm_d_new", update.comm_d_new);
    node("comm_r_new", update.comm_r_new);
    node("comm_c", proof_.sectors.front().comm_c);
    if (!proof_.options.synthetic) {
      json_.key("data").begin_object();
      json_.key("old_label").string(only_sector().data_label);
      json_.key("new_label").string(only_sector().new_data_label).end_object();
    }
  }

  void roots(const SectorCommitments& sector) {
    node("comm_c", sector.comm_c);
    node("comm_r_last", sector.comm_r_last);
  }

  /// Registered update proofs are numbered as the sizes of seals are.
  std::uint32_t update_number() const noexcept { return proof_.recipe.seal.number % 5; }

  const GeneratedProof& proof_;
  JsonWriter json_;
};

}  // namespace

std::string write_public_json(const GeneratedProof& proof) { return PublicWriter(proof).write(); }

}  // namespace cuzk::filecoin
