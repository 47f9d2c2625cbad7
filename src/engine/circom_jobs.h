// circom's circuits as jobs of the engine: a registered .zkey, and a .wtns for each proof. Both curves.
//
// The kind is "circom"; its result is one JSON text {"proof": ..., "public": ...} with snarkjs's two documents in it.
// Thread-safety: pure functions; objects concurrently.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/content.h"
#include "engine/proving_circuit.h"

namespace cuzk::engine {

inline constexpr std::string_view kCircomKind = "circom";

/// `key` is a registered id.
Result<JobContent> circom_content(std::string key, Payload wtns);
std::shared_ptr<const JobKind> circom_kind();

using RegisteredCircuits = std::map<std::string, std::shared_ptr<const ProvingCircuit>, std::less<>>;
/// not_found, naming some of those that there are.
Result<std::shared_ptr<const ProvingCircuit>> find_registered(const RegisteredCircuits& circuits, std::string_view id);

/// Opens each file once (header and counts are checked) and keeps it mapped. `files`: id -> path of a .zkey. The arena
/// must outlive the catalogue and all that it gave. Errors: those of formats/zkey_file.h, naming the file.
Result<std::unique_ptr<Catalogue>> circom_catalogue(Arena& arena, const std::map<std::string, std::string>& files);

/// Asks one after the other; both must outlive it. Errors: not_found of Filecoin's alone, where the id is of one of
/// its circuits, else of both.
std::unique_ptr<Catalogue> joined_catalogue(const Catalogue& filecoin, const Catalogue& circom);

struct CircomResult {
  std::string proof_json;
  std::string public_json;
};
/// The two documents of a completed job's bytes.
Result<CircomResult> split_circom_result(Bytes result);

}  // namespace cuzk::engine
