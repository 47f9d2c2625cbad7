// Log: one line for each event, to standard error unless another sink is set.
//
// A line is "2026-01-31T12:34:56.789Z info message", UTC, without its newline; line breaks and other control characters
// of the message are written as escapes, so that one event is one line. Secrets and witness values never go into a
// message. The sink is the only state. Thread-safety: concurrently; the sink is called by one thread at a time and must
// not log.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace cuzk {

enum class LogLevel : std::uint8_t { info, warn, error };

std::string_view to_string(LogLevel level) noexcept;

void log_info(std::string_view message);
void log_warn(std::string_view message);
void log_error(std::string_view message);

using LogSink = std::function<void(LogLevel, std::string_view line)>;

/// Lines at `least` and above to standard error; the sink at the start is stderr_sink(LogLevel::info).
LogSink stderr_sink(LogLevel least);

/// Replaces the sink and returns the former one; an empty sink is silence.
LogSink set_log_sink(LogSink sink);

}  // namespace cuzk
