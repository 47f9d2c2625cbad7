#include "cli/bench_workload.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::cli {
namespace {

using test::must;

class WorkloadTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream(folder.file(name)) << text; }
  Result<Workload> read(const std::string& text) {
    write("load.toml", text);
    return Workload::read(folder.file("load.toml"));
  }

  const test::TemporaryFolder folder;
};

TEST_F(WorkloadTest, TablesAreProofsAndNamesAreBesideTheFile) {
  write("w.json", "[\"AAAA\"]");
  write("x.wtns", "wtns");
  const Workload load =
      must(read("[often]\nkind = \"winning\"\nvanilla = \"w.json\"\nweight = 3\nregistered_proof = 0\n"
                "[seldom]\nkey = \"k\"\nwtns = \"x.wtns\"\npriority = \"low\"\n"));
  ASSERT_EQ(load.items().size(), 2U);
  EXPECT_EQ(load.items()[0].name, "often");
  EXPECT_EQ(load.items()[0].weight, 3U);
  EXPECT_EQ(load.items()[0].input.kind(), "winning");
  EXPECT_EQ(load.items()[1].input.kind(), "circom");

  std::size_t often = 0;
  for (std::uint64_t n = 0; n < 4000; ++n) often += load.choose(n, 7) == 0 ? 1U : 0U;
  EXPECT_NEAR(static_cast<double>(often), 3000, 150);
  std::size_t same = 0;
  for (std::uint64_t n = 0; n < 100; ++n) {
    EXPECT_EQ(load.choose(n, 7), load.choose(n, 7));
    same += load.choose(n, 7) == load.choose(n, 8) ? 1U : 0U;
  }
  EXPECT_LT(same, 100U);
}

TEST_F(WorkloadTest, DeadlinesAreSpansOrSeconds) {
  write("x.wtns", "wtns");
  const std::string circom = "key = \"k\"\nwtns = \"x.wtns\"\n";
  const Workload load =
      must(read("[a]\n" + circom + "deadline = \"2m\"\n[b]\n" + circom + "deadline = 3\n[c]\n" + circom));
  ASSERT_EQ(load.items().size(), 3U);
  EXPECT_EQ(load.items()[0].input.deadline_ms(), 120'000U);
  EXPECT_EQ(load.items()[1].input.deadline_ms(), 3000U);
  EXPECT_EQ(load.items()[2].input.deadline_ms(), 0U);
}

TEST_F(WorkloadTest, WhatIsWrongIsToldWithItsLine) {
  write("w.json", "[\"AAAA\"]");
  const std::pair<const char*, const char*> cases[] = {
      {"", "no table"},
      {"kind = \"winning\"\n", "line 1"},
      {"[a]\nkind = \"winning\"\nvanilla = \"w.json\"\nsectorsize = 1\n", "line 4"},
      {"[a]\nkind = 3\n", "line 2"},
      {"[a]\ndeadline = \"soon\"\n", "line 2"},
      {"[a]\ndeadline = -1\n", "line 2"},
      {"[a]\ndeadline = 1.5\n", "line 2"},
      {"[a]\nkind = \"deal\"\nvanilla = \"w.json\"\n", "none of porep"},
      {"[a]\nkind = \"winning\"\n", "needs vanilla"},
      {"[a]\nkey = \"k\"\n", "needs kind and vanilla, or key and wtns"},
      {"[a]\nkind = \"winning\"\nvanilla = \"w.json\"\nweight = -1\n", "line 4"},
      {"[a]\nkind = \"winning\"\nvanilla = \"w.json\"\nweight = 0\n", "all weights are 0"},
  };
  for (const auto& [text, expected] : cases) {
    const auto load = read(text);
    ASSERT_FALSE(load) << text;
    EXPECT_NE(load.error().to_string().find(expected), std::string::npos) << load.error().to_string();
    EXPECT_EQ(load.error().code(), Code::malformed) << text;
  }
  EXPECT_EQ(read("[a]\nkind = \"winning\"\nvanilla = \"none.json\"\n").error().code(), Code::not_found);
}

}  // namespace
}  // namespace cuzk::cli
