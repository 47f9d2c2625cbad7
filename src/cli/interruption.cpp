#include "cli/interruption.h"

#include <pthread.h>

#include <ctime>

#include "cli/terminal.h"
#include "support/thread.h"

namespace cuzk::cli {

Interruption::Interruption() {
  ::sigemptyset(&signals_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, number);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  waiter_ = named_thread("cuzk-signals", [this](const StopToken& end) { wait(end); });
}

Interruption::~Interruption() {
  waiter_.request_stop();
  if (waiter_.joinable()) waiter_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interruption::wait(const StopToken& end) {
  constexpr timespec kLook = {0, 50'000'000};
  while (!end.stop_requested()) {
    const int number = ::sigtimedwait(&signals_, nullptr, &kLook);
    if (number <= 0) continue;
    if (!stop_.request_stop()) {  // the second one
      Terminal::restore();
      std::signal(number, SIG_DFL);
      ::pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
      ::raise(number);
    }
  }
}

}  // namespace cuzk::cli
