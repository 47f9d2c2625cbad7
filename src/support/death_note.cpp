#include "support/death_note.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

namespace cuzk {

namespace {

constexpr int kFatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGQUIT, SIGSYS};

/// File descriptor + 1 of each note; 0: none. What a signal handler may read.
std::array<std::atomic<int>, DeathNote::kNotes> notes{};
static_assert(std::atomic<int>::is_always_lock_free);

void on_fatal(int signal) {
  DeathNote::write_all(signal);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

DeathNote::DeathNote(int fd) noexcept : slot_(0) {
  for (; slot_ < kNotes; ++slot_) {
    int free = 0;
    if (notes[slot_].compare_exchange_strong(free, fd + 1)) return;
  }
}

DeathNote::DeathNote(DeathNote&& other) noexcept : slot_(std::exchange(other.slot_, kNotes)) {}

DeathNote::~DeathNote() {
  if (slot_ < kNotes) notes[slot_].store(0);
}

void DeathNote::write_on_fatal_signals() {
  for (const int signal : kFatal) {
    struct sigaction action{};
    action.sa_handler = on_fatal;
    ::sigaction(signal, &action, nullptr);
  }
}

void DeathNote::write_all(int signal) noexcept {
  const int before = errno;
  const std::array<char, 2> digits = {static_cast<char>('0' + signal / 10 % 10), static_cast<char>('0' + signal % 10)};
  for (const std::atomic<int>& note : notes) {
    if (const int fd = note.load() - 1; fd >= 0) (void)!::write(fd, digits.data(), digits.size());
  }
  errno = before;
}

}  // namespace cuzk
