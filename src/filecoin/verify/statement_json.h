// The public data of a Filecoin proof as one JSON object. Page: docs/formats/filecoin-public.md.
//
//   porep    registered_proof | sector_size, api_version, api_features, porep_id; miner_id | prover_id; sector_number;
//            ticket; seed; comm_d; comm_r
//   winning  registered_proof; randomness; sectors: [{sector_number, comm_r}]; miner_id | prover_id may be there
//   window   the same, partition_index may be there
//   snap     registered_proof; comm_r_old; comm_d_new; comm_r_new
//
// 32-byte values are 64 hexadecimal digits or base64; members that tell the same thing twice must agree; other members
// are ignored, so that a file may carry more. Errors: malformed / bad_json, bad_number, missing_field, bad_length,
// bad_base64, bad_count, non_canonical, zero_commitment, wrong_proof_type, wrong_sector_size, duplicate_sector;
// unsupported / unknown_proof_type; Where.section is the member's name ("sectors[3].comm_r"). Thread-safety: pure
// function.
#pragma once

#include <string_view>

#include "filecoin/primitives/statements.h"
#include "support/result.h"

namespace cuzk::filecoin {

inline constexpr std::size_t kMaxStatementJsonBytes = std::size_t{1} << 26;
inline constexpr std::size_t kMaxStatementSectors = std::size_t{1} << 18;

Result<Statement> read_statement_json(ProofKind kind, std::string_view text);

}  // namespace cuzk::filecoin
