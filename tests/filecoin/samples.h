// The worked example of a 2 KiB sector in docs/circuits.md: ticket[i] = 3i, seed[i] = 5i + 1, actor 1000, sector 42,
// node i of the data is i + 1.
#pragma once

#include <string_view>

#include "filecoin/registry.h"
#include "filecoin/vanilla/proofs.h"
#include "support/hex.h"
#include "tests/support/must.h"

namespace cuzk::test {

inline filecoin::Node node_from_hex(std::string_view digits) {
  std::array<std::byte, 32> bytes;
  must(decode_hex(digits, bytes));
  return filecoin::Node::from_le_bytes(bytes.data());
}

inline std::string hex_of(const filecoin::Node& node) { return encode_hex(object_bytes(node)); }

/// bytes[i] = step * i + first
inline filecoin::Bytes32 arithmetic_bytes(unsigned step, unsigned first) {
  filecoin::Bytes32 bytes;
  for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(step * i + first);
  return bytes;
}

/// Values of the example, as the page gives them.
struct ExampleSector {
  filecoin::SealProof proof = must(filecoin::seal_proof("StackedDrg2KiBV1_1"));
  std::uint64_t actor = 1000;
  std::uint64_t sector_number = 42;
  filecoin::Bytes32 ticket = arithmetic_bytes(3, 0);
  filecoin::Bytes32 seed = arithmetic_bytes(5, 1);
  filecoin::Node comm_d = node_from_hex("a56f68b58b6d151ea91b65299d9204dd0c392d2c66a61d00825fb527e3fbd020");
  filecoin::Node replica_id = node_from_hex("a0cdd810afbbbb033780d890e5370d00cdcdcfb84587c9e4be0869d1d7bfd018");
  filecoin::Node comm_c = node_from_hex("f8b513c7185d2fb15659e751722bb5e41f88dfc6677772a1e0dc458d4468d563");
  filecoin::Node comm_r_last = node_from_hex("8fe79d46c78b2f8304185d6ab74a3a6b45b21e2e3c8c98439404c86527f8166b");
  filecoin::Node comm_r = node_from_hex("9a3c4267bba35adf8ff4f137594b1088ab5c70466ebe6258f28bca55fa24e824");
  // the update of it: node i of the new data is 1000 + i^2
  filecoin::Node comm_d_new = node_from_hex("8db3f2c0731126749350814f7d8861b9e8c3e5c6f460f25bc3721f158d9e0a24");
  filecoin::Node phi = node_from_hex("29aa463b3980ff77961b263648bfe0d935770e09a129ec964d7969d81bd41a38");
  filecoin::Node root_r_new = node_from_hex("6b6fb24bcd91c87fd12f3c6516ef4669107ceb872800f8b230dacd0de2679f48");
  filecoin::Node comm_r_new = node_from_hex("01aa72e7bb1e81b27e6f741b17c891affa445e0301be82a67b79b86efa0d8c0d");
};

}  // namespace cuzk::test
