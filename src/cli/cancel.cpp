#include "cli/remote.h"

namespace cuzk::cli {

Status cancel(const CancelOptions& options, Report& report) {
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const bool was_open, client->cancel(options.job));
  report.say(was_open ? "cancelled" : "it had ended before");
  JsonWriter json;
  json.begin_object().key("job_id").string(options.job).key("was_running").boolean(was_open).end_object();
  report.result(std::move(json));
  return {};
}

}  // namespace cuzk::cli
