#include "cli/delivery.h"
#include "cli/files.h"
#include "cli/request_input.h"

namespace cuzk::cli {

Status await(const AwaitOptions& options, Report& report) {
  CUZK_CHECK_OK(check_distinct({}, {options.files.proof, options.files.public_inputs}));
  const ResultFiles& files = options.files;
  if (is_standard_output(files.proof) || is_standard_output(files.public_inputs)) report.leave_standard_output();
  const Interruption interruption;
  CUZK_TRY(OutputFiles outputs, OutputFiles::open(files.proof, files.public_inputs));
  CUZK_TRY(const auto client, open_client(options.service));
  return deliver(*client, {.job_id = options.job, .files = files, .timeout = options.timeout}, std::move(outputs),
                 interruption, report);
}

Status prove_remote(const ProveRemoteOptions& options, Report& report) {
  const ProofInput& input = options.input;
  const ResultFiles& files = options.files;
  CUZK_CHECK_OK(check_distinct({input.witness, input.vanilla, input.public_data}, {files.proof, files.public_inputs}));
  if (is_standard_output(files.proof) || is_standard_output(files.public_inputs)) report.leave_standard_output();
  const Interruption interruption;
  CUZK_TRY(OutputFiles outputs, OutputFiles::open(files.proof, files.public_inputs));
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const RequestInput request, RequestInput::read(input));
  CUZK_TRY(const client::Accepted accepted, request.submit(*client, interruption.token()));
  return deliver(*client, {.job_id = accepted.job_id, .files = files, .partition = input.partition}, std::move(outputs),
                 interruption, report);
}

}  // namespace cuzk::cli
