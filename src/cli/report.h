// How a subcommand tells its result: text for people, or one JSON object on standard output for machines.
//
// Errors go to standard error as one line, or with --json to standard output as {code, kind, message, file, section,
// offset, expected, found} (null where unknown; section is a number where the format numbers its sections).
// Thread-safety: external.
#pragma once

#include <cstdio>
#include <string_view>

#include "cli/options.h"
#include "support/json_writer.h"
#include "support/progress.h"
#include "support/result.h"

namespace cuzk::cli {

class Report {
 public:
  explicit Report(const CommonOptions& common) noexcept : common_(common) {}

  bool json() const noexcept { return common_.json; }
  /// The progress line to hand down; null where nothing is to be shown.
  Progress* progress() noexcept { return common_.json || common_.quiet ? nullptr : &progress_; }

  /// From now on lines for people go to standard error: standard output carries a result of its own.
  void leave_standard_output() noexcept { lines_to_ = stderr; }
  /// A line for people on standard output; nothing with --json or --quiet.
  void say(std::string_view line) const;
  /// The result for machines; nothing without --json.
  void result(JsonWriter&& json);
  /// From now on failed() returns this one, and not the status of the error's code.
  void set_exit_status(int status) noexcept { exit_status_ = status; }
  bool has_exit_status() const noexcept { return exit_status_ != 0; }
  /// Prints the error, unless --json had its one object already; returns the exit status.
  int failed(const Error& error);

 private:
  CommonOptions common_;
  Progress progress_;
  std::FILE* lines_to_ = stdout;
  bool result_told_ = false;
  int exit_status_ = 0;  // 0: that of the error
};

/// The error as the object that --json prints.
void write_error(JsonWriter& json, const Error& error);

/// "1.23 s", "45 ms"
std::string human_seconds(double seconds);
/// "1.04 GiB", "2948 bytes"
std::string human_bytes(std::uint64_t bytes);

}  // namespace cuzk::cli
