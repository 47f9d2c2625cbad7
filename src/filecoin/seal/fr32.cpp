#include "filecoin/seal/fr32.h"

#include "support/result.h"

namespace cuzk::filecoin {
namespace {

constexpr std::size_t kRawBytes = 127;  // of 4 nodes
constexpr unsigned kNodeBits = 254;
using Quad = BigInt<16>;  // 127 bytes and a free one

Node node_at(const Quad& bits, unsigned from) noexcept {
  const Quad shifted = bits.shifted_right(from);
  Node node{{shifted.limb[0], shifted.limb[1], shifted.limb[2], shifted.limb[3]}};
  node.limb[3] &= (u64{1} << (kNodeBits - 192)) - 1;
  return node;
}

}  // namespace

std::vector<Node> pad_fr32(Bytes raw) {
  CUZK_REQUIRE(raw.size() % kRawBytes == 0);
  std::vector<Node> nodes;
  nodes.reserve(raw.size() / kRawBytes * 4);
  for (; !raw.empty(); raw = raw.subspan(kRawBytes)) {
    Quad bits{};
    std::memcpy(bits.limb.data(), raw.data(), kRawBytes);
    for (unsigned i = 0; i < 4; ++i) nodes.push_back(node_at(bits, i * kNodeBits));
  }
  return nodes;
}

}  // namespace cuzk::filecoin
