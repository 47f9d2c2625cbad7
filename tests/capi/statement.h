// What the tests of both C interfaces prove: a circom case of the vectors, with its files as bytes and texts.
#pragma once

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "support/bytes.h"
#include "tests/support/vectors.h"

namespace cuzk::test {

struct Statement {
  std::string zkey_path;
  FileBytes zkey, wtns;
  std::string vkey, public_inputs, proof;

  explicit Statement(const std::string& name) {
    const auto file = [&](const char* part) { return vector_path("circom/" + name + "/" + part); };
    zkey_path = file("circuit.zkey").string();
    zkey = read_file(zkey_path);
    wtns = read_file(file("witness.wtns"));
    vkey = read_text(file("verification_key.json"));
    public_inputs = read_text(file("public.json"));
    proof = read_text(file("proof.json"));
  }
};

inline FileBytes malformed(const std::string& name) { return read_file(vector_path("circom/malformed/" + name)); }

inline constexpr const char* kTinyOfEachCurve[] = {"tiny-bn254", "tiny-bls12-381"};

/// A name that GoogleTest takes.
inline std::string test_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// The key that a set-up without phase 2 leaves: its delta_g2 is its gamma_g2.
inline FileBytes without_contribution(FileBytes zkey, std::size_t g2_bytes) {
  std::size_t position = 12;
  const auto number = [&](std::size_t at) { return load_le<std::uint32_t>(zkey.data() + at); };
  while (number(position) != 2) position += 12 + number(position + 4);
  const std::size_t end = position + 12 + number(position + 4);
  // The section ends with gamma_g2, delta_g1, delta_g2.
  const auto gamma = zkey.begin() + static_cast<std::ptrdiff_t>(end - g2_bytes - g2_bytes / 2 - g2_bytes);
  std::copy_n(gamma, g2_bytes, zkey.begin() + static_cast<std::ptrdiff_t>(end - g2_bytes));
  return zkey;
}

}  // namespace cuzk::test
