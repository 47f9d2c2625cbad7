#include "engine/job_table.h"

#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace cuzk::engine {
namespace {

using test::must;

class JobTableTest : public testing::Test {
 protected:
  std::shared_ptr<Job> open(const std::string& label) {
    JobIdentity identity;
    identity.label = label;
    identity.digest[0] = std::byte{next_digest_++};
    return must(table_.open(std::move(identity), Priority::normal)).job;
  }
  std::string name_of_next(const std::string& label) { return open(label)->identity().name; }

  JobTable table_{{.open_jobs = 100, .payload_bytes = 1000}};

 private:
  std::uint8_t next_digest_ = 1;
};

TEST_F(JobTableTest, JobsOfALabelHaveNumbers) {
  EXPECT_EQ(name_of_next("a"), "a");
  EXPECT_EQ(name_of_next("a"), "a#2");
  EXPECT_EQ(name_of_next("b"), "b");
  EXPECT_EQ(name_of_next("a"), "a#3");
}

TEST_F(JobTableTest, TheSearchForAFreeNameBeginsBehindTheNewest) {
  open("a");
  const auto second = open("a");
  open("a");
  table_.remove(second);
  EXPECT_EQ(name_of_next("a"), "a#4");
}

TEST_F(JobTableTest, NamesOfOtherLabelsAreLeftOut) {
  EXPECT_EQ(name_of_next("a#2"), "a#2");
  EXPECT_EQ(name_of_next("a"), "a");
  EXPECT_EQ(name_of_next("a"), "a#3");
  EXPECT_EQ(name_of_next("a#2"), "a#2#2");
}

TEST_F(JobTableTest, WithoutALabelNamesAreRandom) {
  const std::string name = name_of_next("");
  EXPECT_EQ(name.size(), 32U);
  EXPECT_NE(name_of_next(""), name);
}

}  // namespace
}  // namespace cuzk::engine
