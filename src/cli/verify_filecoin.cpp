#include "cli/commands.h"
#include "cli/files.h"
#include "filecoin/params/key_files.h"
#include "filecoin/verify/statement_json.h"
#include "filecoin/verify/verify.h"
#include "formats/bellperson_vk.h"
#include "support/clock.h"

namespace cuzk::cli {
namespace {

using filecoin::ProofKind;
using filecoin::Statement;

/// The names that the network uses beside the circuits'.
ProofKind kind_from(std::string_view name) {
  if (name == "seal") return ProofKind::porep;
  if (name == "update") return ProofKind::snap;
  const auto kind = filecoin::proof_kind_from(name);
  CUZK_REQUIRE(kind.has_value());  // the parser took no other names
  return *kind;
}

/// The .vk of a folder of keys, or the .params that begins with it.
Result<std::string> key_in(const std::string& folder, const filecoin::Circuit& circuit) {
  const filecoin::KeyFiles files =
      filecoin::key_files(circuit, folder.empty() ? filecoin::default_key_folder() : folder);
  if (!filecoin::nothing_at(files.vk)) return files.vk;
  if (!filecoin::nothing_at(files.params)) return files.params;
  return fail(filecoin::missing_key(circuit, files.vk));
}

Result<filecoin::VerifyingKey> read_key(Arena& arena, const std::string& path) {
  CUZK_TRY(const MappedFile file, open_input(path));
  if (!path.ends_with(".params")) return in_file(path, formats::read_bellperson_vk(arena, file.bytes()));
  Reader in(file.bytes(), "");
  return in_file(path, formats::read_bellperson_vk_prefix(arena, in));
}

void tell_valid(const Statement& statement, std::uint64_t partitions, double seconds, Report& report) {
  const std::string circuit = filecoin::circuit_of(statement).id();
  report.say("valid proof (" + circuit + ", " + std::to_string(partitions) +
             (partitions == 1 ? " partition" : " partitions") + ", verified in " + human_seconds(seconds) + ")");
  JsonWriter json;
  json.begin_object().key("valid").boolean(true).key("circuit").string(circuit);
  json.key("partitions").integer(partitions).key("verify_seconds").real(seconds).end_object();
  report.result(std::move(json));
}

}  // namespace

Status verify_filecoin(const VerifyFilecoinOptions& options, Arena& arena, Report& report) {
  const ProofKind kind = kind_from(options.kind);
  CUZK_TRY(const MappedFile public_file, open_input(options.public_data));
  CUZK_TRY(const Statement statement,
           in_file(options.public_data, filecoin::read_statement_json(kind, text_of(public_file))));
  CUZK_TRY(const MappedFile proof_file, open_input(options.proof));
  CUZK_TRY(const auto proof, in_file(options.proof, filecoin::read_proof_file(proof_file.bytes())));
  std::string key_path = options.vk;
  if (key_path.empty()) {
    CUZK_TRY(key_path, key_in(options.params, filecoin::circuit_of(statement)));
  }
  CUZK_TRY(const filecoin::VerifyingKey key, read_key(arena, key_path));
  if (Status secure = groth16::check_ceremony(key); !secure) return fail(std::move(secure).error().in_file(key_path));

  const Stopwatch watch;
  if (Status valid = filecoin::verify_proof(arena, key, statement, proof, options.partition); !valid) {
    const bool of_key = valid.error().kind() == Kind::circuit_mismatch;
    return fail(std::move(valid).error().in_file(of_key ? key_path : options.proof));
  }
  const std::uint64_t partitions = options.partition ? 1 : filecoin::partitions_of(statement);
  tell_valid(statement, partitions, watch.seconds(), report);
  return {};
}

}  // namespace cuzk::cli
