#include "support/secret.h"

#include <string.h>  // explicit_bzero is no part of <cstring>

namespace cuzk {

void wipe_memory(void* memory, std::size_t bytes) noexcept { ::explicit_bzero(memory, bytes); }

}  // namespace cuzk
