// A reader of Prometheus' text form, version 0.0.4, written from its description and strict where scrapers are lenient.
//
// Refused: a family without HELP or TYPE, twice, or in pieces; a sample that is no member of its family, or is there
// twice; names, labels and escapes that are none; counters that are negative or no number; histograms whose buckets are
// out of order, fall, or do not end with the count.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace cuzk::server {

class PrometheusText {
 public:
  using Labels = std::map<std::string, std::string>;
  struct Sample {
    std::string name;  // with its suffix
    Labels labels;
    double value = 0;
  };
  struct Family {
    std::string type;
    std::vector<Sample> samples;
  };

  /// Throws std::runtime_error, naming the line.
  explicit PrometheusText(const std::string& text) {
    if (!text.empty() && text.back() != '\n') throw std::runtime_error("the last line has no end");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      try {
        read_line(line);
      } catch (const std::exception& fault) {
        throw std::runtime_error(std::string(fault.what()) + ": " + line);
      }
    }
    for (const auto& [name, family] : families_) {
      if (family.type == "histogram") check_histogram(name, family);
    }
  }

  const std::map<std::string, Family>& families() const noexcept { return families_; }

  /// None: there is no such sample.
  std::optional<double> value(const std::string& name, const Labels& labels = {}) const {
    for (const auto& [family_name, family] : families_) {
      for (const Sample& sample : family.samples) {
        if (sample.name == name && sample.labels == labels) return sample.value;
      }
    }
    return std::nullopt;
  }

  /// All samples that may never fall, by their text.
  std::map<std::string, double> monotonic() const {
    std::map<std::string, double> all;
    for (const auto& [name, family] : families_) {
      if (family.type == "gauge") continue;
      for (const Sample& sample : family.samples) all[key_of(sample)] = sample.value;
    }
    return all;
  }

 private:
  static void demand(bool condition, const char* what) {
    if (!condition) throw std::runtime_error(what);
  }
  static bool is_name(const std::string& text, bool colons) {
    const auto may_begin = [&](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colons && c == ':');
    };
    return !text.empty() && may_begin(text[0]) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return may_begin(c) || (c >= '0' && c <= '9'); });
  }
  static std::string key_of(const Sample& sample) {
    std::string key = sample.name;
    for (const auto& [name, value] : sample.labels) key += "|" + name + "=" + value;
    return key;
  }

  void read_line(const std::string& line) {
    if (line.rfind("# HELP ", 0) == 0) {
      const std::string name = line.substr(7, line.find(' ', 7) - 7);
      demand(is_name(name, true), "no name");
      demand(line.size() > 8 + name.size(), "no help");
      demand(helped_.insert(name).second, "HELP twice");
      current_.clear();
      return;
    }
    if (line.rfind("# TYPE ", 0) == 0) {
      const std::size_t space = line.find(' ', 7);
      const std::string name = line.substr(7, space - 7);
      const std::string type = line.substr(space + 1);
      demand(type == "counter" || type == "gauge" || type == "histogram", "no type");
      demand(helped_.count(name) == 1, "no HELP before");
      demand(families_.emplace(name, Family{type, {}}).second, "TYPE twice");
      current_ = name;
      return;
    }
    demand(!current_.empty(), "a sample outside of its family");
    Sample sample = read_sample(line);
    Family& family = families_.at(current_);
    const std::string suffix = sample.name.substr(std::min(sample.name.size(), current_.size()));
    demand(sample.name.rfind(current_, 0) == 0, "a sample of another family");
    demand(family.type == "histogram" ? suffix == "_bucket" || suffix == "_sum" || suffix == "_count" : suffix.empty(),
           "a name that the type does not have");
    demand(family.type == "gauge" || (std::isfinite(sample.value) && sample.value >= 0), "a counter below zero");
    demand(seen_.insert(key_of(sample)).second, "a sample twice");
    family.samples.push_back(std::move(sample));
  }

  static Sample read_sample(const std::string& line) {
    Sample sample;
    std::size_t at = line.find_first_of("{ ");
    demand(at != std::string::npos, "no value");
    sample.name = line.substr(0, at);
    demand(is_name(sample.name, true), "no name");
    if (line[at] == '{') at = read_labels(line, at + 1, sample.labels);
    demand(at < line.size() && line[at] == ' ', "no space before the value");
    const char* const begin = line.c_str() + at + 1;
    char* end = nullptr;
    sample.value = std::strtod(begin, &end);
    demand(end != begin && *end == '\0', "no number");
    return sample;
  }

  static std::size_t read_labels(const std::string& line, std::size_t at, Labels& labels) {
    while (true) {
      const std::size_t equals = line.find('=', at);
      demand(equals != std::string::npos && equals + 1 < line.size() && line[equals + 1] == '"', "no label");
      const std::string name = line.substr(at, equals - at);
      demand(is_name(name, false), "no name of a label");
      std::string value;
      for (at = equals + 2;; ++at) {
        demand(at < line.size(), "a label without end");
        if (line[at] == '"') break;
        if (line[at] != '\\') {
          value += line[at];
          continue;
        }
        ++at;
        demand(at < line.size() && (line[at] == '\\' || line[at] == '"' || line[at] == 'n'), "no escape");
        value += line[at] == 'n' ? '\n' : line[at];
      }
      demand(labels.emplace(name, value).second, "a label twice");
      ++at;
      demand(at < line.size() && (line[at] == ',' || line[at] == '}'), "neither a label nor the end of them");
      if (line[at++] == '}') return at;
    }
  }

  static void check_histogram(const std::string& name, const Family& family) {
    struct Series {
      std::vector<std::pair<double, double>> buckets;
      std::optional<double> sum, count;
    };
    std::map<Labels, Series> all;
    for (const Sample& sample : family.samples) {
      Labels labels = sample.labels;
      const auto bound = labels.extract("le");
      Series& series = all[labels];
      if (sample.name == name + "_sum") series.sum = sample.value;
      if (sample.name == name + "_count") series.count = sample.value;
      if (sample.name != name + "_bucket") continue;
      demand(!bound.empty(), "a bucket without bound");
      series.buckets.emplace_back(std::strtod(bound.mapped().c_str(), nullptr), sample.value);
    }
    for (const auto& [labels, series] : all) {
      demand(series.sum && series.count && !series.buckets.empty(), "an incomplete histogram");
      demand(std::isinf(series.buckets.back().first) && series.buckets.back().second == *series.count,
             "the last bucket is not all");
      for (std::size_t i = 1; i < series.buckets.size(); ++i) {
        demand(series.buckets[i - 1].first < series.buckets[i].first, "bounds out of order");
        demand(series.buckets[i - 1].second <= series.buckets[i].second, "buckets that fall");
      }
    }
  }

  std::string current_;
  std::set<std::string> helped_;
  std::set<std::string> seen_;
  std::map<std::string, Family> families_;
};

}  // namespace cuzk::server
