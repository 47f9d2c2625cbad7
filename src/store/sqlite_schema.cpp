#include "store/sqlite_schema.h"

#include <array>
#include <thread>
#include <utility>

#include "support/stop.h"

namespace cuzk::store {

namespace {

constexpr std::int64_t kApplication = 0x63757a6b;  // "cuzk"

// What each version adds to the one before. A new file is made by all of them in turn, so that its texts, which SQLite
// keeps word for word and which are compared when a file is opened, are those of a file that was brought up to date.
constexpr const char* kVersion1 = R"(
CREATE TABLE jobs (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  digest      BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  job_id      TEXT NOT NULL UNIQUE,
  label       TEXT NOT NULL,
  kind        TEXT NOT NULL,
  circuit     TEXT NOT NULL,
  priority    INTEGER NOT NULL,
  deadline    INTEGER,
  accepted    INTEGER NOT NULL,
  partitions  INTEGER NOT NULL CHECK (partitions BETWEEN 1 AND 65536),
  metadata    BLOB NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('accepted', 'running', 'completed', 'failed', 'cancelled')),
  owner       TEXT,
  lease_until INTEGER,
  generation  INTEGER NOT NULL,
  finished    INTEGER,
  result      BLOB,
  error       TEXT NOT NULL DEFAULT '',
  failure     TEXT CHECK (failure IN ('caller', 'transient', 'defect')),
  delivered   INTEGER NOT NULL DEFAULT 0 CHECK (delivered IN (0, 1)),
  CHECK ((state = 'running') = (owner IS NOT NULL AND lease_until IS NOT NULL)),
  CHECK ((state IN ('accepted', 'running')) = (finished IS NULL)),
  CHECK ((state = 'completed') = (result IS NOT NULL)),
  CHECK ((state = 'failed') = (failure IS NOT NULL))
) STRICT;
CREATE INDEX jobs_open ON jobs (state, priority) WHERE state IN ('accepted', 'running');
CREATE INDEX jobs_finished ON jobs (finished) WHERE finished IS NOT NULL;
CREATE INDEX jobs_counts ON jobs (kind, state);
CREATE INDEX jobs_label ON jobs (label);
CREATE TABLE partitions (
  job      INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
  number   INTEGER NOT NULL CHECK (number >= 0),
  state    TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'finished', 'failed')),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  proof    BLOB,
  error    TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE payloads (
  job      INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  hash     BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (job, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX payloads_hash ON payloads (hash);
)";
constexpr const char* kVersion2 = R"(
ALTER TABLE jobs ADD COLUMN orphan_grace INTEGER NOT NULL DEFAULT 0 CHECK (orphan_grace >= 0);
CREATE TABLE aliases (
  label TEXT NOT NULL PRIMARY KEY,
  job   INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_job ON aliases (job);
)";
constexpr const char* kVersion3 = R"(
ALTER TABLE jobs ADD COLUMN key_digest BLOB CHECK (length(key_digest) = 32);
ALTER TABLE partitions ADD COLUMN unended INTEGER NOT NULL DEFAULT 0 CHECK (unended >= 0);
)";
constexpr std::array<const char*, 3> kVersions = {kVersion1, kVersion2, kVersion3};
constexpr std::int64_t kVersion = kVersions.size();

constexpr const char* kAdvice =
    "stop every process that uses it, move it away together with its -wal and -shm, and start with a new one: the "
    "jobs in it are lost, those who sent them send them again (sqlite3's .recover may show what was in it)";

Error damaged(const Database& database, Kind kind, std::string what, std::string expected, std::string found) {
  return Error(Code::malformed, kind, std::move(what))
      .at({.file = database.path(), .section = "database", .expected = std::move(expected), .found = std::move(found)});
}

