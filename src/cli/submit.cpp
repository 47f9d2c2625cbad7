#include "cli/interruption.h"
#include "cli/remote.h"
#include "cli/request_input.h"

namespace cuzk::cli {

Status submit(const SubmitOptions& options, Report& report) {
  const Interruption interruption;
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const RequestInput input, RequestInput::read(options.input));
  CUZK_TRY(const client::Accepted accepted, input.submit(*client, interruption.token()));
  report.say(accepted.job_id);
  JsonWriter json;
  json.begin_object().key("job_id").string(accepted.job_id).key("queue_position").integer(accepted.queue_position);
  json.key("assigned_gpu").string(accepted.device).end_object();
  report.result(std::move(json));
  return {};
}

}  // namespace cuzk::cli
