#include "store/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>

#include <cerrno>
#include <utility>

#include <sys/stat.h>

#include "support/file_descriptor.h"
#include "support/os_error.h"

namespace cuzk::store {

namespace {

/// SQLite tells ENOSPC (as "full"), but not always why else a write failed: then a quota or a limit of file sizes is
/// likelier than a broken disk.
bool out_of_room(int result, int error_number) noexcept {
  if (error_number == 0) return result == SQLITE_IOERR_WRITE || result == SQLITE_IOERR_SHMSIZE;
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

Code code_of(int result, int error_number) noexcept {
  switch (result & 0xff) {
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return Code::exhausted;
    case SQLITE_IOERR:
      return out_of_room(result, error_number) ? Code::exhausted : Code::unavailable;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return Code::unavailable;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return Code::malformed;
    case SQLITE_CANTOPEN:
      return Code::not_found;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Code::invalid_argument;
    default:
      return Code::internal;
  }
}

constexpr off_t kPageBytes = 4096;  // SQLite's default, of every file made here

/// SQLite makes files that everybody may read; one that exists keeps its mode, and "-wal" and "-shm" take it over. It
/// also takes the beginning of a page for an empty file.
Status make_private(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) return fail(os_error(errno, "cannot open " + path));
  if (status.st_size == 0 || status.st_size >= kPageBytes) return {};
  return fail(Error(Code::malformed, Kind::truncated, "no database, or the beginning of one")
                  .at({.file = path,
                       .section = "database",
                       .expected = "at least " + std::to_string(kPageBytes) + " bytes",
                       .found = std::to_string(status.st_size)}));
}

}  // namespace

Query::Query(Query&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}

Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);  // its failure was told by step()
  sqlite3_clear_bindings(statement_);
}

Result<bool> Query::step() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return fail(database_->error("cannot use"));
}

bool Query::is_null(int column) const noexcept { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::int64_t Query::integer(int column) const noexcept { return sqlite3_column_int64(statement_, column); }

std::string Query::text(int column) const {
  const auto* characters = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (characters == nullptr) return {};
  return {characters, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::vector<std::byte> Query::bytes(int column) const {
  const auto* first = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
  if (first == nullptr) return {};
  return {first, first + sqlite3_column_bytes(statement_, column)};
}

void Database::Close::operator()(sqlite3* connection) const noexcept { sqlite3_close_v2(connection); }

void Database::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Result<std::unique_ptr<Database>> Database::open(const std::string& path, std::chrono::milliseconds busy_timeout) {
  CUZK_CHECK_OK(make_private(path));
  std::unique_ptr<Database> database(new Database(path));
  CUZK_CHECK_OK(database->connect(busy_timeout));
  return database;
}

Result<std::unique_ptr<Database>> Database::open_in_memory() {
  std::unique_ptr<Database> database(new Database(":memory:"));
  CUZK_CHECK_OK(database->connect(std::chrono::milliseconds(0)));
  return database;
}

Status Database::connect(std::chrono::milliseconds busy_timeout) {
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int result = sqlite3_open_v2(path_.c_str(), &connection, flags, nullptr);
  connection_.reset(connection);
  if (connection == nullptr) return fail(Code::exhausted, "no memory for a database connection");
  if (result != SQLITE_OK) return fail(error("cannot open"));
  sqlite3_busy_timeout(connection, static_cast<int>(busy_timeout.count()));
  // The file may come from anybody: nothing in its schema may do more than hold rows.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  return {};
}

Status Database::execute(const char* statements) {
  if (sqlite3_exec(connection_.get(), statements, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return fail(error("cannot use"));
  }
  return {};
}

Result<Query> Database::prepare(const char* statement) {
  const auto found = statements_.find(statement);
  if (found != statements_.end()) {
    CUZK_ASSERT(sqlite3_stmt_busy(found->second.get()) == 0);
    return Query(*this, found->second.get());
  }
  sqlite3_stmt* prepared = nullptr;
  const int result =
      sqlite3_prepare_v3(connection_.get(), statement, -1, SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  if (result != SQLITE_OK) return fail(error("cannot use"));
  statements_.emplace(statement, prepared);
  return Query(*this, prepared);
}

Result<std::string> Database::text(const char* statement) {
  CUZK_TRY(Query query, this->query(statement));
  CUZK_TRY(const bool found, query.step());
  return found ? query.text(0) : std::string();
}

bool Database::in_transaction() const noexcept { return sqlite3_get_autocommit(connection_.get()) == 0; }

std::int64_t Database::last_number() const noexcept { return sqlite3_last_insert_rowid(connection_.get()); }

std::int64_t Database::total_changes() const noexcept { return sqlite3_total_changes64(connection_.get()); }

bool Database::was_busy() const noexcept { return (sqlite3_errcode(connection_.get()) & 0xff) == SQLITE_BUSY; }

bool Database::has_moved() const noexcept {
  int moved = 0;  // stays so for a database that is in no file
  sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

std::uint64_t Database::changed_rows() const noexcept {
  return static_cast<std::uint64_t>(sqlite3_changes64(connection_.get()));
}

Error Database::error(std::string_view doing) const {
  const int result = sqlite3_errcode(connection_.get());
  const int error_number = sqlite3_system_errno(connection_.get());
  const Code code = code_of(result, error_number);
  std::string message = std::string(doing) + " " + path_ + ": " + sqlite3_errmsg(connection_.get());
  if ((result & 0xff) == SQLITE_BUSY) message += " (another process holds it)";
  if ((result & 0xff) == SQLITE_IOERR && error_number != 0) {
    message += " (" + os_error(error_number, "system").message() + ")";
  }
  return Error(code, (result & 0xff) == SQLITE_NOTADB ? Kind::bad_magic : Kind::none, std::move(message));
}

void Database::bind(Query& query, int index, std::int64_t value) { sqlite3_bind_int64(query.statement_, index, value); }

void Database::bind(Query& query, int index, std::string_view text) {
  sqlite3_bind_text64(query.statement_, index, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
}

void Database::bind(Query& query, int index, Bytes bytes) {
  if (bytes.empty()) {
    sqlite3_bind_zeroblob(query.statement_, index, 0);  // a null pointer would be NULL
  } else {
    sqlite3_bind_blob64(query.statement_, index, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  }
}

}  // namespace cuzk::store
