// A case of the reference vectors as a test: its group, its name, and what to check.
//
// Each group has one function that lists its cases from the vector roots (tests/support/vectors.h); main.cpp registers
// them. What a group's files are: README.md and README-circom.md beside the vectors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "curve/curves.h"
#include "formats/key_source.h"
#include "r1cs/witness.h"
#include "support/parallel.h"
#include "tests/support/vectors.h"

namespace cuzk::test {

struct RegisteredCase {
  std::string group;
  std::string name;
  std::function<void()> run;
};

std::vector<RegisteredCase> groth16_cases();
std::vector<RegisteredCase> circom_cases();
std::vector<RegisteredCase> malformed_cases();
std::vector<RegisteredCase> real_proof_cases();
std::vector<RegisteredCase> real_statement_cases();
std::vector<RegisteredCase> filecoin_statement_cases();
std::vector<RegisteredCase> filecoin_primitive_cases();
std::vector<RegisteredCase> filecoin_circuit_cases();
std::vector<RegisteredCase> filecoin_partition_cases();

/// Reads a JSON file; throws unless its members are among `known`: a member that nobody reads is a check that is
/// missing.
nlohmann::json read_json(const std::filesystem::path& path, std::initializer_list<std::string_view> known);

/// Sizes and SHA-256 of the files that a case.json lists ("bytes" or "size"; packed files as they lie).
void expect_listed_files(const nlohmann::json& case_json, const std::filesystem::path& folder);

/// Bytes in memory as a key's source.
formats::KeySource memory_source(FileBytes bytes);

/// Threads of the cases.
Arena& arena();

inline void flip(FileBytes& bytes, std::size_t bit) { bytes[bit / 8] ^= std::byte{1} << (bit % 8); }

/// Bits spread evenly over the bytes, the first and the last among them. precondition: two samples at least.
template <class Body> void for_sample_of_bits(std::size_t num_bytes, std::size_t samples, Body body) {
  const std::size_t bits = num_bytes * 8;
  for (std::size_t i = 0; i < samples; ++i) body(i * (bits - 1) / (samples - 1));
}

inline std::string_view text_of(const FileBytes& bytes) { return bytes_text(bytes); }

}  // namespace cuzk::test
