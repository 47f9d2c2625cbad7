#include "store/sqlite.h"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store {
namespace {

using cuzk::test::must;

std::unique_ptr<Database> table() {
  auto database = must(Database::open_in_memory());
  must(database->execute("CREATE TABLE t (i INTEGER, s TEXT, b BLOB) STRICT"));
  return database;
}

RC_GTEST_PROP(Sqlite, GivesBackWhatItWasGiven, (std::int64_t i, std::string s, const std::vector<std::uint8_t>& b)) {
  std::erase(s, '\0');
  const auto database = table();
  must(database->run("INSERT INTO t VALUES (?1, ?2, ?3)", i, std::string_view(s), std::as_bytes(std::span(b))));
  Query row = must(database->query("SELECT i, s, b FROM t"));
  RC_ASSERT(must(row.step()));
  RC_ASSERT(row.integer(0) == i);
  RC_ASSERT(row.text(1) == s);
  const std::vector<std::byte> bytes = row.bytes(2);
  RC_ASSERT(std::ranges::equal(bytes, std::as_bytes(std::span(b))));
  RC_ASSERT(!row.is_null(2));
  RC_ASSERT(!must(row.step()));
}

TEST(Sqlite, AnEmptyOptionalIsNull) {
  const auto database = table();
  must(database->run("INSERT INTO t VALUES (?1, ?2, ?3)", std::optional<std::int64_t>(), std::string_view(), Bytes()));
  EXPECT_EQ(must(database->integer("SELECT count(*) FROM t WHERE i IS NULL AND s = '' AND length(b) = 0")), 1);
  must(database->run("UPDATE t SET i = ?1", std::optional<std::int64_t>(INT64_MIN)));
  EXPECT_EQ(must(database->integer("SELECT i FROM t")), INT64_MIN);
}

TEST(Sqlite, StatementsAreUsedAgain) {
  const auto database = table();
  for (std::int64_t i = 0; i < 3; ++i) must(database->run("INSERT INTO t (i) VALUES (?1)", i));
  EXPECT_EQ(database->last_number(), 3);
  EXPECT_EQ(must(database->run("UPDATE t SET i = i + 1 WHERE i > ?1", std::int64_t{0})), 2U);
  {
    Query row = must(database->query("SELECT i FROM t ORDER BY i"));
    ASSERT_TRUE(must(row.step()));  // and left before its end
  }
  EXPECT_EQ(must(database->text("SELECT group_concat(i) FROM t")), "0,2,3");
}

TEST(Sqlite, ErrorsHaveTheirCode) {
  const auto database = table();
  EXPECT_EQ(database->execute("no statement").error().code(), Code::internal);
  EXPECT_EQ(database->query("SELECT nothing FROM t").error().code(), Code::internal);
  EXPECT_EQ(database->run("INSERT INTO t (i) VALUES ('text')").error().code(), Code::internal);
  EXPECT_EQ(must(database->integer("SELECT count(*) FROM t")), 0);
  const cuzk::test::TemporaryFolder folder;
  EXPECT_EQ(Database::open(folder.file("no/such"), {}).error().code(), Code::not_found);
}

TEST(Sqlite, KnowsItsTransaction) {
  const auto database = table();
  EXPECT_FALSE(database->in_transaction());
  must(database->execute("BEGIN"));
  EXPECT_TRUE(database->in_transaction());
  must(database->execute("ROLLBACK"));
  EXPECT_FALSE(database->in_transaction());
}

}  // namespace
}  // namespace cuzk::store
