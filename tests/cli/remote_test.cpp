#include "cli/remote.h"

#include <gtest/gtest.h>

#include "cli/commands.h"
#include "tests/support/must.h"

namespace cuzk::cli {
namespace {

/// What the program ends with when a proof was not made.
int status_of(const client::Outcome& outcome, Code* code = nullptr) {
  Report report({.threads = 0, .json = false, .quiet = true});
  const Error error = not_proved(outcome, report);
  if (code != nullptr) *code = error.code();
  EXPECT_NE(error.message().find("job-7"), std::string::npos);
  ::testing::internal::CaptureStderr();
  const int status = report.failed(error);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("job-7"), std::string::npos);
  return status;
}

client::Outcome failed(std::string failure, std::string error_code) {
  return {.job_id = "job-7",
          .end = client::End::failed,
          .proof = {},
          .error = "why",
          .failure = std::move(failure),
          .error_code = std::move(error_code),
          .times = {}};
}

TEST(NotProved, WhoseFaultItWasIsTheExitStatus) {
  EXPECT_EQ(status_of(failed("caller", "unsatisfied")), 1);
  EXPECT_EQ(status_of(failed("caller", "malformed")), 3);
  EXPECT_EQ(status_of(failed("caller", "")), 3);
  EXPECT_EQ(status_of(failed("transient", "exhausted")), 4);
  EXPECT_EQ(status_of(failed("transient", "not_found")), 4);
  EXPECT_EQ(status_of(failed("defect", "internal")), 5);
  EXPECT_EQ(status_of(failed("defect", "unsatisfied")), 5);  // a proof that does not verify
  EXPECT_EQ(status_of(failed("", "")), 5);
}

TEST(NotProved, OtherEndsHaveTheirs) {
  client::Outcome outcome{.job_id = "job-7",
                          .end = client::End::timeout,
                          .proof = {},
                          .error = {},
                          .failure = {},
                          .error_code = {},
                          .times = {}};
  Code code{};
  EXPECT_EQ(status_of(outcome, &code), kExitStillOpen);
  EXPECT_EQ(code, Code::deadline);
  outcome.end = client::End::cancelled;
  EXPECT_EQ(status_of(outcome, &code), 4);
  EXPECT_EQ(code, Code::cancelled);
  outcome.end = client::End::completed;  // without a proof
  EXPECT_EQ(status_of(outcome, &code), 5);
}

TEST(NotProved, TextOfTheServiceSteersNoTerminal) {
  Report report({.threads = 0, .json = false, .quiet = true});
  client::Outcome outcome = failed("caller", "malformed");
  outcome.error = "\033[2J";
  EXPECT_EQ(not_proved(outcome, report).message().find('\033'), std::string::npos);
}

TEST(Remote, WithoutAServiceTheExitStatusSaysSo) {
  Report report({.threads = 0, .json = false, .quiet = true});
  StatusOptions options;
  options.service.address = "unix:///nowhere/cuzk.sock";
  const Status status = remote(options, report);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().to_string().find("cuzk serve"), std::string::npos);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(report.failed(status.error()), kExitUnreachable);
  static_cast<void>(::testing::internal::GetCapturedStderr());
}

}  // namespace
}  // namespace cuzk::cli
