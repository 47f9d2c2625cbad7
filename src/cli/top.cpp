#include <deque>

#include "cli/interruption.h"
#include "cli/remote.h"
#include "cli/service_json.h"
#include "cli/terminal.h"
#include "cli/top_screen.h"
#include "support/clock.h"

namespace cuzk::cli {
namespace {

constexpr Milliseconds kPatience{3000};
constexpr Milliseconds kKeyPatience{100};
constexpr std::uint64_t kRateSpanNs = 60'000'000'000;

/// Looks at the service again and again.
class Looking {
 public:
  Looking(const client::Client& client, std::string address) : client_(client) { view_.address = std::move(address); }

  /// What was seen before stays where the service does not answer.
  Status look() {
    auto seen = ask();
    view_.problem = seen ? "" : seen.error().message();
    return seen;
  }
  const TopView& view() const noexcept { return view_; }

 private:
  Status ask() {
    CUZK_TRY(view_.state, client_.status());
    CUZK_TRY(view_.jobs, client_.jobs({.with_partitions = true}));
    note_rate();
    return {};
  }

  void note_rate() {
    const std::uint64_t now = monotonic_ns();
    if (!seen_.empty() && view_.state.completed < seen_.back().completed) seen_.clear();  // another process
    seen_.push_back({now, view_.state.completed});
    while (now - seen_.front().when_ns > kRateSpanNs) seen_.pop_front();
    const double minutes = static_cast<double>(now - seen_.front().when_ns) / 60e9;
    view_.per_minute.reset();
    if (minutes > 0.05)
      view_.per_minute = static_cast<double>(view_.state.completed - seen_.front().completed) / minutes;
  }

  struct Seen {
    std::uint64_t when_ns;
    std::uint64_t completed;
  };

  const client::Client& client_;
  TopView view_;
  std::deque<Seen> seen_;
};

Status print_once(const TopView& view, Report& report) {
  report.say(top_screen(view, {.columns = 200, .rows = 10'000}, false));
  JsonWriter json;
  json.begin_object();
  write_state(json.key("status"), view.state);
  json.key("jobs").begin_array();
  for (const client::JobState& job : view.jobs) write_job(json, job);
  json.end_array().end_object();
  report.result(std::move(json));
  return {};
}

/// Until it is time to look again; false: the user has had enough.
bool rest(Terminal& terminal, const Looking& looking, Milliseconds interval, const Interruption& interruption) {
  const Stopwatch watch;
  const auto whole = static_cast<std::uint64_t>(interval.count()) * 1'000'000;
  while (watch.elapsed_ns() < whole) {
    if (interruption.happened()) return false;
    const auto pressed = terminal.key(kKeyPatience);
    if (pressed == 'q' || pressed == 'Q' || pressed == '\x03') return false;
    terminal.show(top_screen(looking.view(), terminal.size(), true));
  }
  return !interruption.happened();
}

}  // namespace

Status top(const TopOptions& options, Report& report) {
  const Interruption interruption;
  CUZK_TRY(const auto client, open_client(options.service, kPatience));
  Looking looking(*client, address_of(options.service));
  CUZK_CHECK_OK(looking.look());
  if (options.once || report.json()) return print_once(looking.view(), report);
  CUZK_TRY(Terminal terminal, Terminal::take());
  while (true) {
    terminal.show(top_screen(looking.view(), terminal.size(), true));
    if (!rest(terminal, looking, options.interval, interruption)) return {};
    static_cast<void>(looking.look().has_value());  // the screen says what is wrong
  }
}

}  // namespace cuzk::cli
