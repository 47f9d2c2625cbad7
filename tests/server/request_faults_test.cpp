// Faults of a former daemon in how requests become jobs, without an engine behind.

#include <cuzk/v1/proving.pb.h>
#include <gtest/gtest.h>

#include "engine/filecoin_jobs.h"
#include "server/config.h"
#include "server/grpc_server.h"
#include "server/messages.h"
#include "tests/support/must.h"

namespace cuzk::server {
namespace {

using test::must;

v1::SubmitProofRequest window_request() {
  v1::SubmitProofRequest message;
  message.set_request_id("wdpost-1000-0");
  message.set_proof_kind(v1::WINDOW_POST_PARTITION);
  message.set_registered_proof(5);  // 2 KiB
  message.set_miner_id(1000);
  message.set_randomness(std::string(32, '\1'));
  message.add_vanilla_proofs("a sector");
  return message;
}

store::JobDigest digest_of(v1::SubmitProofRequest message) {
  Submission submission = must(submission_of(std::move(message)));
  const auto content = must(engine::filecoin_content(std::move(std::get<FilecoinWork>(submission.work).request)));
  return engine::digest_of(content, engine::payload_hashes(content));
}

TEST(RequestFaults, fault_A36_the_partition_index_is_a_label) {
  const auto digest = digest_of(window_request());
  for (const unsigned index : {1U, 7U, ~0U}) {
    auto message = window_request();
    message.set_partition_index(index);
    EXPECT_EQ(digest_of(message), digest);
  }
}

// Everything that a proof depends on makes another job; the label does not.
TEST(RequestFaults, fault_A05_jobs_are_known_by_their_content) {
  const auto digest = digest_of(window_request());
  const auto other = [&](auto change) {
    auto message = window_request();
    change(message);
    return digest_of(message);
  };
  EXPECT_EQ(other([](auto& m) { m.set_request_id("another label"); }), digest);
  EXPECT_EQ(other([](auto& m) { m.set_priority(v1::CRITICAL); }), digest);
  EXPECT_NE(other([](auto& m) { m.set_registered_proof(10); }), digest);
  EXPECT_NE(other([](auto& m) { m.set_miner_id(1001); }), digest);
  EXPECT_NE(other([](auto& m) { m.set_randomness(std::string(32, '\2')); }), digest);
  EXPECT_NE(other([](auto& m) { m.set_vanilla_proofs(0, "another one"); }), digest);
  EXPECT_NE(other([](auto& m) { m.add_vanilla_proofs("a second one"); }), digest);
}

TEST(RequestFaults, fault_A32_empty_requests_are_refused) {
  auto none = window_request();
  none.clear_vanilla_proofs();
  Submission submission = must(submission_of(std::move(none)));
  const auto content = engine::filecoin_content(std::move(std::get<FilecoinWork>(submission.work).request));
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().kind(), Kind::bad_count);
  auto empty = window_request();
  empty.set_vanilla_proofs(0, "");
  submission = must(submission_of(std::move(empty)));
  const auto of_empty = engine::filecoin_content(std::move(std::get<FilecoinWork>(submission.work).request));
  ASSERT_FALSE(of_empty);
  EXPECT_EQ(of_empty.error().kind(), Kind::bad_length);
}

TEST(RequestFaults, SizesAreBoundedAsTheConfigurationSays) {
  auto large = window_request();
  large.set_vanilla_proofs(0, std::string(std::size_t{300} << 10, 'x'));
  EXPECT_EQ(submission_of(std::move(large)).error().code(), Code::exhausted);
  Config config;
  config.daemon.max_window_vanilla_bytes = std::uint64_t{300} << 10;
  Submission submission = must(submission_of(std::move(large), must(grpc_options(config)).service.limits));
  EXPECT_TRUE(engine::filecoin_content(std::move(std::get<FilecoinWork>(submission.work).request)));
}

TEST(RequestFaults, fault_A34_what_nobody_knows_is_an_error) {
  for (const char* text :
       {"[memory]\ntotal_budgt = \"1GiB\"\n", "[memroy]\ntotal_budget = \"1GiB\"\n",
        "[memory]\ntotal_budget = \"512G B\"\n", "[memory]\neviction_min_idle = \"5 fortnights\"\n"}) {
    const CheckedConfig checked = check_config(text);
    EXPECT_FALSE(checked.ok()) << text;
    ASSERT_EQ(checked.problems.size(), 1U) << text;
    EXPECT_GT(checked.problems[0].line, 0U) << text;
  }
}

}  // namespace
}  // namespace cuzk::server
