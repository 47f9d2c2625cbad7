#include "server/http_server.h"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "busy_snapshot.h"
#include "fake_proving.h"
#include "http_client.h"
#include "prometheus_text.h"
#include "tests/support/eventually.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::server {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kResult = R"({"proof":{"pi_a":["1"]},"public":["33"]})";

class HttpServerTest : public testing::Test {
 protected:
  void start(HttpOptions options = {}) {
    if (!options.listen.is_unix()) options.listen.host = "127.0.0.1";
    auto started = HttpServer::start(proving_, options);
    ASSERT_TRUE(started) << started.error().to_string();
    server_ = *std::move(started);
  }
  static HttpOptions with_token() {
    HttpOptions options;
    options.pages.token = "secret%41";
    return options;
  }
  static HttpOptions impatient() {
    HttpOptions options;
    options.patience = std::chrono::milliseconds(200);
    return options;
  }

  const ListenAddress& at() const { return server_->address(); }
  HttpAnswer get(std::string_view target, std::string_view headers = "Host: localhost\r\n") {
    return http(at(), "GET", target, headers);
  }
  HttpAnswer remove(std::string_view target, std::string_view headers) { return http(at(), "DELETE", target, headers); }
  HttpAnswer post(std::string_view target, std::string_view body, std::string_view headers = "Host: localhost\r\n") {
    return http(at(), "POST", target,
                std::string(headers) +
                    "Content-Type: application/octet-stream\r\nContent-Length: " + std::to_string(body.size()) + "\r\n",
                body);
  }
  /// Jobs of circom that end as they come.
  void prove_at_once() {
    proving_.on_job = [](FakeJob& job) {
      job.change([](engine::JobStatus& status) { status.kind = "circom"; });
      job.complete(kResult);
    };
  }

  FakeProving proving_;
  std::unique_ptr<HttpServer> server_;
};

// Pages for people and pollers.

TEST_F(HttpServerTest, TellsItsStatus) {
  start();
  server_->set_warnings({"all may use it"});
  const HttpAnswer answer = get("/status?now=1");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(answer.header("Content-Type"), "application/json");
  EXPECT_EQ(answer.header("Connection"), "close");
  const Json status = Json::parse(answer.body);
  EXPECT_EQ(status["warnings"], Json({"all may use it"}));
  EXPECT_EQ(status["ready"], false);
}

TEST_F(HttpServerTest, TellsItsMetrics) {
  proving_.shown = busy_snapshot();
  start();
  const HttpAnswer answer = get("/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(PrometheusText(answer.body).value("cuzk_proofs_completed_total"), 7);
}

TEST_F(HttpServerTest, IsReadyWhenItIsSaid) {
  start();
  EXPECT_EQ(get("/healthz").status, 200);
  EXPECT_EQ(get("/readyz").status, 503);
  server_->set_not_ready("porep-2k is not preloaded: no key");
  EXPECT_EQ(get("/readyz").body, "not ready: porep-2k is not preloaded: no key\n");
  server_->set_ready(true);
  EXPECT_EQ(get("/readyz").status, 200);
  proving_.shown.accepting = false;
  EXPECT_EQ(get("/readyz").status, 503);
}

TEST_F(HttpServerTest, ServesTheDashboard) {
  start();
  const HttpAnswer page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.body.starts_with("<!doctype html>"));
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.header("Access-Control-Allow-Origin"), "");
  EXPECT_NE(page.header("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(get("/index.html").body, page.body);

  const HttpAnswer known = get("/", "Host: x\r\nIf-None-Match: " + page.header("ETag") + "\r\n");
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body, "");
  EXPECT_EQ(get("/", "Host: x\r\nIf-None-Match: \"other\"\r\n").status, 200);
}

TEST_F(HttpServerTest, TracesOneJobOrAll) {
  start();
  const auto a = proving_.submit({"a", CircomWork{"k", {}}, {}});
  const auto b = proving_.submit({"b/c d", CircomWork{"k", {}}, {}});
  ASSERT_TRUE(a && b);
  const auto jobs_of = [](const HttpAnswer& answer) {
    int jobs = 0;
    const Json trace = Json::parse(answer.body);
    for (const Json& event : trace["traceEvents"]) jobs += event["name"] == "process_name" ? 1 : 0;
    return jobs;
  };
  EXPECT_EQ(jobs_of(get("/timeline")), 2);
  EXPECT_EQ(jobs_of(get("/timeline?job=b%2Fc%20d")), 1);
  EXPECT_EQ(get("/timeline?job=none").status, 404);
}

