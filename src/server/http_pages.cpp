#include "server/http_pages.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <arpa/inet.h>
#include <web/files.h>

#include "engine/circom_jobs.h"
#include "server/duration.h"
#include "server/metrics_text.h"
#include "server/trace_json.h"
#include "support/clock.h"
#include "support/hex.h"
#include "support/json_writer.h"
#include "support/utf8.h"

namespace cuzk::server {
namespace {

constexpr std::size_t kTracedEndedJobs = 200;
constexpr std::size_t kMaxNameBytes = 1024;

using Headers = std::vector<std::pair<std::string, std::string>>;

/// What a page may load, and who may show it: nothing but what this server itself gives.
const Headers& page_headers() {
  static const Headers kHeaders = {
      {"Cache-Control", "no-cache"},
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
       "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
  };
  return kHeaders;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

HttpReply text_reply(int status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::move(text), {}};
}

HttpReply json_reply(std::string json, int status = 200) {
  return {status, "application/json", std::move(json), {{"Cache-Control", "no-store"}}};
}

HttpReply no_such_page() { return http_error(404, Error(Code::not_found, "there is no such page")); }

HttpReply wrong_method(std::string allowed) {
  HttpReply reply = http_error(405, Error(Code::unsupported, "this page knows " + allowed));
  reply.headers.emplace_back("Allow", std::move(allowed));
  return reply;
}

// Who asks.

/// "host", "[::1]" without brackets, of "host:port".
std::string host_name(std::string_view authority) {
  if (authority.starts_with('[')) return std::string(authority.substr(1, authority.find(']') - 1));
  return lower(authority.substr(0, authority.find(':')));
}

bool is_address(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 || inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

std::vector<std::string> names_of_machine(const std::string& listens_at) {
  std::vector<std::string> names = {"localhost"};
  if (!listens_at.empty()) names.push_back(lower(listens_at));
  std::array<char, 256> own{};
  if (gethostname(own.data(), own.size() - 1) == 0) {
    names.push_back(lower(own.data()));
    names.push_back(names.back().substr(0, names.back().find('.')));
  }
  return names;
}

/// A page that a browser loaded elsewhere must not act with this machine's rights.
std::optional<HttpReply> refuse_other_origins(const HttpRequest& request) {
  const std::string_view site = request.header_or_empty("sec-fetch-site");
  const bool foreign_site = !site.empty() && site != "same-origin" && site != "none";
  const std::string_view origin = request.header_or_empty("origin");
  const std::size_t scheme = origin.find("://");
  const bool foreign_origin =
      !origin.empty() &&
      (scheme == std::string_view::npos || lower(origin.substr(scheme + 3)) != lower(request.header_or_empty("host")));
  if (!foreign_site && !foreign_origin) return std::nullopt;
  return http_error(403, Error(Code::invalid_argument, "pages of another origin may not use this"));
}

/// Where nothing else proves the caller: a name that is not this machine's may be a foreign page's own.
std::optional<HttpReply> refuse_other_hosts(const HttpRequest& request, const std::vector<std::string>& names) {
  const std::string host = host_name(request.header_or_empty("host"));
  if (is_address(host) || std::ranges::find(names, host) != names.end()) return std::nullopt;
  return http_error(
      403, Error(Code::invalid_argument, "\"" + host + "\" is no name of this machine; use its address, or a token"));
}

std::optional<HttpReply> refuse_without_token(const HttpRequest& request, const WantedToken& token) {
  if (token.is_shown_by(request.header_or_empty("authorization"))) return std::nullopt;
  HttpReply reply =
      http_error(401, Error(Code::invalid_argument, "this address wants \"Authorization: Bearer <token>\""));
  reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

// What is asked.

std::optional<std::uint64_t> number_of(std::string_view digits) noexcept {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (fault != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// As stated; an error reply where it is not, or more than one body could be meant.
std::variant<std::uint64_t, HttpReply> body_length(const HttpRequest& request) {
  if (!request.header_or_empty("transfer-encoding").empty() || request.header_or_empty("content-length").empty()) {
    return http_error(411, Error(Code::invalid_argument, "the body's length must be stated as Content-Length"));
  }
  if (const auto encoding = request.header_or_empty("content-encoding"); !encoding.empty() && encoding != "identity") {
    return http_error(415, Error(Code::unsupported, "an encoded body is not taken"));
  }
  const auto bytes = number_of(request.header_or_empty("content-length"));
  if (!bytes) return http_error(400, Error(Code::invalid_argument, "Content-Length is no number"));
  return *bytes;
}

std::optional<HttpReply> refuse_other_types(const HttpRequest& request) {
  const std::string_view type = request.header_or_empty("content-type");
  const std::string kind = lower(type.substr(0, type.find_first_of("; \t")));
  if (kind == "application/octet-stream") return std::nullopt;
  return http_error(415, Error(Code::unsupported, "the body is a .wtns file: Content-Type application/octet-stream"));
}

std::optional<engine::Priority> parse_priority(std::string_view text) {
  for (const auto priority :
       {engine::Priority::low, engine::Priority::normal, engine::Priority::high, engine::Priority::critical}) {
    if (text == to_string(priority)) return priority;
  }
  return std::nullopt;
}

/// A name goes into messages, logs and answers, which are texts.
Status check_text(std::string_view name, std::string_view text) {
  if (text.size() <= kMaxNameBytes && text.find('\0') == std::string_view::npos && is_utf8(text)) return {};
  return fail(Code::invalid_argument, std::string(name) + " has more than " + std::to_string(kMaxNameBytes) +
                                          " bytes, or a NUL, or is no UTF-8");
}

/// Whether the answer is the proof; else the job's id is.
Result<bool> waits_for_proof(const HttpRequest& request) {
  const std::string_view text = request.query_or_empty("wait");
  if (text == "0") return false;
  if (text.empty() || text == "1") return true;
  return fail(Code::invalid_argument, "wait is 0 or 1");
}

/// All but the body.
Result<Submission> submission_of(const HttpRequest& request) {
  Submission submission;
  submission.label = request.query_or_empty("label");
  CUZK_CHECK_OK(check_text("label", submission.label));
  if (const std::string_view text = request.query_or_empty("priority"); !text.empty()) {
    submission.priority = parse_priority(text);
    if (!submission.priority) return fail(Code::invalid_argument, "priority is low, normal, high or critical");
  }
  if (const std::string_view text = request.query_or_empty("deadline_ms"); !text.empty()) {
    const auto ms = number_of(text);
    if (!ms) return fail(Code::invalid_argument, "deadline_ms is no number of milliseconds");
    submission.deadline = bounded_ms(*ms);
  }
  CircomWork work;
  work.key = request.query_or_empty("key");
  if (work.key.empty()) return fail(Code::invalid_argument, "key is missing: the id of a registered key");
  CUZK_CHECK_OK(check_text("key", work.key));
  submission.work = std::move(work);
  return submission;
}

// What is answered.

std::string job_id_json(const std::string& job_id) {
  JsonWriter json;
  json.begin_object().key("job_id").string(job_id).end_object();
  return json.take();
}

/// {"job_id": ..., and `members`, which is JSON}
std::string with_job_id(const std::string& job_id, std::string_view members) {
  std::string text = job_id_json(job_id);
  text.pop_back();
  return text + "," + std::string(members) + "}";
}

/// ,"notes":[...] where there are any
std::string notes_member(const std::vector<std::string>& notes) {
  if (notes.empty()) return "";
  JsonWriter json;
  json.begin_array();
  for (const std::string& note : notes) json.string(note);
  json.end_array();
  return ",\"notes\":" + json.take();
}

HttpReply proof_reply(const std::string& job_id, const std::string& kind, const engine::JobResult& result) {
  const std::string notes = notes_member(result.notes);
  if (kind != engine::kCircomKind) {
    return json_reply(with_job_id(job_id, "\"proof_hex\":\"" + encode_hex(result.proof) + "\"" + notes));
  }
  const auto documents = engine::split_circom_result(result.proof);
  if (!documents) return http_error(documents.error());
  return json_reply(
      with_job_id(job_id, "\"proof\":" + documents->proof_json + ",\"public\":" + documents->public_json + notes));
}

/// How a job without a proof is told: whose fault it is decides.
int failure_status(const engine::JobResult& result) {
  if (result.state == engine::JobState::cancelled) return 409;
  if (result.code == Code::not_found) return 404;  // no such key
  if (result.failure == store::FailureClass::caller) return 422;
  return result.failure == store::FailureClass::transient ? 503 : 500;
}

HttpReply failure_reply(const std::string& job_id, const engine::JobResult& result) {
  JsonWriter json;
  json.begin_object().key("code").string(to_string(result.code)).key("kind").string("");
  json.key("message").string(result.error).key("job_id").string(job_id);
  json.key("state").string(store::to_string(result.state)).key("failure");
  result.failure ? json.string(store::to_string(*result.failure)) : json.null();
  json.end_object();
  return json_reply(json.take(), failure_status(result));
}

HttpReply accepted_reply(const std::string& job_id) { return json_reply(job_id_json(job_id), 202); }

const web::File* find_file(std::string_view name) {
  const auto files = web::files();
  const auto found = std::ranges::find(files, name, &web::File::name);
  return found == files.end() ? nullptr : &*found;
}

HttpReply file_reply(const HttpRequest& request, const web::File& file) {
  const std::string tag = "\"" + std::string(file.tag) + "\"";
  HttpReply reply{200, std::string(file.type), "", page_headers()};
  reply.headers.emplace_back("ETag", tag);
  const std::string_view known = request.header_or_empty("if-none-match");
  if (known == "*" || known.find(tag) != std::string_view::npos) {
    reply.status = 304;
  } else {
    reply.body = file.content;
  }
  return reply;
}

}  // namespace

HttpPages::HttpPages(ProvingService& proving, HttpPagesOptions options)
    : proving_(proving),
      options_(std::move(options)),
      token_(options_.token),
      names_(names_of_machine(options_.host)),
      grace_(options_.orphan_grace) {}

void HttpPages::set_warnings(std::vector<std::string> warnings) {
  const MutexLock lock(mutex_);
  warnings_ = std::move(warnings);
}

void HttpPages::set_not_ready(std::string why) {
  const MutexLock lock(mutex_);
  why_not_ready_ = std::move(why);
}

ServiceFacts HttpPages::facts() const {
  const MutexLock lock(mutex_);
  return {CUZK_VERSION, ready_, warnings_};
}

HttpReply HttpPages::answer(const HttpRequest& request, HttpClient& client) {
  if (!request.path.empty() && request.path[0] == "v1") return api(request, client);
  if (request.method != "GET") return wrong_method("GET, HEAD");
  if (request.path.size() != 1) return no_such_page();
  const std::string& name = request.path[0];
  if (name == "status") {
    HttpReply reply = json_reply(status_json(proving_.snapshot(), facts()));
    reply.headers.emplace_back("Access-Control-Allow-Origin", "*");
    return reply;
  }
  if (name == "metrics")
    return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_text(proving_.snapshot()), {}};
  if (name == "healthz") return text_reply(200, "ok\n");
  if (name == "readyz") return readiness();
  if (name == "timeline") return timeline(request);
  const web::File* const file = find_file(name.empty() ? "index.html" : name);
  return file == nullptr ? no_such_page() : file_reply(request, *file);
}

HttpReply HttpPages::readiness() const {
  if (!ready_) {
    const MutexLock lock(mutex_);
    return text_reply(503, "not ready: " + why_not_ready_ + "\n");
  }
  if (!proving_.snapshot().accepting) return text_reply(503, "not ready: stopping\n");
  return text_reply(200, "ready\n");
}

HttpReply HttpPages::timeline(const HttpRequest& request) {
  const std::string_view job_id = request.query_or_empty("job");
  if (job_id.empty()) {
    const std::vector<engine::JobStatus> jobs = proving_.list();
    return json_reply(trace_json(shown_jobs(jobs, kTracedEndedJobs), monotonic_ns()));
  }
  const auto job = proving_.find(job_id);
  if (!job) return http_error(job.error());
  const engine::JobStatus status = (*job)->status();
  return json_reply(trace_json({&status}, monotonic_ns()));
}

HttpReply HttpPages::api(const HttpRequest& request, HttpClient& client) {
  if (!options_.serves_api) {
    return http_error(403, Error(Code::unsupported,
                                 "proofs are not taken over HTTP here, because gRPC is not as open; "
                                 "daemon.token_file or daemon.http_proving allows it"));
  }
  if (auto refusal = refuse_other_origins(request)) return *std::move(refusal);
  const bool wants_token = token_.is_wanted() && !request.trusted;
  if (auto refusal = wants_token       ? refuse_without_token(request, token_)
                     : request.trusted ? std::nullopt
                                       : refuse_other_hosts(request, names_)) {
    return *std::move(refusal);
  }
  if (request.path.size() == 2 && request.path[1] == "prove") {
    return request.method == "POST" ? prove(request, client) : wrong_method("POST");
  }
  if (request.path.size() < 2 || request.path[1] != "jobs") return no_such_page();
  return jobs(request);
}

HttpReply HttpPages::jobs(const HttpRequest& request) {
  const std::size_t depth = request.path.size();
  if (depth == 2) {
    return request.method == "GET" ? json_reply(jobs_json(proving_.list(), monotonic_ns())) : wrong_method("GET, HEAD");
  }
  if (depth == 3) return job(request);
  if (depth != 4 || request.path[3] != "result") return no_such_page();
  return request.method == "GET" ? result(request.path[2]) : wrong_method("GET, HEAD");
}

HttpReply HttpPages::job(const HttpRequest& request) {
  const std::string& job_id = request.path[2];
  if (request.method == "GET") {
    const auto found = proving_.find(job_id);
    return found ? json_reply(job_json((*found)->status(), monotonic_ns())) : http_error(found.error());
  }
  if (request.method != "DELETE") return wrong_method("GET, HEAD, DELETE");
  const auto was_open = proving_.cancel(job_id);
  if (!was_open) return http_error(was_open.error());
  return json_reply(with_job_id(job_id, *was_open ? "\"was_open\":true" : "\"was_open\":false"));
}

HttpReply HttpPages::result(const std::string& job_id) {
  const auto job = proving_.find(job_id);
  if (!job) return http_error(job.error());
  const auto result = (*job)->await(Deadline::after(std::chrono::nanoseconds(0)), {});
  if (result) return ended(**job, **result);
  return result.error().code() == Code::deadline ? accepted_reply((*job)->job_id()) : http_error(result.error());
}

HttpReply HttpPages::ended(const ServedJob& job, const engine::JobResult& result) {
  if (result.state != engine::JobState::completed) {
    HttpReply reply = failure_reply(job.job_id(), result);
    return result.code == Code::unavailable ? with_retry_delay(std::move(reply)) : reply;
  }
  HttpReply reply = proof_reply(job.job_id(), job.status().kind, result);
  if (reply.status == 200) proving_.mark_delivered(job);
  return reply;
}

HttpReply HttpPages::prove(const HttpRequest& request, HttpClient& client) {
  if (auto refusal = refuse_other_types(request)) return *std::move(refusal);
  auto length = body_length(request);
  if (auto* const refusal = std::get_if<HttpReply>(&length)) return std::move(*refusal);
  const std::uint64_t bytes = std::get<std::uint64_t>(length);
  if (bytes > options_.max_body_bytes) {
    return http_error(413, Error(Code::exhausted, "the body has " + std::to_string(bytes) + " bytes, at most " +
                                                      std::to_string(options_.max_body_bytes) + " are accepted"));
  }
  auto submission = submission_of(request);
  if (!submission) return http_error(submission.error());
  const auto waits = waits_for_proof(request);
  if (!waits) return http_error(waits.error());
  submission->orphan_grace = *waits ? grace_.load() : std::chrono::milliseconds(0);

  auto room = proving_.receive(bytes);
  if (!room) return refusal(room.error());
  submission->room = *std::move(room);
  auto body = client.read_body(bytes);
  if (!body) return http_error(body.error().code() == Code::deadline ? 408 : 503, body.error());
  std::get<CircomWork>(submission->work).wtns = *std::move(body);
  const auto job = proving_.submit(*std::move(submission));
  if (!job) return refusal(job.error());
  return *waits ? wait_for(**job, client) : accepted_reply((*job)->job_id());
}

HttpReply HttpPages::with_retry_delay(HttpReply reply) const {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(proving_.retry_delay()).count();
  reply.headers.emplace_back("Retry-After", std::to_string(seconds));
  return reply;
}

HttpReply HttpPages::refusal(const Error& error) const {
  const bool helps = error.code() == Code::exhausted || error.code() == Code::unavailable;
  return helps ? with_retry_delay(http_error(error)) : http_error(error);
}

HttpReply HttpPages::wait_for(const ServedJob& job, HttpClient& client) {
  constexpr auto kLook = std::chrono::milliseconds(250);
  while (true) {
    const auto result = job.await(Deadline::after(kLook), client.stop());
    if (result) return ended(job, **result);
    if (result.error().code() != Code::deadline) return with_retry_delay(http_error(503, result.error()));
    if (!client.is_there()) return http_error(503, Error(Code::cancelled, "the client has gone"));
  }
}

}  // namespace cuzk::server
