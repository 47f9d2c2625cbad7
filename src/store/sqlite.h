// Database and Query: SQLite's connection and prepared statements as owners and Results.
//
// Texts of statements are literals: each is prepared once and kept under its text. Parameters are bound from ?1 on;
// bytes and texts are copied. Errors: exhausted (disk full, size limit, memory), unavailable (locked by another
// process, I/O), malformed (no database: bad_magic; damaged), not_found (cannot be opened), invalid_argument (read
// only), internal. Thread-safety: external; one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace cuzk::store {

class Database;

/// A running statement; gives it back to its Database, which must live longer.
class Query {
 public:
  Query(Query&& other) noexcept;
  Query& operator=(Query&&) = delete;
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  /// The next row; false after the last one.
  Result<bool> step();

  bool is_null(int column) const noexcept;
  std::int64_t integer(int column) const noexcept;
  std::string text(int column) const;
  std::vector<std::byte> bytes(int column) const;

 private:
  friend class Database;
  Query(Database& database, sqlite3_stmt* statement) noexcept : database_(&database), statement_(statement) {}

  Database* database_;
  sqlite3_stmt* statement_;
};

class Database {
 public:
  /// Opens or makes the file (mode 0600).
  static Result<std::unique_ptr<Database>> open(const std::string& path, std::chrono::milliseconds busy_timeout);
  /// A database of this process's memory.
  static Result<std::unique_ptr<Database>> open_in_memory();

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() = default;

  /// Statements without parameters and results.
  Status execute(const char* statements);

  /// Each argument: an integer, std::string_view, Bytes, or an optional of these.
  template <class... Args> Result<Query> query(const char* statement, const Args&... args) {
    CUZK_TRY(Query query, prepare(statement));
    int index = 0;
    (bind(query, ++index, args), ...);
    return query;
  }

  /// Runs a statement without results; the number of rows that it changed.
  template <class... Args> Result<std::uint64_t> run(const char* statement, const Args&... args) {
    CUZK_TRY(Query query, this->query(statement, args...));
    CUZK_CHECK_OK(query.step());
    return changed_rows();
  }

  /// The first column of the one row that the statement gives.
  template <class... Args> Result<std::int64_t> integer(const char* statement, const Args&... args) {
    CUZK_TRY(Query query, this->query(statement, args...));
    CUZK_TRY(const bool found, query.step());
    return found ? query.integer(0) : std::int64_t{0};
  }
  Result<std::string> text(const char* statement);

  bool in_transaction() const noexcept;
  std::int64_t last_number() const noexcept;
  /// Rows written by this connection so far.
  std::int64_t total_changes() const noexcept;
  /// Whether another process holds the lock that the last failed call wanted.
  bool was_busy() const noexcept;
  /// Whether the file that is open lies no longer under its name: removed, renamed or replaced.
  bool has_moved() const noexcept;
  const std::string& path() const noexcept { return path_; }
  /// What the last failed call of SQLite said.
  Error error(std::string_view doing) const;

 private:
  friend class Query;
  struct Close {
    void operator()(sqlite3* connection) const noexcept;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };

  explicit Database(std::string path) noexcept : path_(std::move(path)) {}
  Status connect(std::chrono::milliseconds busy_timeout);
  Result<Query> prepare(const char* statement);
  std::uint64_t changed_rows() const noexcept;

  static void bind(Query& query, int index, std::int64_t value);
  static void bind(Query& query, int index, std::int32_t value) { bind(query, index, std::int64_t{value}); }
  static void bind(Query& query, int index, std::uint32_t value) { bind(query, index, std::int64_t{value}); }
  static void bind(Query& query, int index, std::string_view text);
  static void bind(Query& query, int index, Bytes bytes);
  template <class T> static void bind(Query& query, int index, const std::optional<T>& value) {
    if (value) bind(query, index, *value);  // unbound parameters are NULL
  }

  std::string path_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::unordered_map<std::string_view, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;  // ends before connection_
};

}  // namespace cuzk::store