TEST_F(HttpServerTest, WhatIsNotThereIsNotFound) {
  start();
  for (const char* target : {"/nothing", "/status/", "/status/x", "/../etc/passwd", "/%2e%2e/etc/passwd", "/v1", "/v1/",
                             "/v1/jobs/a/other", "/v1/jobs/a/result/b", "//"}) {
    const HttpAnswer answer = get(target);
    EXPECT_EQ(answer.status, 404) << target;
    EXPECT_EQ(Json::parse(answer.body)["code"], "not_found") << target;
  }
}

TEST_F(HttpServerTest, MethodsAreThoseOfThePage) {
  start();
  for (const char* target : {"/status", "/metrics", "/", "/timeline", "/healthz"}) {
    const HttpAnswer answer = http(at(), "POST", target, "Host: localhost\r\nContent-Length: 0\r\n");
    EXPECT_EQ(answer.status, 405) << target;
    EXPECT_EQ(answer.header("Allow"), "GET, HEAD") << target;
  }
  EXPECT_EQ(get("/v1/prove?key=k").header("Allow"), "POST");
  EXPECT_EQ(remove("/v1/jobs", "Host: localhost\r\n").header("Allow"), "GET, HEAD");
  EXPECT_EQ(http(at(), "OPTIONS", "/v1/prove").status, 405);
  EXPECT_EQ(http(at(), "HEAD", "/status").body, "");
}

// Proving.

TEST_F(HttpServerTest, ProvesAWitness) {
  start();
  prove_at_once();
  const HttpAnswer answer = post("/v1/prove?key=multiplier&label=mine&priority=high&deadline_ms=90000", "wtns....");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"job_id":"mine","proof":{"pi_a":["1"]},"public":["33"]})");
  const Submission taken = proving_.submissions().at(0);
  const auto& work = std::get<CircomWork>(taken.work);
  EXPECT_EQ(work.key, "multiplier");
  EXPECT_EQ(bytes_text(work.wtns.bytes), "wtns....");
  EXPECT_EQ(taken.priority, engine::Priority::high);
  EXPECT_EQ(taken.deadline, std::chrono::seconds(90));
  EXPECT_EQ(taken.orphan_grace, std::chrono::minutes(5));
  EXPECT_EQ(proving_.delivered, std::vector<std::string>{"mine"});
}

