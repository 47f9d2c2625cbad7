#include "filecoin/seal/label_stream.h"

#include <algorithm>

#include "support/bytes.h"
#include "support/sha256.h"

namespace cuzk::filecoin {

std::vector<std::byte> label_stream(std::string_view label, std::uint64_t count) {
  std::vector<std::byte> message(label.size() + 8);
  std::ranges::copy(text_bytes(label), message.begin());
  std::vector<std::byte> out;
  out.reserve(count + Sha256::Digest{}.size());
  for (std::uint64_t i = 0; out.size() < count; ++i) {
    store_le(message.data() + label.size(), i);
    const Sha256::Digest digest = sha256(message);
    out.insert(out.end(), digest.begin(), digest.end());
  }
  out.resize(count);
  return out;
}

Bytes32 label_bytes(std::string_view label) { return sha256(text_bytes(label)); }

Bytes32 label_element(std::string_view label) {
  Bytes32 bytes = label_bytes(label);
  bytes.back() &= std::byte{0x3f};
  return bytes;
}

}  // namespace cuzk::filecoin
