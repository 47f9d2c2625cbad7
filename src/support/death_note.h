// DeathNote: an open file into which the process writes when it dies of a signal of its own making (a fault of memory,
// an abort, a watchdog's), so that who comes after can tell that from a kill or a power cut, which leave no word.
//
// Thread-safety: a value; external. Notes may be kept and dropped by several threads at once.
#pragma once

#include <cstddef>

namespace cuzk {

class DeathNote {
 public:
  /// One decimal number, the signal's, goes to the end of this file. `fd` stays the caller's and open while the note is
  /// kept. Beyond kNotes notes at once, none is kept.
  explicit DeathNote(int fd) noexcept;
  DeathNote(DeathNote&& other) noexcept;
  DeathNote& operator=(DeathNote&&) = delete;
  DeathNote(const DeathNote&) = delete;
  DeathNote& operator=(const DeathNote&) = delete;
  ~DeathNote();

  static constexpr std::size_t kNotes = 16;

  /// Called by the process's signals from now on; what they did by default is done after it. A thread whose stack has
  /// overflowed dies without a note.
  static void write_on_fatal_signals();
  /// What the signals do. Async-signal-safe.
  static void write_all(int signal) noexcept;

 private:
  std::size_t slot_;
};

}  // namespace cuzk