TEST_F(HttpServerTest, AWitnessMayComeInPieces) {
  start();
  prove_at_once();
  const std::string body(300'000, 'w');
  RawHttpClient client(at());
  client.send("POST /v1/prove?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n");
  client.send("Content-Length: 300000\r\n\r\n" + body.substr(0, 7));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  client.send(body.substr(7));
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_EQ(std::get<CircomWork>(proving_.submissions().at(0).work).wtns.bytes.size(), body.size());
}

TEST_F(HttpServerTest, WhoExpectsToBeAskedIsAsked) {
  start();
  prove_at_once();
  RawHttpClient client(at());
  client.send(
      "POST /v1/prove?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
      "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("wtns");
  EXPECT_EQ(client.answer().status, 200);
}

TEST_F(HttpServerTest, AnswersAtOnceWhoDoesNotWait) {
  start();
  const HttpAnswer accepted = post("/v1/prove?key=k&label=j&wait=0", "wtns");
  EXPECT_EQ(accepted.status, 202);
  EXPECT_EQ(accepted.body, R"({"job_id":"j"})");
  EXPECT_EQ(proving_.submissions().at(0).orphan_grace, std::chrono::milliseconds(0));
  EXPECT_EQ(get("/v1/jobs/j/result").status, 202);
  EXPECT_EQ(Json::parse(get("/v1/jobs/j").body)["state"], "accepted");
  EXPECT_EQ(Json::parse(get("/v1/jobs").body)["jobs"].size(), 1U);

  proving_.job(0)->change([](engine::JobStatus& status) { status.kind = "circom"; });
  proving_.job(0)->complete(kResult);
  const HttpAnswer result = get("/v1/jobs/j/result");
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(Json::parse(result.body)["public"], Json({"33"}));
}

TEST_F(HttpServerTest, OtherProofsAreBytes) {
  start();
  post("/v1/prove?key=k&label=j&wait=0", "wtns");
  proving_.job(0)->change([](engine::JobStatus& status) { status.kind = "porep-c2"; });
  proving_.job(0)->complete("\x01\xab");
  EXPECT_EQ(get("/v1/jobs/j/result").body, R"({"job_id":"j","proof_hex":"01ab"})");
}

TEST_F(HttpServerTest, WhatWentOtherwiseIsNoted) {
  start();
  proving_.on_job = [](FakeJob& job) {
    engine::JobResult result;
    result.state = engine::JobState::completed;
    result.notes = {"partition 0: attempt 1 on \"H200\" failed"};
    job.end(std::move(result));
  };
  EXPECT_EQ(Json::parse(post("/v1/prove?key=k&label=j", "wtns").body),
            Json::parse(R"({"job_id": "j", "proof_hex": "", "notes": ["partition 0: attempt 1 on \"H200\" failed"]})"));
}

TEST_F(HttpServerTest, JobsCanBeCancelled) {
  start();
  post("/v1/prove?key=k&label=a%2Fb&wait=0", "wtns");
  EXPECT_EQ(remove("/v1/jobs/a%2Fb", "Host: localhost\r\n").body, R"({"job_id":"a/b","was_open":true})");
  EXPECT_EQ(remove("/v1/jobs/a%2Fb", "Host: localhost\r\n").body, R"({"job_id":"a/b","was_open":false})");
  EXPECT_EQ(get("/v1/jobs/a%2Fb/result").status, 409);
  EXPECT_EQ(remove("/v1/jobs/none", "Host: localhost\r\n").status, 404);
  EXPECT_EQ(get("/v1/jobs/none").status, 404);
  EXPECT_EQ(get("/v1/jobs/none/result").status, 404);
}

TEST_F(HttpServerTest, FailuresSayWhoseFaultTheyAre) {
  start();
  using store::FailureClass;
  const auto failed = [](FailureClass failure, Code code) {
    engine::JobResult result;
    result.failure = failure;
    result.code = code;
    result.error = "why";
    return result;
  };
  for (const auto& [failure, code, status] :
       {std::tuple{FailureClass::caller, Code::unsatisfied, 422},
        std::tuple{FailureClass::caller, Code::malformed, 422}, std::tuple{FailureClass::transient, Code::device, 503},
        std::tuple{FailureClass::defect, Code::internal, 500}}) {
    proving_.on_job = [&, failure = failure, code = code](FakeJob& job) { job.end(failed(failure, code)); };
    const HttpAnswer answer = post("/v1/prove?key=k&label=j", "wtns");
    EXPECT_EQ(answer.status, status);
    const Json body = Json::parse(answer.body);
    EXPECT_EQ(body["message"], "why");
    EXPECT_EQ(body["code"], to_string(code));
    EXPECT_EQ(body["failure"], store::to_string(failure));
  }
  EXPECT_TRUE(proving_.delivered.empty());
}

TEST_F(HttpServerTest, RefusalsOfTheEngineHaveTheirStatus) {
  start();
  for (const auto& [code, status] : {std::pair{Code::exhausted, 503}, std::pair{Code::not_found, 404},
                                     std::pair{Code::conflict, 409}, std::pair{Code::unavailable, 503}}) {
    proving_.refuse = code;
    const HttpAnswer answer = post("/v1/prove?key=k", "wtns");
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.header("Retry-After"), status == 503 ? "3" : "") << status;  // 2.5 s
  }
}

