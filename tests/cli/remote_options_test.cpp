#include "cli/remote_options.h"

#include <gtest/gtest.h>

#include "cli/options.h"
#include "tests/support/must.h"

namespace cuzk::cli {
namespace {

using test::must;

Result<Invocation> parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "cuzk");
  return parse(static_cast<int>(arguments.size()), arguments.data());
}

template <class Options> Options options_of(std::vector<const char*> arguments) {
  return std::get<Options>(std::get<RemoteCommand>(must(parsed(std::move(arguments))).command));
}

const std::string kHex(64, 'a');

TEST(RemoteOptions, SubmitTakesFilesAndNumbers) {
  const auto submit = options_of<SubmitOptions>(
      {"submit", "-a",           "host:1", "--kind",   "window-post", "--vanilla",  "v.json", "--public",
       "p.json", "--partition",  "3",      "--label",  "name",        "--priority", "high",   "--deadline",
       "10m",    "--token-file", "t",      "--tls-ca", "ca"});
  EXPECT_EQ(submit.service.address, "host:1");
  EXPECT_EQ(submit.service.token_file, "t");
  EXPECT_EQ(submit.service.tls_ca, "ca");
  EXPECT_EQ(submit.input.kind, "window");
  EXPECT_EQ(submit.input.vanilla, "v.json");
  EXPECT_EQ(submit.input.public_data, "p.json");
  EXPECT_EQ(submit.input.partition, 3U);
  EXPECT_EQ(submit.input.label, "name");
  EXPECT_EQ(submit.input.priority, "high");
  EXPECT_EQ(submit.input.deadline, std::chrono::minutes(10));

  const auto c1 = options_of<SubmitOptions>({"submit", "--type", "porep-c2", "--c1", "c1.json", "--sector-num", "7",
                                             "--miner-id", "1001", "--registered-proof", "8"});
  EXPECT_EQ(c1.input.kind, "porep");
  EXPECT_EQ(c1.input.vanilla, "c1.json");
  EXPECT_EQ(c1.input.sector_number, 7U);
  EXPECT_EQ(c1.input.miner_id, 1001U);
  EXPECT_EQ(c1.input.registered_proof, 8U);

  const auto snap =
      options_of<SubmitOptions>({"submit", "-t", "snap-deals", "--vanilla", "v", "--comm-r-old", kHex.c_str(),
                                 "--comm-r-new", kHex.c_str(), "--comm-d-new", kHex.c_str()});
  EXPECT_EQ(snap.input.kind, "snap");
  EXPECT_EQ(snap.input.comm_d_new, kHex);

  const auto circom = options_of<SubmitOptions>({"submit", "--key", "k", "w.wtns"});
  EXPECT_EQ(circom.input.key, "k");
  EXPECT_EQ(circom.input.witness, "w.wtns");
  EXPECT_EQ(circom.input.kind, "");
}

TEST(RemoteOptions, AddressMayHaveItsOtherName) {
  EXPECT_EQ(options_of<StatusOptions>({"status", "--addr", "h:1"}).service.address, "h:1");
  EXPECT_EQ(options_of<DevicesOptions>({"devices", "--address", "h:2"}).service.address, "h:2");
  EXPECT_EQ(options_of<MetricsOptions>({"metrics"}).service.address, "");
  EXPECT_EQ(options_of<PreloadOptions>({"preload", "-c", "porep-32g"}).circuit, "porep-32g");
  EXPECT_EQ(options_of<EvictOptions>({"evict", "porep-32g"}).circuit, "porep-32g");
}

TEST(RemoteOptions, Jobs) {
  const auto await = options_of<AwaitOptions>({"await", "job", "--out", "p", "--public", "q", "--timeout", "90s"});
  EXPECT_EQ(await.job, "job");
  EXPECT_EQ(await.files.proof, "p");
  EXPECT_EQ(await.files.public_inputs, "q");
  EXPECT_EQ(await.timeout, std::chrono::seconds(90));
  EXPECT_EQ(options_of<CancelOptions>({"cancel", "a b"}).job, "a b");
  const auto jobs = options_of<JobsOptions>({"jobs", "--state", "running,failed", "--limit", "5", "--partitions"});
  EXPECT_EQ(jobs.states, (std::vector<std::string>{"running", "failed"}));
  EXPECT_EQ(jobs.limit, 5U);
  EXPECT_TRUE(jobs.partitions);
  EXPECT_EQ(options_of<TopOptions>({"top", "--interval", "500ms"}).interval, std::chrono::milliseconds(500));
}

