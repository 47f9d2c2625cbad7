#include "server/preloader.h"

#include <algorithm>
#include <utility>

#include "engine/failure.h"
#include "support/clock.h"
#include "support/log.h"
#include "support/thread.h"

namespace cuzk::server {
namespace {

std::string seconds_text(double seconds) {
  const std::string text = std::to_string(seconds);
  return text.substr(0, text.find('.') + 3) + " s";
}

bool is_resident(const std::vector<engine::ResidentSnapshot>& all, const std::string& circuit) {
  return std::ranges::any_of(
      all, [&](const engine::ResidentSnapshot& one) { return one.circuit == circuit && !one.loading; });
}

}  // namespace

Preloader::Preloader(ProvingService& proving, PreloaderOptions options)
    : proving_(proving), options_(std::move(options)) {
  thread_ = named_thread("cuzk-preload", [this](const StopToken& stop) { run(stop); });
}

void Preloader::load(std::vector<std::string> circuits) {
  const MutexLock lock(mutex_);
  supersede_.request_stop();
  supersede_ = std::stop_source();
  if (thread_.get_stop_token().stop_requested()) supersede_.request_stop();
  order_ = {.number = order_.number + 1, .circuits = std::move(circuits), .superseded = supersede_.get_token()};
  changed_.notify_all();
}

void Preloader::request_stop() {
  thread_.request_stop();
  const MutexLock lock(mutex_);
  supersede_.request_stop();
}

Preloader::Order Preloader::next(std::uint64_t number, std::chrono::milliseconds pause, const StopToken& stop) {
  MutexLock lock(mutex_);
  const auto is_other = [&]() CUZK_REQUIRES(mutex_) { return order_.number != number; };
  if (pause.count() == 0) {
    changed_.wait(lock, stop, is_other);
  } else {
    changed_.wait_for(lock, stop, pause, is_other);
  }
  return order_;
}

void Preloader::run(const StopToken& stop) {
  std::uint64_t number = 0;
  std::chrono::milliseconds pause{0};
  while (true) {
    const Order order = next(number, pause, stop);
    if (stop.stop_requested()) return;
    const bool is_again = order.number == number;
    number = order.number;
    if (!is_again) told_.clear();
    const auto next_pause = is_again ? std::min(2 * pause, options_.longest_pause) : options_.first_pause;
    pause = load_all(order) ? next_pause : std::chrono::milliseconds(0);
  }
}

bool Preloader::load_all(const Order& order) {
  bool again = false;
  PreloadState state;
  for (std::size_t i = 0; i < order.circuits.size() && !order.superseded.stop_requested(); ++i) {
    state.doing = "preloading " + order.circuits[i] + " (" + std::to_string(i + 1) + " of " +
                  std::to_string(order.circuits.size()) + ")";
    options_.tell(state);
    again = load_one(order.circuits[i], order.superseded, state) || again;
  }
  if (options_.wait_for_buffers && !order.superseded.stop_requested()) {
    state.doing = "making page-locked memory ready";
    options_.tell(state);
    static_cast<void>(options_.wait_for_buffers(order.superseded));  // fails when it is pulled
  }
  if (order.superseded.stop_requested()) return false;
  check_resident(order, state);
  state.doing.clear();
  state.done = state.problems.empty();
  options_.tell(state);
  return again;
}

bool Preloader::load_one(const std::string& circuit, const StopToken& stop, PreloadState& state) {
  const Stopwatch watch;
  const auto loaded = proving_.preload(circuit, stop);
  if (loaded) {
    if (!loaded->already_loaded) log_info("preloaded " + circuit + " in " + seconds_text(watch.seconds()));
    return false;
  }
  if (stop.stop_requested()) return false;
  note_problem(circuit + " is not preloaded: " + loaded.error().to_string(), state);
  return engine::failure_class(loaded.error()) == store::FailureClass::transient;
}

/// What came later may have taken the place of what came before.
void Preloader::check_resident(const Order& order, PreloadState& state) const {
  if (!state.problems.empty()) return;
  const engine::EngineSnapshot now = proving_.snapshot();
  for (const std::string& circuit : order.circuits) {
    if (is_resident(now.keys, circuit) && is_resident(now.circuits, circuit)) continue;
    state.problems.push_back(circuit +
                             " was preloaded and had to go for others: srs.preload does not fit into "
                             "memory.total_budget together");
    log_error(state.problems.back());
  }
}

void Preloader::note_problem(std::string text, PreloadState& state) {
  if (std::ranges::find(told_, text) == told_.end()) {
    log_error(text);
    told_.push_back(text);
  }
  state.problems.push_back(std::move(text));
}

}  // namespace cuzk::server
