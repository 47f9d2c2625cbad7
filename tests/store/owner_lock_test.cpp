#include "store/owner_lock.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using cuzk::test::must;

TEST(OwnerLock, IsHeldWhileItLives) {
  const cuzk::test::TemporaryFolder folder;
  const std::string journal = folder.file("journal.db");
  std::optional<OwnerLock> lock(must(OwnerLock::take(journal, "host")));
  const std::string name = lock->name();
  EXPECT_TRUE(name.starts_with("host-"));
  EXPECT_FALSE(OwnerLock::is_gone(journal, name));
  EXPECT_NE(must(OwnerLock::take(journal, "host")).name(), name);
  std::optional<OwnerLock> moved(std::move(*lock));
  lock.reset();
  EXPECT_FALSE(OwnerLock::is_gone(journal, name));
  moved.reset();
  EXPECT_TRUE(OwnerLock::is_gone(journal, name));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(OwnerLock, SweepsTheFilesOfTheDeadAlone) {
  const cuzk::test::TemporaryFolder folder;
  const std::string journal = folder.file("journal.db");
  const OwnerLock alive = must(OwnerLock::take(journal, "alive"));
  std::ofstream(journal + ".owner.dead-1") << "";
  std::ofstream(journal + "2.owner.other-1") << "";
  std::ofstream(journal + ".owner.odd name") << "";
  const OwnerLock next = must(OwnerLock::take(journal, "next"));
  EXPECT_FALSE(std::filesystem::exists(journal + ".owner.dead-1"));
  EXPECT_TRUE(std::filesystem::exists(journal + "2.owner.other-1"));
  EXPECT_TRUE(std::filesystem::exists(journal + ".owner.odd name"));
  EXPECT_FALSE(OwnerLock::is_gone(journal, alive.name()));
}

TEST(OwnerLock, WhoDiesOfItselfLeavesAWordForADay) {
  const cuzk::test::TemporaryFolder folder;
  const std::string journal = folder.file("journal.db");
  std::string name;
  {
    const OwnerLock dies = must(OwnerLock::take(journal, "dies"));
    name = dies.name();
    DeathNote::write_all(SIGSEGV);
  }
  const OwnerLock next = must(OwnerLock::take(journal, "next"));
  EXPECT_TRUE(OwnerLock::is_gone(journal, name));
  EXPECT_TRUE(OwnerLock::died_of_itself(journal, name));
  EXPECT_FALSE(OwnerLock::died_of_itself(journal, next.name()));
  EXPECT_FALSE(OwnerLock::died_of_itself(journal, "never-was"));
  const auto yesterday = std::filesystem::file_time_type::clock::now() - std::chrono::hours(25);
  std::filesystem::last_write_time(journal + ".owner." + name, yesterday);
  EXPECT_TRUE(OwnerLock::is_gone(journal, name));
  EXPECT_FALSE(std::filesystem::exists(journal + ".owner." + name));
}

TEST(OwnerLock, NamesFromADatabaseLeadNowhere) {
  const cuzk::test::TemporaryFolder folder;
  std::ofstream(folder.file("victim")) << "";
  EXPECT_FALSE(OwnerLock::is_gone(folder.file("journal.db"), "/../victim"));
  EXPECT_FALSE(OwnerLock::is_gone(folder.file("journal.db"), ""));
  EXPECT_FALSE(OwnerLock::is_gone(folder.file("journal.db"), std::string(1000, 'x')));
  EXPECT_TRUE(std::filesystem::exists(folder.file("victim")));
}

TEST(OwnerLock, RefusesOddNames) {
  const cuzk::test::TemporaryFolder folder;
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a/b"), std::string(101, 'x')}) {
    EXPECT_EQ(OwnerLock::take(folder.file("journal.db"), name).error().code(), Code::invalid_argument) << name;
  }
}

}  // namespace
}  // namespace cuzk::store
