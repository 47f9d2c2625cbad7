#include "cli/bench_result.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "cli/report.h"
#include "cli/table.h"

namespace cuzk::cli {
namespace {

constexpr std::size_t kShownErrors = 10;

struct Named {
  const char* name;
  double (*of)(const Sample&);
};

double seconds(std::uint64_t ms) { return static_cast<double>(ms) / 1000; }

/// What is measured of a completed proof.
constexpr Named kMeasures[] = {
    {"latency", [](const Sample& s) { return s.seconds; }},
    {"service", [](const Sample& s) { return seconds(s.times.total); }},
    {"queue", [](const Sample& s) { return seconds(s.times.queue); }},
    {"key", [](const Sample& s) { return seconds(s.times.key); }},
    {"witness", [](const Sample& s) { return seconds(s.times.witness); }},
    {"compute", [](const Sample& s) { return seconds(s.times.compute); }},
};

constexpr std::size_t kAll = static_cast<std::size_t>(-1);

Distribution of(const BenchResult& result, const Named& measure, std::size_t item) {
  std::vector<double> values;
  for (const Sample& sample : result.samples) {
    if (sample.end == SampleEnd::completed && (item == kAll || sample.item == item)) {
      values.push_back(measure.of(sample));
    }
  }
  return distribution_of(std::move(values));
}

void write(JsonWriter& json, const Distribution& values) {
  json.begin_object().key("count").integer(values.count).key("min").real(values.min).key("mean").real(values.mean);
  json.key("p50").real(values.p50).key("p90").real(values.p90).key("p99").real(values.p99);
  json.key("max").real(values.max).end_object();
}

void write_deadlines(JsonWriter& json, const Deadlines& deadlines) {
  json.key("deadlines").begin_object().key("proofs").integer(deadlines.proofs);
  json.key("met").integer(deadlines.met).end_object();
}

void write_measures(JsonWriter& json, const BenchResult& result, std::size_t item) {
  for (const Named& measure : kMeasures) {
    write(json.key(std::string(measure.name) + "_seconds"), of(result, measure, item));
  }
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

std::vector<std::string> row(const std::string& name, const Distribution& values) {
  return {name,
          std::to_string(values.count),
          rounded(values.min),
          rounded(values.mean),
          rounded(values.p50),
          rounded(values.p90),
          rounded(values.p99),
          rounded(values.max)};
}

std::vector<std::string> first_errors(const BenchResult& result) {
  std::vector<std::string> errors;
  for (const Sample& sample : result.samples) {
    const bool is_new = !sample.error.empty() && std::ranges::find(errors, sample.error) == errors.end();
    if (is_new && errors.size() < kShownErrors) errors.push_back(sample.error);
  }
  return errors;
}

}  // namespace

Distribution distribution_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto percentile = [&](double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {.count = values.size(),
          .min = values.front(),
          .mean = sum / static_cast<double>(values.size()),
          .p50 = percentile(0.5),
          .p90 = percentile(0.9),
          .p99 = percentile(0.99),
          .max = values.back()};
}

std::size_t BenchResult::count(SampleEnd end) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(samples, end, &Sample::end));
}

Deadlines BenchResult::deadlines(std::optional<std::size_t> item) const noexcept {
  Deadlines all;
  for (const Sample& sample : samples) {
    if (!sample.met_deadline || (item && sample.item != *item)) continue;
    ++all.proofs;
    all.met += *sample.met_deadline ? 1U : 0U;
  }
  return all;
}

double BenchResult::per_minute() const noexcept {
  return wall_seconds > 0 ? 60 * static_cast<double>(count(SampleEnd::completed)) / wall_seconds : 0;
}

void write_result(JsonWriter& json, const BenchResult& result) {
  const std::size_t completed = result.count(SampleEnd::completed);
  json.begin_object().key("mode").string(result.mode).key("asked").integer(result.asked);
  json.key("concurrency").integer(result.concurrency).key("completed").integer(completed);
  json.key("refused").integer(result.count(SampleEnd::refused)).key("failed").begin_object();
  json.key("caller").integer(result.count(SampleEnd::caller));
  json.key("transient").integer(result.count(SampleEnd::transient));
  json.key("defect").integer(result.count(SampleEnd::defect)).end_object();
  json.key("wall_seconds").real(result.wall_seconds).key("proofs_per_minute").real(result.per_minute());
  json.key("seconds_per_proof").real(completed > 0 ? result.wall_seconds / static_cast<double>(completed) : NAN);
  write_deadlines(json, result.deadlines());
  write_measures(json, result, kAll);
  json.key("proofs").begin_array();
  for (std::size_t item = 0; item < result.items.size(); ++item) {
    json.begin_object().key("name").string(result.items[item]);
    write_deadlines(json, result.deadlines(item));
    write_measures(json, result, item);
    json.end_object();
  }
  json.end_array().key("errors").begin_array();
  for (const std::string& error : first_errors(result)) json.string(error);
  json.end_array().end_object();
}

std::string text_of(const BenchResult& result) {
  Table table({"SECONDS", "PROOFS", "MIN", "MEAN", "P50", "P90", "P99", "MAX"});
  for (const Named& measure : kMeasures) table.add(row(measure.name, of(result, measure, kAll)));
  if (result.items.size() > 1) {
    for (std::size_t item = 0; item < result.items.size(); ++item) {
      table.add(row("latency of " + result.items[item], of(result, kMeasures[0], item)));
    }
  }
  const std::size_t completed = result.count(SampleEnd::completed);
  std::string text = std::to_string(completed) + " of " + std::to_string(result.asked) + " proofs, " +
                     std::to_string(result.concurrency) + " at the same time, in " +
                     human_seconds(result.wall_seconds) + ": " + rounded(result.per_minute()) + " a minute";
  if (completed > 0) text += ", " + human_seconds(result.wall_seconds / static_cast<double>(completed)) + " each";
  if (const Deadlines deadlines = result.deadlines(); deadlines.proofs > 0) {
    text += "\n" + std::to_string(deadlines.met) + " of " + std::to_string(deadlines.proofs) +
            " proofs with a deadline met it";
  }
  if (completed < result.samples.size()) {
    text += "\n" + std::to_string(result.count(SampleEnd::refused)) +
            " refused, failed: " + std::to_string(result.count(SampleEnd::caller)) + " caller, " +
            std::to_string(result.count(SampleEnd::transient)) + " transient, " +
            std::to_string(result.count(SampleEnd::defect)) + " defect";
    for (const std::string& error : first_errors(result)) text += "\n  " + printable(error);
  }
  return text + "\n\n" + table.text();
}

}  // namespace cuzk::cli