TEST_F(HttpServerTest, RequestsSayWhatTheyLack) {
  start();
  EXPECT_EQ(post("/v1/prove", "wtns").status, 400);
  EXPECT_EQ(post("/v1/prove?key=k&priority=urgent", "wtns").status, 400);
  EXPECT_EQ(post("/v1/prove?key=k&deadline_ms=-1", "wtns").status, 400);
  EXPECT_EQ(post("/v1/prove?key=k&deadline_ms=5m", "wtns").status, 400);
  EXPECT_EQ(post("/v1/prove?key=k&wait=no", "wtns").status, 400);
  EXPECT_EQ(post("/v1/prove?key=k&label=" + std::string(1025, 'x'), "wtns").status, 400);
  EXPECT_EQ(post("/v1/prove?key=k&label=a%00b", "wtns").status, 400);
  EXPECT_EQ(post("/v1/prove?key=k&label=a%FFb", "wtns").status, 400);  // no text: nobody could list it
  EXPECT_EQ(post("/v1/prove?key=%C3%28", "wtns").status, 400);
  EXPECT_EQ(post("/v1/prove?key=" + std::string(1025, 'x'), "wtns").status, 400);
  const std::string host = "Host: localhost\r\n";
  const std::string type = "Content-Type: application/octet-stream\r\n";
  EXPECT_EQ(http(at(), "POST", "/v1/prove?key=k", host + type).status, 411);
  EXPECT_EQ(http(at(), "POST", "/v1/prove?key=k", host + type + "Transfer-Encoding: chunked\r\n").status, 411);
  EXPECT_EQ(http(at(), "POST", "/v1/prove?key=k", host + "Content-Length: 0\r\n").status, 415);
  EXPECT_EQ(
      http(at(), "POST", "/v1/prove?key=k", host + type + "Content-Length: 0\r\nContent-Encoding: gzip\r\n").status,
      415);
  for (const char* length : {"-1", "1x", "99999999999999999999", "0x10", ""}) {
    const HttpAnswer answer = http(at(), "POST", "/v1/prove?key=k", host + type + "Content-Length: " + length + "\r\n");
    EXPECT_TRUE(answer.status == 400 || answer.status == 411) << length << answer.status;
  }
  EXPECT_TRUE(proving_.submissions().empty());
}

// Who may prove.

TEST_F(HttpServerTest, WhereATokenIsWantedOnlyPagesForPeopleGoWithout) {
  start(with_token());
  for (const char* target : {"/v1/jobs", "/v1/jobs/a", "/v1/jobs/a/result"}) {
    EXPECT_EQ(get(target).status, 401) << target;
    EXPECT_EQ(get(target).header("WWW-Authenticate"), "Bearer");
  }
  EXPECT_EQ(post("/v1/prove?key=k", "wtns").status, 401);
  EXPECT_EQ(remove("/v1/jobs/a", "Host: localhost\r\nAuthorization: Bearer wrong\r\n").status, 401);
  EXPECT_EQ(remove("/v1/jobs/a", "Host: localhost\r\nAuthorization: Basic secret%41\r\n").status, 401);
  EXPECT_EQ(remove("/v1/jobs/a", "Host: localhost\r\nAuthorization: Bearer secretA\r\n").status, 401);
  EXPECT_EQ(remove("/v1/jobs/a", "Host: localhost\r\nAuthorization: Bearer secret%41\r\n").status, 404);
  // A proxy in front has a name of its own.
  EXPECT_EQ(get("/v1/jobs", "Host: prover.example\r\nauthorization: bearer secret%41\r\n").status, 200);
  for (const char* target : {"/status", "/metrics", "/timeline", "/", "/healthz"}) {
    EXPECT_EQ(get(target).status, 200) << target;
  }
}

TEST_F(HttpServerTest, PagesOfOtherOriginsMayNotProve) {
  start();
  prove_at_once();
  for (const char* headers :
       {"Host: localhost:1\r\nOrigin: http://evil.example\r\n", "Host: localhost:1\r\nOrigin: null\r\n",
        "Host: localhost:1\r\nOrigin: http://localhost:2\r\n", "Host: localhost:1\r\nSec-Fetch-Site: cross-site\r\n",
        "Host: localhost:1\r\nSec-Fetch-Site: same-site\r\n",
        "Host: evil.example:1\r\nOrigin: http://evil.example:1\r\n", "Host: evil.example\r\n", "Host: [evil\r\n",
        "Host: \r\n", ""}) {
    EXPECT_EQ(post("/v1/prove?key=k", "wtns", headers).status, 403) << headers;
    EXPECT_EQ(remove("/v1/jobs/a", headers).status, 403) << headers;
    EXPECT_EQ(get("/v1/jobs", headers).status, 403) << headers;
  }
  EXPECT_TRUE(proving_.submissions().empty());
  for (const char* headers :
       {"Host: localhost:1\r\nOrigin: http://localhost:1\r\n", "Host: LOCALHOST:1\r\n", "Host: 127.0.0.1:9\r\n",
        "Host: [::1]:9\r\n", "Host: 10.0.0.7\r\nSec-Fetch-Site: same-origin\r\nOrigin: http://10.0.0.7\r\n"}) {
    EXPECT_EQ(post("/v1/prove?key=k", "wtns", headers).status, 200) << headers;
  }
}

