#include "support/thread.h"

#include <pthread.h>

#include <string>

namespace cuzk {

namespace {

constexpr std::size_t kMaxName = 15;  // the kernel's TASK_COMM_LEN without its zero

}  // namespace

std::jthread named_thread(std::string_view name, std::function<void(const StopToken&)> body) {
  return std::jthread(
      [name = std::string(name.substr(0, kMaxName)), body = std::move(body)](const StopToken& stop) noexcept {
        ::pthread_setname_np(::pthread_self(), name.c_str());
        body(stop);
      });
}

}  // namespace cuzk
