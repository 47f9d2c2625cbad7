// A world with a journal in a folder, which the next process finds there.
#pragma once

#include "store/sqlite_journal.h"
#include "tests/engine/fakes.h"

namespace cuzk::engine::test {

struct Process {
  /// `prepare` comes before what a former process left goes on.
  explicit Process(const std::string& folder, std::function<void(EngineOptions&)> change = {},
                   std::function<void(Script&)> prepare = {}, store::SqliteJournalOptions of_journal = {})
      : journal(must(store::open_sqlite_journal(folder + "/journal", std::move(of_journal)))),
        spool(must(store::Spool::open({.folder = folder + "/spool"}))),
        world(
            [&](EngineOptions& options) {
              options.journal = journal.get();
              options.spool = spool.get();
              options.max_witnesses = 4;  // whatever is held, the others are proven, in whichever order they come
              if (change) change(options);
            },
            kBudgetBytes, std::move(prepare)) {}

  static constexpr std::uint64_t kBudgetBytes = 100'000;

  std::unique_ptr<store::Journal> journal;
  std::unique_ptr<store::Spool> spool;
  World world;
};

}  // namespace cuzk::engine::test