TEST_F(HttpServerTest, OnlyTheStatusIsForPagesOfOthers) {
  start();
  for (const char* target : {"/metrics", "/timeline", "/", "/v1/jobs", "/healthz"}) {
    EXPECT_EQ(get(target).header("Access-Control-Allow-Origin"), "") << target;
  }
}

TEST_F(HttpServerTest, AUnixSocketNeedsNoToken) {
  const test::TemporaryFolder folder;
  HttpOptions options = with_token();
  options.listen.socket = folder.file("http.sock");
  start(options);
  EXPECT_EQ(server_->address().to_string(), "unix://" + options.listen.socket);
  EXPECT_EQ(get("/v1/jobs", "Host: anything\r\n").status, 200);
  EXPECT_FALSE(HttpServer::start(proving_, options));
}

// Hostile clients.

TEST_F(HttpServerTest, ABodyTooLargeIsRefusedUnread) {
  HttpOptions options;
  options.pages.max_body_bytes = 1000;
  start(options);
  RawHttpClient client(at());
  client.send(
      "POST /v1/prove?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
      "Content-Length: 1001\r\n\r\n");
  const HttpAnswer answer = client.answer();  // none of the body was sent
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(Json::parse(answer.body)["code"], "exhausted");
}

// The refusal arrives although the client goes on sending.
TEST_F(HttpServerTest, WhoSendsOnHearsTheRefusal) {
  HttpOptions options;
  options.pages.max_body_bytes = 1000;
  start(options);
  const HttpAnswer answer = post("/v1/prove?key=k", std::string(2'000'000, 'x'));
  EXPECT_EQ(answer.status, 413);
}

TEST_F(HttpServerTest, ABodyNeedsRoomBeforeItIsRead) {
  start();
  proving_.room = 999;
  RawHttpClient client(at());
  client.send(
      "POST /v1/prove?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
      "Content-Length: 1000\r\n\r\n");
  const HttpAnswer answer = client.answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("Retry-After"), "3");
  EXPECT_EQ(Json::parse(answer.body)["code"], "exhausted");
  EXPECT_EQ(proving_.received, std::vector<std::uint64_t>{1000});
  EXPECT_EQ(post("/v1/prove?key=k&wait=0", std::string(999, 'x')).status, 202);
}