TEST(RemoteOptions, ProveRemoteHasBothForms) {
  const auto circom = options_of<ProveRemoteOptions>({"prove", "--remote", "h:1", "k", "w.wtns", "p.json", "q.json"});
  EXPECT_EQ(circom.service.address, "h:1");
  EXPECT_EQ(circom.input.key, "k");
  EXPECT_EQ(circom.files.public_inputs, "q.json");
  const auto porep = options_of<ProveRemoteOptions>(
      {"prove", "--remote", "h:1", "--kind", "porep", "--vanilla", "c1", "--out", "p", "--miner-id", "5"});
  EXPECT_EQ(porep.input.kind, "porep");
  EXPECT_EQ(porep.files.proof, "p");
  EXPECT_EQ(porep.input.miner_id, 5U);
}

TEST(RemoteOptions, BenchHasTheDefaultsOfItsForm) {
  const auto single = options_of<BenchOptions>(
      {"bench", "-a", "h:1", "single", "-t", "winning", "--vanilla", "v", "--randomness", kHex.c_str()});
  EXPECT_EQ(single.mode, BenchOptions::Mode::single);
  EXPECT_EQ(single.service.address, "h:1");
  EXPECT_EQ(single.count, 1U);
  EXPECT_EQ(single.concurrency, 1U);
  EXPECT_EQ(single.input.randomness, kHex);
  const auto batch = options_of<BenchOptions>({"bench", "batch", "-t", "porep", "--c1", "c", "-j", "2"});
  EXPECT_EQ(batch.count, 3U);
  EXPECT_EQ(batch.concurrency, 2U);
  const auto stress = options_of<BenchOptions>(
      {"bench", "stress", "--workload", "w.toml", "-c", "7", "--seed", "3", "--duration", "1m", "--addr", "h:2"});
  EXPECT_EQ(stress.count, 7U);
  EXPECT_EQ(stress.concurrency, 16U);
  EXPECT_EQ(stress.seed, 3U);
  EXPECT_EQ(stress.duration, std::chrono::minutes(1));
  EXPECT_EQ(stress.service.address, "h:2");
  EXPECT_EQ(stress.workload, "w.toml");
}

TEST(RemoteOptions, WhatDoesNotFitTogetherIsRefused) {
  const std::vector<std::vector<const char*>> cases = {
      {"submit"},
      {"submit", "--kind", "window"},
      {"submit", "--kind", "deal", "--vanilla", "v"},
      {"submit", "--key", "k"},
      {"submit", "--kind", "porep", "--vanilla", "v", "--key", "k"},
      {"submit", "--kind", "porep", "--vanilla", "v", "--c1", "v"},
      {"submit", "--kind", "porep", "--vanilla", "v", "--miner-id", "-1"},
      {"submit", "--kind", "porep", "--vanilla", "v", "--comm-r-old", "abc"},
      {"submit", "--kind", "porep", "--vanilla", "v", "--priority", "urgent"},
      {"submit", "--key", "k", "w", "--public", "p"},
      {"submit", "--key", "k", "w", "--deadline", "tomorrow"},
      {"await"},
      {"await", "job", "--timeout", "soon"},
      {"cancel"},
      {"jobs", "--state", "asleep"},
      {"preload"},
      {"bench"},
      {"bench", "single"},
      {"bench", "stress"},
      {"bench", "batch", "-t", "porep", "--c1", "c", "-j", "0"},
      {"bench", "stress", "--workload", "w", "--kind", "porep"},
      {"prove", "--remote", "h:1"},
      {"prove", "--remote", "h:1", "k", "w", "p", "--r1cs", "r"},
      {"prove", "--remote", "h:1", "k", "w", "p", "--check-key"},
      {"prove", "--remote", "h:1", "--kind", "porep", "--vanilla", "v", "--params", "d"},
      {"prove", "k", "w", "p", "--token-file", "t"},
      {"prove", "k", "w", "p", "--miner-id", "1"},
      {"prove", "--kind", "porep", "--vanilla", "v", "--label", "l"},
      {"prove", "--kind", "porep", "--vanilla", "v", "--deadline", "5m"},
  };
  for (const auto& arguments : cases) {
    const auto result = parsed(arguments);
    std::string line;
    for (const char* argument : arguments) line += std::string(argument) + " ";
    ASSERT_FALSE(result) << line;
    EXPECT_EQ(result.error().code(), Code::invalid_argument) << line;
  }
}

}  // namespace
}  // namespace cuzk::cli
