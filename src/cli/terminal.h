// Terminal: the whole screen for one program: alternate screen, no cursor, keys as they are pressed.
//
// It is given back when the object ends, when restore() is called, and when a signal ends the program; also while the
// program is suspended (Ctrl-Z). Keys that raise signals keep doing so. One at a time. Thread-safety: external, but
// restore(), which may be called from anywhere, a signal handler included.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "support/result.h"

namespace cuzk::cli {

class Terminal {
 public:
  struct Size {
    unsigned columns = 80;
    unsigned rows = 24;
  };

  /// Whether standard input and output are one.
  static bool is_there() noexcept;
  /// unsupported: standard input or output is no terminal.
  static Result<Terminal> take();
  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&&) = delete;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  Size size() const noexcept;
  /// Replaces what is on the screen. Lines end with "\n" and are cut by the caller.
  void show(std::string_view screen);
  /// Waits for a key; none: the time has passed, or the size has changed, or the program was suspended.
  std::optional<char> key(std::chrono::milliseconds patience);

  /// Gives the terminal back now; nothing where none is taken.
  static void restore() noexcept;

 private:
  Terminal() = default;

  bool owner_ = true;
};

}  // namespace cuzk::cli
