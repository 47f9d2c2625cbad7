// HttpPages: what the service answers over HTTP, without HTTP itself.
//
//   GET /status /metrics /healthz /readyz /timeline?job=ID      for people and pollers
//   GET / and the files of web/                                 the dashboard
//   POST /v1/prove?key=ID, GET /v1/jobs[/ID[/result]], DELETE /v1/jobs/ID      proving
//
// /v1 may want a token, and answers no page of another origin: browsers send such a page's origin, and a name that is
// no name of ours as host (a page's own name that was made to mean this machine). Everything that is wrong is told as
// {"code", "kind", "message"} with a fitting status. Page: docs/http.md. Thread-safety: concurrently.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "server/bearer_token.h"
#include "server/http_message.h"
#include "server/proving_service.h"
#include "server/status_json.h"
#include "support/mutex.h"

namespace cuzk::server {

/// The client at the other end, while its request is answered.
class HttpClient {
 public:
  HttpClient() = default;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  virtual ~HttpClient() = default;

  /// The body, which has that many bytes. Errors: deadline, unavailable (the client has gone).
  virtual Result<engine::Payload> read_body(std::uint64_t bytes) = 0;
  virtual bool is_there() const = 0;
  /// Pulled when the server ends.
  virtual StopToken stop() const = 0;
};

struct HttpPagesOptions {
  std::string token;       // that callers of /v1 must show; empty: none
  std::string host;        // by which this machine may be called, beside its own name
  bool serves_api = true;  // /v1
  std::uint64_t max_body_bytes = 256 * memory::kMiB;
  std::chrono::milliseconds orphan_grace = std::chrono::minutes{5};  // of jobs on which a client waits
};

class HttpPages {
 public:
  HttpPages(ProvingService& proving, HttpPagesOptions options);

  HttpReply answer(const HttpRequest& request, HttpClient& client);

  void set_ready(bool ready) noexcept { ready_ = ready; }
  void set_not_ready(std::string why);
  void set_warnings(std::vector<std::string> warnings);
  void set_orphan_grace(std::chrono::milliseconds grace) noexcept { grace_ = grace; }
  void set_token(std::string token) { token_.replace(std::move(token)); }

 private:
  HttpReply readiness() const;
  HttpReply timeline(const HttpRequest& request);
  HttpReply api(const HttpRequest& request, HttpClient& client);
  HttpReply jobs(const HttpRequest& request);
  HttpReply job(const HttpRequest& request);
  HttpReply result(const std::string& job_id);
  HttpReply prove(const HttpRequest& request, HttpClient& client);
  HttpReply wait_for(const ServedJob& job, HttpClient& client);
  /// Where time helps, with when to come again.
  HttpReply refusal(const Error& error) const;
  HttpReply with_retry_delay(HttpReply reply) const;
  HttpReply ended(const ServedJob& job, const engine::JobResult& result);
  ServiceFacts facts() const;

  ProvingService& proving_;
  const HttpPagesOptions options_;
  WantedToken token_;
  const std::vector<std::string> names_;  // of this machine, lower case
  std::atomic<bool> ready_ = false;
  std::atomic<std::chrono::milliseconds> grace_;
  mutable Mutex mutex_;
  std::vector<std::string> warnings_ CUZK_GUARDED_BY(mutex_);
  std::string why_not_ready_ CUZK_GUARDED_BY(mutex_) = "keys are being loaded";
};

}  // namespace cuzk::server
