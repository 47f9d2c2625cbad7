#include "cli/top_screen.h"

#include <algorithm>
#include <cstdio>

#include "cli/report.h"
#include "cli/table.h"

namespace cuzk::cli {
namespace {

using client::ServiceState;

enum class Style { plain, bold, inverse };

/// Lines as long as there is room.
class Screen {
 public:
  Screen(Terminal::Size size, bool styled) : size_(size), styled_(styled) {}

  std::size_t room() const { return size_.rows - std::min<std::size_t>(lines_, size_.rows); }
  std::size_t columns() const { return size_.columns; }

  void line(const std::string& text, Style style = Style::plain) {
    if (room() == 0) return;
    std::string shown = cut(printable(text));
    if (styled_ && style == Style::inverse)
      shown += std::string(size_.columns - std::min<std::size_t>(width_of(shown), size_.columns), ' ');
    if (styled_ && style != Style::plain) shown = (style == Style::bold ? "\033[1m" : "\033[7m") + shown + "\033[0m";
    out_ += (lines_ == 0 ? "" : "\n") + shown;
    ++lines_;
  }
  /// A table's lines, the first one as its title.
  void table(const Table& rows) {
    const std::string text = rows.text();
    std::size_t begin = 0;
    for (bool first = true; begin <= text.size(); first = false) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      line(text.substr(begin, end - begin), first ? Style::bold : Style::plain);
      begin = end + 1;
    }
  }

  std::string take() { return std::move(out_); }

 private:
  std::string cut(std::string text) const {
    std::size_t columns = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
      if (columns++ == size_.columns) return text.substr(0, i);
    }
    return text;
  }

  const Terminal::Size size_;
  const bool styled_;
  std::string out_;
  std::size_t lines_ = 0;
};

std::string seconds(std::uint64_t ms) { return human_seconds(static_cast<double>(ms) / 1000); }

std::string uptime(std::uint64_t seconds) {
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  if (seconds < 172800) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86400) + " days";
}

std::string bar(std::uint64_t part, std::uint64_t whole, std::size_t width) {
  const double share = whole == 0 ? 0 : std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width) + 0.5);
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

/// A character for each partition.
std::string strip(const client::JobState& job) {
  std::string text;
  for (const client::PartitionState& partition : job.progress) {
    const std::string& stage = partition.stage;
    text += stage == "done"        ? '#'
            : stage == "failed"    ? '!'
            : stage == "proving"   ? 'P'
            : stage == "finishing" ? 'F'
            : stage == "queued"    ? 'q'
            : stage == "witness"   ? 'w'
                                   : '.';
  }
  return text;
}

void head(Screen& screen, const TopView& view) {
  const ServiceState& state = view.state;
  screen.line("cuzk " + state.version + "  " + view.address + "  up " + uptime(state.uptime_seconds) +
                  (state.accepting ? "" : "  STOPPING") + (view.problem.empty() ? "" : "  " + view.problem),
              Style::inverse);
  std::uint32_t waiting = 0;
  std::uint32_t running = 0;
  for (const ServiceState::Queue& queue : state.queues) {
    waiting += queue.waiting;
    running += queue.running;
  }
  std::string text = "jobs    " + std::to_string(waiting) + " waiting, " + std::to_string(running) + " running, " +
                     std::to_string(state.completed) + " completed, " + std::to_string(state.failed) + " failed";
  char rate[48] = "";
  if (view.per_minute) std::snprintf(rate, sizeof rate, ", %.1f a minute", *view.per_minute);
  screen.line(text + rate);
}

void memory(Screen& screen, const ServiceState::Memory& memory) {
  if (memory.total_bytes == 0) return;
  const std::size_t width = std::clamp<std::size_t>(screen.columns() / 4, 8, 40);
  screen.line("memory  " + bar(memory.used_bytes, memory.total_bytes, width) + " " + human_bytes(memory.used_bytes) +
              " of " + human_bytes(memory.total_bytes) + ", peak " + human_bytes(memory.peak_bytes) +
              (memory.waiting > 0 ? ", " + std::to_string(memory.waiting) + " waiting" : ""));
  std::string uses;
  for (const ServiceState::MemoryUse& use : memory.uses) {
    if (use.bytes > 0) uses += (uses.empty() ? "" : ", ") + use.tag + " " + human_bytes(use.bytes);
  }
  if (!uses.empty()) screen.line("        " + uses);
}

void stages(Screen& screen, const ServiceState& state) {
  std::string text;
  for (const ServiceState::Stage& stage : state.stages) {
    text += (text.empty() ? "" : ", ") + stage.name + " " + std::to_string(stage.length);
    if (stage.capacity > 0) text += "/" + std::to_string(stage.capacity);
    if (stage.length > 0) text += " (" + seconds(stage.oldest_ms) + ")";
  }
  if (!text.empty()) screen.line("queues  " + text);
}

void devices(Screen& screen, const ServiceState& state) {
  screen.line("");
  Table table({"DEVICE", "PROOFS", "ERRORS", "BUSY", "IN FLIGHT"});
  for (const ServiceState::Device& device : state.devices) {
    std::string work = std::to_string(device.in_flight.size()) + "/" + std::to_string(device.max_in_flight);
    for (const ServiceState::Work& on_it : device.in_flight) {
      work += "  " + on_it.job_id + ":" + std::to_string(on_it.partition) + " " + seconds(on_it.age_ms);
    }
    table.add({std::to_string(device.ordinal) + " " + device.name +
                   (device.in_service ? "" : " OUT OF SERVICE: " + device.trouble),
               std::to_string(device.proofs), std::to_string(device.errors), seconds(device.busy_ms), work});
  }
  screen.table(table);
}

/// Open ones first, then those that ended last, as many as there is room for.
std::vector<const client::JobState*> shown_jobs(const TopView& view, std::size_t room) {
  std::vector<const client::JobState*> shown;
  for (const client::JobState& job : view.jobs) {
    if (job.is_open()) shown.push_back(&job);
  }
  for (auto job = view.jobs.rbegin(); job != view.jobs.rend(); ++job) {
    if (!job->is_open()) shown.push_back(&*job);
  }
  shown.resize(std::min(shown.size(), room));
  return shown;
}

void jobs(Screen& screen, const TopView& view) {
  screen.line("");
  if (screen.room() < 2) return;
  Table table({"JOB", "KIND", "PRIORITY", "STATE", "TIME", "PARTITIONS"});
  for (const client::JobState* job : shown_jobs(view, screen.room() - 1)) {
    const std::string state = job->decoding ? "decoding" : job->state;
    table.add({job->job_id, job->kind + " " + job->circuit, job->priority, state, seconds(job->age_ms),
               job->error.empty() ? std::to_string(job->finished_partitions) + "/" + std::to_string(job->partitions) +
                                        " " + strip(*job)
                                  : job->error});
  }
  screen.table(table);
}

}  // namespace

std::string top_screen(const TopView& view, Terminal::Size size, bool styled) {
  Screen screen(size, styled);
  head(screen, view);
  memory(screen, view.state.memory);
  stages(screen, view.state);
  devices(screen, view.state);
  jobs(screen, view);
  return screen.take();
}

}  // namespace cuzk::cli