TEST_F(HttpServerTest, HeadsAreBounded) {
  start();
  const std::string many = [] {
    std::string text = "Host: localhost\r\n";
    for (int i = 0; i < 2000; ++i) text += "X-" + std::to_string(i) + ": value\r\n";
    return text;
  }();
  EXPECT_EQ(get("/status", many).status, 431);
  EXPECT_EQ(get("/status", "X: " + std::string(100'000, 'x') + "\r\n").status, 431);
  EXPECT_EQ(get("/" + std::string(100'000, 'x')).status, 431);
  EXPECT_EQ(get("/" + std::string(10'000, 'x')).status, 414);
  EXPECT_EQ(get("/status", "Host: localhost\nX: y\r\n").status, 400);
  EXPECT_EQ(get("/status", "Origin : http://elsewhere\r\n").status, 400);
  EXPECT_EQ(get("/status", "X: y\r\n Origin: http://elsewhere\r\n").status, 400);
  EXPECT_EQ(get("/status", "no header\r\n").status, 400);
  EXPECT_EQ(get("/status", std::string_view("X: a\0b\r\n", 8)).status, 400);
  EXPECT_EQ(get("/status").status, 200);
}

TEST_F(HttpServerTest, SlowHeadsEnd) {
  start(impatient());
  RawHttpClient client(at());
  EXPECT_TRUE(test::eventually([&] { return !client.send("G"); }));
  RawHttpClient silent(at());
  EXPECT_EQ(silent.answer().status, 408);
}

TEST_F(HttpServerTest, SlowBodiesEnd) {
  start(impatient());
  RawHttpClient client(at());
  client.send(
      "POST /v1/prove?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
      "Content-Length: 100\r\n\r\nhalf");
  EXPECT_EQ(client.answer().status, 408);
  EXPECT_TRUE(proving_.submissions().empty());
}

TEST_F(HttpServerTest, ALargeBodyIsNotWaitedForLonger) {
  HttpOptions options = impatient();
  options.pages.max_body_bytes = std::uint64_t{1} << 28;
  start(options);
  RawHttpClient client(at());
  client.send(
      "POST /v1/prove?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
      "Content-Length: 268435456\r\n\r\nhalf");
  EXPECT_EQ(client.answer().status, 408);
}

TEST_F(HttpServerTest, WhoDoesNotReadIsLetGo) {
  for (int i = 0; i < 6000; ++i) proving_.shown.jobs.push_back(running_job("job " + std::to_string(i)));
  HttpOptions options;
  options.patience = std::chrono::milliseconds(20);
  start(options);
  std::optional<RawHttpClient> client;
  EXPECT_TRUE(test::eventually([&] {  // whose request comes within that short patience
    client.emplace(at());
    client->send("GET /status HTTP/1.1\r\nHost: x\r\n\r\n");
    return client->receive_until("HTTP/1.1 200").starts_with("HTTP/1.1 200");
  }));
  server_->stop(Deadline::never());                   // waits for the request that runs
  EXPECT_FALSE(Json::accept(client->answer().body));  // cut off
}

TEST_F(HttpServerTest, ConnectionsAreBounded) {
  HttpOptions options;
  options.max_connections = 4;
  start(options);
  std::vector<std::unique_ptr<RawHttpClient>> idle;
  for (int i = 0; i < 4; ++i) idle.push_back(std::make_unique<RawHttpClient>(at()));
  HttpAnswer refused;
  const auto is_refused = [&] {  // when all four are accepted
    refused = get("/healthz");
    return refused.status == 503;
  };
  ASSERT_TRUE(test::eventually(is_refused));
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(Json::parse(refused.body)["code"], "exhausted");
  idle.clear();
  EXPECT_TRUE(test::eventually([&] { return get("/healthz").status == 200; }));
}

TEST_F(HttpServerTest, WhatFollowsTheRequestIsNotRead) {
  start();
  RawHttpClient client(at());
  client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /status HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.answer().body, "ok\n");
}

TEST_F(HttpServerTest, NoiseIsNoRequest) {
  start();
  for (const std::string_view noise :
       {std::string_view("\x16\x03\x01\x02\x00\r\n\r\n", 9), std::string_view("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        std::string_view("GET http://localhost/status HTTP/1.1\r\n\r\n"), std::string_view("\r\n\r\n")}) {
    RawHttpClient client(at());
    client.send(noise);
    EXPECT_EQ(client.answer().status, 400) << noise;
  }
  RawHttpClient gone(at());
  gone.send("GET /status HT");
  gone.close();
  EXPECT_EQ(get("/healthz").status, 200);
}

// Ends.

TEST_F(HttpServerTest, WhoLeavesIsNotWaitedFor) {
  HttpOptions options;
  options.max_connections = 1;
  start(options);
  {
    RawHttpClient client(at());
    client.send(
        "POST /v1/prove?key=k&label=j HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
        "Content-Length: 4\r\n\r\nwtns");
    proving_.job(0);
  }
  EXPECT_TRUE(test::eventually([&] { return get("/healthz").status == 200; })) << "the only thread is free";
  EXPECT_TRUE(proving_.job(0)->status().is_open());
}

TEST_F(HttpServerTest, StopsWithinItsDeadline) {
  const test::TemporaryFolder folder;
  HttpOptions options;
  options.listen.socket = folder.file("http.sock");  // a port might be another's as soon as it is free
  start(options);
  RawHttpClient waiting(at());
  waiting.send(
      "POST /v1/prove?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
      "Content-Length: 4\r\n\r\nwtns");
  proving_.job(0);
  const ListenAddress address = at();
  server_->stop(Deadline::after(std::chrono::milliseconds(50)));
  EXPECT_FALSE(RawHttpClient(address).connected());
  EXPECT_TRUE(proving_.job(0)->status().is_open());
  server_->stop(Deadline::never());
  server_.reset();
}

TEST_F(HttpServerTest, StoppingWaitsForRequestsThatRun) {
  start();
  RawHttpClient waiting(at());
  waiting.send(
      "POST /v1/prove?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
      "Content-Length: 4\r\n\r\nwtns");
  const auto job = proving_.job(0);
  job->change([](engine::JobStatus& status) { status.kind = "circom"; });
  std::jthread stopper([&] { server_->stop(Deadline::after(std::chrono::seconds(60))); });
  job->complete(kResult);
  EXPECT_EQ(waiting.answer().status, 200);
}

TEST_F(HttpServerTest, AnAddressInUseIsAConflict) {
  start();
  HttpOptions options;
  options.listen = at();
  const auto second = HttpServer::start(proving_, options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), Code::conflict);
  EXPECT_NE(second.error().to_string().find(at().to_string()), std::string::npos);
  options.listen.host = "no-such-host.invalid";
  const auto nowhere = HttpServer::start(proving_, options);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code(), Code::not_found);
}

TEST_F(HttpServerTest, ProofsMayBeLeftToGrpc) {
  HttpOptions options;
  options.pages.serves_api = false;
  start(options);
  EXPECT_EQ(post("/v1/prove?key=a", "w").status, 403);
  EXPECT_NE(get("/v1/jobs").body.find("daemon.http_proving"), std::string::npos);
  EXPECT_EQ(get("/status").status, 200);
}

struct Access {
  const char* http;
  const char* grpc;
  bool token, certificates;
  unsigned mode;
  bool is_as_open;
};
constexpr Access kAccess[] = {
    {"127.0.0.1:1", "unix:///s", false, false, 0660, false},
    {"127.0.0.1:1", "unix:///s", false, false, 0666, true},
    {"0.0.0.0:1", "unix:///s", false, false, 0666, false},
    {"127.0.0.1:1", "127.0.0.1:2", false, false, 0660, true},
    {"127.0.0.1:1", "0.0.0.0:2", false, false, 0660, true},
    {"0.0.0.0:1", "127.0.0.1:2", false, false, 0660, false},
    {"0.0.0.0:1", "0.0.0.0:2", false, false, 0660, true},
    {"127.0.0.1:1", "0.0.0.0:2", false, true, 0660, false},
    {"0.0.0.0:1", "0.0.0.0:2", false, true, 0660, false},
    {"0.0.0.0:1", "unix:///s", true, false, 0660, true},  // it wants the token too
};

HttpOptions options_of(const Access& access, HttpProving proving) {
  Config config;
  config.daemon.status_listen = access.http;
  config.daemon.http_proving = proving;
  GrpcOptions grpc;
  grpc.listen = {test::must(parse_listen_address(access.grpc))};
  grpc.socket_mode = access.mode;
  if (access.token) grpc.service.token = "t";
  if (access.certificates) grpc.tls_client_ca = "c";
  return test::must(http_options(config, grpc)).value();
}

TEST(HttpOptionsTest, HttpIsNoWayAroundTheRulesOfGrpc) {
  for (const Access& access : kAccess) {
    const std::string what = std::string(access.http) + " and " + access.grpc;
    EXPECT_EQ(options_of(access, HttpProving::as_grpc).pages.serves_api, access.is_as_open) << what;
    EXPECT_FALSE(options_of(access, HttpProving::never).pages.serves_api);
    const HttpOptions open = options_of(access, HttpProving::always);
    EXPECT_TRUE(open.pages.serves_api);
    const auto warnings = exposure_warnings(open);
    const bool warns = !warnings.empty() && warnings[0].find("daemon.http_proving") != std::string::npos;
    EXPECT_EQ(warns, !access.is_as_open) << what;
  }
}

TEST(HttpOptionsTest, FollowTheConfiguration) {
  Config config;
  GrpcOptions grpc;
  EXPECT_FALSE(http_options(config, grpc)->has_value());
  config.daemon.status_listen = "0.0.0.0:9821";
  grpc.service.token = "t";
  auto options = http_options(config, grpc);
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->pages.token, "t");
  EXPECT_EQ((*options)->listen.port, 9821);
  EXPECT_EQ(exposure_warnings(**options).size(), 1U);
  (**options).listen.host = "localhost";
  EXPECT_TRUE(exposure_warnings(**options).empty());
}

}  // namespace
}  // namespace cuzk::server
