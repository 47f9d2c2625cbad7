// SqliteJournal: a Journal in one SQLite file, for the processes of one machine.
//
// The file is docs/formats/journal.md. A thread of its own owns the connection; callers meet it at a queue, and what
// waits there together is committed together, so that many small writes cost one (a durable commit waits for the disk,
// the others do not). Beside the file lie SQLite's "-wal" and "-shm", and for each journal object that is open a lock
// file "<path>.owner.<owner>": a lease whose owner's lock is free belonged to a process that died.
// The file must lie on a local file system: SQLite's shared memory and the locks work on no network share.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "store/journal.h"

namespace cuzk::store {

struct SqliteJournalOptions {
  /// Of this machine's wall clock; tests bring their own.
  std::function<WallTime()> clock;
  /// Begins the owner's name (a host, a service); letters, digits and '-'. A random part follows.
  std::string owner = "cuzk";
  /// How long to wait while another process writes.
  std::chrono::milliseconds busy_timeout{10'000};
  /// accept() of a further job is exhausted when so many are open; 0: no limit.
  std::uint64_t max_open_jobs = 0;
  /// Size of the file beyond which accept() is exhausted (results still find room); 0: no limit.
  std::uint64_t max_bytes = 0;
};

/// Opens the journal, or makes it where there is none (a file of no bytes is none). not_found (the folder, permission),
/// malformed (no journal, or damaged: the message says what can be done), unsupported (made by a newer version, or a
/// file system without shared memory), unavailable (locked), exhausted.
Result<std::unique_ptr<Journal>> open_sqlite_journal(const std::string& path, SqliteJournalOptions options = {});

}  // namespace cuzk::store
