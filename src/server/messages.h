// Messages of cuzk.v1 from and to the engine's values.
//
// The generated header stays in messages.cpp. Thread-safety: pure functions.
#pragma once

#include <memory>
#include <string_view>

#include "server/proving_service.h"

namespace google::protobuf {
class Descriptor;
namespace io {
class ZeroCopyInputStream;
}
}  // namespace google::protobuf

namespace cuzk::v1 {
class AwaitProofResponse;
class GetStatusResponse;
class JobProgress;
class ListJobsRequest;
class ListJobsResponse;
class SubmitCircomProofRequest;
class SubmitProofRequest;
class SubmitProofResponse;
}  // namespace cuzk::v1

namespace cuzk::server {

/// What is refused before anything is kept. Counts of payloads and what is in them is the engine's matter.
struct RequestLimits {
  static constexpr std::size_t kLabelBytes = 1024;
  /// Of the calls that bring no payload: no honest one has more than a name or two.
  static constexpr std::size_t kSmallMessageBytes = std::size_t{64} << 10;
  static constexpr std::size_t kC1Bytes = engine::PayloadLimits{}.c1_bytes;
};

/// Fields that a message may have on the wire, those of messages in it included. An honest one has an element of
/// vanilla_proofs for each sector of a partition, and some twenty others.
inline constexpr unsigned kMaxFields = 10'000;

/// invalid_argument: no message, or one with more than kMaxFields fields. One that passes takes decoded little more
/// memory than its bytes; a field of two bytes otherwise becomes one of forty.
Status check_fields(const google::protobuf::Descriptor& type, google::protobuf::io::ZeroCopyInputStream& bytes);

/// Takes the payload of the message's kind, and the submission keeps it; nothing else of the message is kept. Errors:
/// invalid_argument (no kind that there is, a label too long), exhausted (a payload above its limit).
Result<Submission> submission_of(v1::SubmitProofRequest&& message, const engine::PayloadLimits& limits = {});
Result<Submission> submission_of(v1::SubmitCircomProofRequest&& message);

void fill_accepted(const engine::JobStatus& status, v1::SubmitProofResponse& out);
void fill_result(std::string_view job_id, const engine::JobResult& result, v1::AwaitProofResponse& out);
void fill_failed(std::string_view job_id, const Error& error, v1::AwaitProofResponse& out);
void fill_timeout(std::string_view job_id, v1::AwaitProofResponse& out);
void fill_status(const engine::EngineSnapshot& snapshot, v1::GetStatusResponse& out);
/// now_ns is monotonic_ns().
void fill_progress(const engine::JobStatus& status, std::uint64_t now_ns, bool with_partitions, v1::JobProgress& out);
/// Of jobs in their order, those that the request wants.
void fill_jobs(const v1::ListJobsRequest& request, const std::vector<engine::JobStatus>& jobs, std::uint64_t now_ns,
               v1::ListJobsResponse& out);

}  // namespace cuzk::server
