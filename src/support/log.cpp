#include "support/log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "support/json_writer.h"
#include "support/mutex.h"
#include "support/utf8.h"

namespace cuzk {

namespace {

struct SinkHolder {
  Mutex mutex;
  LogSink sink CUZK_GUARDED_BY(mutex) = stderr_sink(LogForm::text);
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

void append_escaped(std::string& line, char c) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  if (c == '\n') {
    line += "\\n";
    return;
  }
  const auto value = static_cast<unsigned char>(c);
  line += "\\x";
  line += kHexDigits[value >> 4];
  line += kHexDigits[value & 15];
}

void append_on_one_line(std::string& line, std::string_view message) {
  while (!message.empty()) {
    const std::size_t controls = control_length(message);
    for (const char c : message.substr(0, controls)) append_escaped(line, c);
    if (controls == 0) line += message.front();
    message.remove_prefix(std::max<std::size_t>(controls, 1));
  }
}

/// A job's name in a text line: quoted where it would not be one word.
void append_word(std::string& line, std::string_view word) {
  const bool plain =
      !word.empty() && std::ranges::none_of(word, [](char c) { return c == ' ' || c == '"' || c == '='; });
  if (plain) return append_on_one_line(line, word);
  std::string quoted;
  for (const char c : word) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  line += '"';
  append_on_one_line(line, quoted);
  line += '"';
}

std::string format_text(const LogRecord& record) {
  std::string line(record.time);
  line += ' ';
  line += to_string(record.level);
  line += ' ';
  append_on_one_line(line, record.message);
  if (!record.about.job.empty()) {
    line += " job=";
    append_word(line, record.about.job);
  }
  if (record.about.partition) line += " partition=" + std::to_string(*record.about.partition);
  return line;
}

std::string format_json(const LogRecord& record) {
  JsonWriter json;
  json.begin_object();
  json.key("time").string(record.time);
  json.key("level").string(to_string(record.level));
  json.key("message").string(record.message);
  if (!record.about.job.empty()) json.key("job").string(record.about.job);
  if (record.about.partition) json.key("partition").integer(*record.about.partition);
  json.end_object();
  return json.take();
}

std::atomic<LogLevel> least_level{LogLevel::info};

void log(LogLevel level, std::string_view message, const LogSubject& about) {
  if (!log_enabled(level)) return;
  const std::string time = utc_now();
  SinkHolder& out = holder();
  const MutexLock lock(out.mutex);
  if (out.sink) out.sink({.level = level, .time = time, .message = message, .about = about});
}

}  // namespace

std::string_view to_string(LogLevel level) noexcept {
  constexpr std::array<std::string_view, 6> kNames = {"trace", "debug", "info", "warn", "error", "off"};
  return kNames[static_cast<std::size_t>(level)];
}

bool log_enabled(LogLevel level) noexcept { return level >= least_level.load(std::memory_order_relaxed); }

void set_log_level(LogLevel least) noexcept { least_level.store(least, std::memory_order_relaxed); }

void log_trace(std::string_view message, const LogSubject& about) { log(LogLevel::trace, message, about); }
void log_debug(std::string_view message, const LogSubject& about) { log(LogLevel::debug, message, about); }
void log_info(std::string_view message, const LogSubject& about) { log(LogLevel::info, message, about); }
void log_warn(std::string_view message, const LogSubject& about) { log(LogLevel::warn, message, about); }
void log_error(std::string_view message, const LogSubject& about) { log(LogLevel::error, message, about); }

std::string format_record(const LogRecord& record, LogForm form) {
  return form == LogForm::json ? format_json(record) : format_text(record);
}

LogSink stderr_sink(LogForm form) {
  return [form](const LogRecord& record) {
    const std::string line = format_record(record, form) + '\n';
    // One call for each line keeps lines of several processes whole. A log that cannot be written has nowhere to say
    // so.
    while (::write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EINTR) {
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
