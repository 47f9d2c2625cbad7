// Log: one line for each event, to standard error unless another sink is set.
//
// A text line is "2026-01-31T12:34:56.789Z info message job=porep-1000-1 partition=3", UTC; a JSON line is an object
// {"time","level","message","job","partition"}, the last two only where they are known. Line breaks and other control
// characters are written as escapes, so that one event is one line. Secrets and witness values never go into a
// message. Level and sink are the only state. Thread-safety: concurrently; the sink is called by one thread at a time
// and must not log.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cuzk {

enum class LogLevel : std::uint8_t { trace, debug, info, warn, error, off };

std::string_view to_string(LogLevel level) noexcept;

/// What an event is about; what is empty is not written.
struct LogSubject {
  std::string_view job{};  // any text
  std::optional<std::uint32_t> partition{};
};

/// Whether an event of this level is written: asked before a costly message is made.
bool log_enabled(LogLevel level) noexcept;

void log_trace(std::string_view message, const LogSubject& about = {});
void log_debug(std::string_view message, const LogSubject& about = {});
void log_info(std::string_view message, const LogSubject& about = {});
void log_warn(std::string_view message, const LogSubject& about = {});
void log_error(std::string_view message, const LogSubject& about = {});

struct LogRecord {
  LogLevel level = LogLevel::info;
  std::string_view time;
  std::string_view message;
  LogSubject about;
};

enum class LogForm : std::uint8_t { text, json };

/// Without its newline.
std::string format_record(const LogRecord& record, LogForm form);

using LogSink = std::function<void(const LogRecord&)>;

/// The sink at the start, with LogForm::text.
LogSink stderr_sink(LogForm form);

/// Replaces the sink and returns the former one; an empty sink is silence.
LogSink set_log_sink(LogSink sink);

/// Events below it are dropped. At the start info.
void set_log_level(LogLevel least) noexcept;

}  // namespace cuzk
