// Whose fault it is that a job fails, and what a caller hears of a fault that is not his.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "store/sqlite_journal.h"
#include "support/hex.h"
#include "tests/engine/fakes.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::engine::test {
namespace {

using store::FailureClass;

TEST(Blame, WhatIsWrongWithAKeyOrADeviceIsNotTheCallers) {
  for (const At at : {At::load_key, At::load_circuit, At::start, At::finish, At::verify}) {
    World world;
    world.script.fail_next(at, Code::malformed, 2);  // as of a file that was cut short
    const auto result = World::result(world.submit("job"));
    EXPECT_EQ(result->state, JobState::failed);
    EXPECT_EQ(result->failure, FailureClass::defect) << static_cast<int>(at) << result->error;
  }
}

TEST(Blame, WhatIsWrongWithAWitnessIs) {
  World world;
  world.script.fail_next(At::witness, Code::malformed, 2);
  EXPECT_EQ(World::result(world.submit("job"))->failure, FailureClass::caller);
  EXPECT_EQ(World::result(world.submit("bad job"))->failure, FailureClass::caller);
}

class Folder : public testing::Test {
 protected:
  const cuzk::test::TemporaryFolder folder_;
  const std::string path_ = folder_.file("spool");
  std::unique_ptr<store::Journal> journal_ = must(store::open_sqlite_journal(folder_.file("journal")));
  std::unique_ptr<store::Spool> spool_ = must(store::Spool::open({.folder = path_}));
  World world_{[this](EngineOptions& options) {
    options.journal = journal_.get();
    options.spool = spool_.get();
  }};
};

TEST_F(Folder, APayloadThatCannotBeKeptMayComeAgain) {
  std::filesystem::remove_all(path_);
  const auto refused = world_.engine->submit(World::request("job"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::unavailable) << refused.error().to_string();
  std::filesystem::create_directory(path_);
  EXPECT_EQ(World::result(world_.submit("job"))->state, JobState::completed);
}

TEST_F(Folder, AJournalThatIsRemovedTakesNoJobs) {
  const JobHandle before = world_.submit("before");
  EXPECT_EQ(World::result(before)->state, JobState::completed);
  std::filesystem::remove(folder_.file("journal"));
  const auto refused = world_.engine->submit(World::request("job"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::unavailable) << refused.error().to_string();
  EXPECT_NE(world_.engine->snapshot().journal_trouble.find("was removed"), std::string::npos);
}

TEST_F(Folder, APayloadThatIsDamagedThereMayComeAgain) {
  world_.script.hold(At::read, "first");
  const JobHandle first = world_.submit("first");
  const JobHandle second = world_.submit("second");  // waits to be decoded
  const auto hash = payload_hashes(World::request("second").content)[0];
  std::ofstream(path_ + "/" + encode_hex(hash)) << "third";
  world_.script.release(At::read, "first");
  EXPECT_EQ(World::result(second)->failure, FailureClass::transient) << World::result(second)->error;
  EXPECT_EQ(World::result(world_.submit("second"))->state, JobState::completed);
}

}  // namespace
}  // namespace cuzk::engine::test
