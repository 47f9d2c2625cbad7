#include "cli/terminal.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>

#include <sys/ioctl.h>

namespace cuzk::cli {
namespace {

constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[2J";
constexpr std::string_view kLeave = "\033[?25h\033[?1049l";
/// Signals whose default action ends the program without a destructor.
constexpr int kDeadly[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};

// What a signal handler needs.
std::atomic<bool> taken = false;
std::atomic<bool> suspend_wanted = false;
termios normal{};

void write_all(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void enter() {
  termios raw = normal;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  taken = true;
  write_all(kEnter);
}

void on_deadly(int number) {
  Terminal::restore();
  std::signal(number, SIG_DFL);
  ::raise(number);
}

void on_size(int) {}
void on_suspend(int) { suspend_wanted = true; }

void handle(int number, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;  // without SA_RESTART: waiting for a key ends
  ::sigaction(number, &action, nullptr);
}

void suspend() {
  Terminal::restore();
  std::signal(SIGTSTP, SIG_DFL);
  ::raise(SIGTSTP);
  handle(SIGTSTP, on_suspend);  // here again: the program goes on
  enter();
}

}  // namespace

bool Terminal::is_there() noexcept { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

Result<Terminal> Terminal::take() {
  if (!is_there() || ::tcgetattr(STDIN_FILENO, &normal) != 0) {
    return fail(Code::unsupported, "standard input and output are no terminal");
  }
  for (const int number : kDeadly) handle(number, on_deadly);
  handle(SIGWINCH, on_size);
  handle(SIGTSTP, on_suspend);
  enter();
  return Terminal();
}

Terminal::Terminal(Terminal&& other) noexcept : owner_(std::exchange(other.owner_, false)) {}

Terminal::~Terminal() {
  if (!owner_) return;
  restore();
  for (const int number : kDeadly) std::signal(number, SIG_DFL);
  std::signal(SIGWINCH, SIG_DFL);
  std::signal(SIGTSTP, SIG_DFL);
}

Terminal::Size Terminal::size() const noexcept {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) return {};
  return {window.ws_col, window.ws_row};
}

void Terminal::show(std::string_view screen) {
  std::string out = "\033[H";
  for (const char c : screen) {
    if (c == '\n') {
      out += "\033[K\r\n";
    } else {
      out += c;
    }
  }
  out += "\033[K\033[J";
  write_all(out);
}

std::optional<char> Terminal::key(std::chrono::milliseconds patience) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int ready = ::poll(&input, 1, static_cast<int>(patience.count()));
  if (suspend_wanted.exchange(false)) {
    suspend();
    return std::nullopt;
  }
  if (ready <= 0) return std::nullopt;
  if ((input.revents & POLLIN) == 0) return 'q';  // nobody is there any more
  char pressed = 0;
  const ssize_t count = ::read(STDIN_FILENO, &pressed, 1);
  if (count == 0) return 'q';
  return count == 1 ? std::optional(pressed) : std::nullopt;
}

void Terminal::restore() noexcept {
  if (!taken.exchange(false)) return;
  const int error_number = errno;
  write_all(kLeave);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal);
  errno = error_number;
}

}  // namespace cuzk::cli