/// SQLite does not wait for a lock when it changes the kind of log.
Status use_write_ahead_log(Database& database, std::chrono::milliseconds busy_timeout) {
  const Deadline deadline = Deadline::after(busy_timeout);
  for (;;) {
    auto mode = database.text("PRAGMA journal_mode = WAL");
    if (mode && *mode == "wal") return {};
    if (mode) {
      return fail(Code::unsupported, database.path() + " cannot have a write-ahead log (SQLite answers '" + *mode +
                                         "'): the file must lie on a local file system");
    }
    if (!database.was_busy() || deadline.passed()) return fail(std::move(mode).error());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Result<std::string> schema_of(Database& database) {
  return database.text(
      "SELECT coalesce(group_concat(text, char(10)), '') FROM (SELECT type || ' ' || name || ' ' || coalesce(sql, '') "
      "AS text FROM sqlite_schema WHERE name <> 'sqlite_stat1' ORDER BY type, name)");
}

/// Takes the tables from one version (0: none) to a later one.
Status make_tables(Database& database, std::int64_t from, std::int64_t to) {
  for (std::int64_t version = from; version < to; ++version) {
    CUZK_CHECK_OK(database.execute(kVersions[static_cast<std::size_t>(version)]));
  }
  return {};
}

Result<std::string> expected_schema(std::int64_t version) {
  CUZK_TRY(auto memory, Database::open_in_memory());
  CUZK_CHECK_OK(make_tables(*memory, 0, version));
  return schema_of(*memory);
}

Status make_missing_tables(Database& database) {
  CUZK_TRY(const std::int64_t tables, database.integer("SELECT count(*) FROM sqlite_schema"));
  CUZK_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
  const std::int64_t from = tables == 0 ? 0 : version;
  if (from >= kVersion) return {};
  CUZK_CHECK_OK(make_tables(database, from, kVersion));
  CUZK_CHECK_OK(database.execute("PRAGMA application_id = 1668643435"));
  return database.execute(("PRAGMA user_version = " + std::to_string(kVersion)).c_str());
}

/// Under the write lock, so that of two processes one makes the tables, or brings them up to date.
Status make_tables_once(Database& database) {
  CUZK_CHECK_OK(database.execute("PRAGMA synchronous = FULL"));
  CUZK_CHECK_OK(database.execute("BEGIN IMMEDIATE"));
  Status made = make_missing_tables(database);
  if (made) made = database.execute("COMMIT");
  if (!made && database.in_transaction()) (void)database.execute("ROLLBACK");
  return made;
}

Status check_version(Database& database) {
  CUZK_TRY(const std::int64_t application, database.integer("PRAGMA application_id"));
  if (application != kApplication) {
    return fail(damaged(database, Kind::bad_magic, "is a database, but no journal of cuzk",
                        "application id " + std::to_string(kApplication), std::to_string(application)));
  }
  CUZK_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version < 1 || version > kVersion) {
    return fail(Error(Code::unsupported, Kind::bad_version,
                      "journal of version " + std::to_string(version) + ", this program reads versions up to " +
                          std::to_string(kVersion) + ": use the program that made it, or give another file")
                    .at({.file = database.path(),
                         .section = "user_version",
                         .expected = "1 to " + std::to_string(kVersion),
                         .found = std::to_string(version)}));
  }
  return {};
}

Status check_whole(Database& database) {
  CUZK_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
  CUZK_TRY(const std::string schema, schema_of(database));
  CUZK_TRY(const std::string expected, expected_schema(version));
  if (schema != expected) {
    return fail(damaged(database, Kind::bad_version, "the tables are not those of a journal",
                        "the schema of version " + std::to_string(version),
                        std::to_string(schema.size()) + " characters of another one"));
  }
  CUZK_TRY(const std::string verdict, database.text("PRAGMA integrity_check(1)"));
  if (std::string_view(verdict) != "ok")
    return fail(damaged(database, Kind::none, "the journal is damaged", "ok", verdict));
  return {};
}

Status open_unadvised(Database& database, std::chrono::milliseconds busy_timeout) {
  CUZK_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));  // finds what is no database at all
  CUZK_TRY(const std::int64_t tables, database.integer("SELECT count(*) FROM sqlite_schema"));
  if (version != 0 || tables != 0) CUZK_CHECK_OK(check_version(database));
  CUZK_CHECK_OK(use_write_ahead_log(database, busy_timeout));
  CUZK_CHECK_OK(
      database.execute("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;"
                       "PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -8192"));
  if (version != 0 && version < kVersion) CUZK_CHECK_OK(check_whole(database));  // before anything in it is changed
  CUZK_CHECK_OK(make_tables_once(database));
  CUZK_CHECK_OK(check_version(database));
  return check_whole(database);
}

Error with_advice(Error&& error) {
  return error.code() == Code::malformed ? std::move(error).context(kAdvice) : std::move(error);
}

}  // namespace

Result<std::unique_ptr<Database>> open_journal_database(const std::string& path,
                                                        std::chrono::milliseconds busy_timeout) {
  auto database = Database::open(path, busy_timeout);
  if (!database) return fail(with_advice(std::move(database).error()));
  if (auto opened = open_unadvised(**database, busy_timeout); !opened) {
    return fail(with_advice(std::move(opened).error()));
  }
  return database;
}

}  // namespace cuzk::store
