#include "support/log.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "support/mutex.h"

namespace cuzk {

namespace {

struct SinkHolder {
  Mutex mutex;
  LogSink sink CUZK_GUARDED_BY(mutex) = stderr_sink(LogLevel::info);
};

SinkHolder& holder() {
  static SinkHolder* const instance = new SinkHolder;  // never destroyed: threads may log while the program ends
  return *instance;
}

std::string utc_now() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds = static_cast<unsigned>(now.time_since_epoch().count() % 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char date[32];
  const std::size_t length = std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03uZ", milliseconds % 1000);
  return std::string(date, length) + fraction;
}

void append_on_one_line(std::string& line, std::string_view message) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : message) {
    const auto value = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
    } else if (value < 0x20 || value == 0x7f) {
      line += "\\x";
      line += kDigits[value >> 4];
      line += kDigits[value & 15];
    } else {
      line += c;
    }
  }
}

void log(LogLevel level, std::string_view message) {
  std::string line = utc_now();
  line += ' ';
  line += to_string(level);
  line += ' ';
  append_on_one_line(line, message);
  SinkHolder& out = holder();
  const MutexLock lock(out.mutex);
  if (out.sink) out.sink(level, line);
}

}  // namespace

std::string_view to_string(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::info:
      return "info";
    case LogLevel::warn:
      return "warn";
    case LogLevel::error:
      return "error";
  }
  return "error";
}

void log_info(std::string_view message) { log(LogLevel::info, message); }
void log_warn(std::string_view message) { log(LogLevel::warn, message); }
void log_error(std::string_view message) { log(LogLevel::error, message); }

LogSink stderr_sink(LogLevel least) {
  return [least](LogLevel level, std::string_view line) {
    if (level < least) return;
    std::string text(line);
    text += '\n';
    // One call for each line keeps lines of several processes whole. A log that cannot be written has nowhere to say
    // so.
    while (::write(STDERR_FILENO, text.data(), text.size()) < 0 && errno == EINTR) {
    }
  };
}

LogSink set_log_sink(LogSink sink) {
  SinkHolder& out = holder();
  const MutexLock lock(out.mutex);
  out.sink.swap(sink);
  return sink;
}

}  // namespace cuzk
