// Any bytes as each of snarkjs's JSON files. What is read is written again and must read back as the same.
#include "formats/snarkjs_json.h"
#include "target.h"

namespace {

using namespace cuzk;

template <class C> void read_proof(std::string_view text) {
  const auto proof = formats::read_proof_json<C>(text);
  if (!proof) return;
  const auto again = formats::read_proof_json<C>(formats::write_proof_json(*proof));
  CUZK_REQUIRE(again && again->a == proof->a && again->b == proof->b && again->c == proof->c);
}

template <class C> void read_public(std::string_view text) {
  const auto values = formats::read_public_json<C>(text);
  if (!values) return;
  const auto again = formats::read_public_json<C>(formats::write_public_json(*values), values->size());
  CUZK_REQUIRE(again && *again == *values);
}

template <class C> void read_key(std::string_view text) {
  static Arena arena(1);
  const auto key = formats::read_verification_key_json<C>(arena, text);
  if (key) CUZK_REQUIRE(!key->ic.empty());
}

template <class C> void read(std::string_view text) {
  read_proof<C>(text);
  read_public<C>(text);
  read_key<C>(text);
}

}  // namespace

CUZK_FUZZ_TARGET(file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  static_cast<void>(formats::json_curve(text));
  read<Bn254>(text);
  read<Bls12_381>(text);
}
