// The tables of a journal in SQLite (docs/formats/journal.md): made, brought up to date, or checked.
//
// Thread-safety: external. Several processes may open one file at once.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "store/sqlite.h"
#include "support/result.h"

namespace cuzk::store {

/// Opens the file, makes the tables where it is empty, else checks that it is a journal and undamaged, and brings an
/// older version up to date; sets the connection up (write-ahead log, foreign keys). The error of a damaged file says
/// what can be done.
Result<std::unique_ptr<Database>> open_journal_database(const std::string& path,
                                                        std::chrono::milliseconds busy_timeout);

}  // namespace cuzk::store
