#include <cstdio>

#include "cli/remote.h"

namespace cuzk::cli {

Status metrics(const MetricsOptions& options, Report& report) {
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const std::string text, client->metrics());
  if (!report.json()) std::fputs(text.c_str(), stdout);
  JsonWriter json;
  json.begin_object().key("prometheus_text").string(text).end_object();
  report.result(std::move(json));
  return {};
}

}  // namespace cuzk::cli
