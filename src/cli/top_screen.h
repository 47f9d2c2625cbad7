// The screen of `cuzk top` as text.
//
// Thread-safety: pure function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "client/job.h"

namespace cuzk::cli {

struct TopView {
  std::string address;
  client::ServiceState state;
  std::vector<client::JobState> jobs;  // with partitions, oldest first
  std::optional<double> per_minute{};  // completed jobs, lately
  std::string problem{};               // why the rest is old; empty: it is not
};

/// At most size.rows lines of at most size.columns characters, without a newline at the end. `styled`: with sequences
/// for bold and inverse text, which take no room.
std::string top_screen(const TopView& view, Terminal::Size size, bool styled);

}  // namespace cuzk::cli
