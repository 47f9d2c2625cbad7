// Threads with a name, as top, gdb and traces show it.
//
// Thread-safety: concurrently.
#pragma once

#include <functional>
#include <string_view>
#include <thread>

#include "support/stop.h"

namespace cuzk {

/// Runs body on a thread of its own; at the jthread's end the token is pulled and the thread waited for. Of the name at
/// most 15 characters count. A body must not throw: the program ends.
std::jthread named_thread(std::string_view name, std::function<void(const StopToken&)> body);

}  // namespace cuzk
