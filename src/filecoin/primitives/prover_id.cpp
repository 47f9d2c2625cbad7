#include "filecoin/primitives/prover_id.h"

namespace cuzk::filecoin {

Bytes32 prover_id(std::uint64_t actor_id) noexcept {
  Bytes32 id{};
  std::size_t at = 0;
  for (; actor_id >= 0x80; actor_id >>= 7) id[at++] = static_cast<std::byte>(0x80 | (actor_id & 0x7f));
  id[at] = static_cast<std::byte>(actor_id);
  return id;
}

}  // namespace cuzk::filecoin
