// What tests of journals share: jobs made from a number, a clock that stands still, and opening.
#pragma once

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "store/sqlite_journal.h"
#include "support/hex.h"
#include "support/random.h"
#include "support/sha256.h"
#include "tests/support/eventually.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::store::test {

using cuzk::test::must;
using std::chrono::milliseconds;

constexpr milliseconds kLease{30'000};

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const Bytes bytes = text_bytes(text);
  return {bytes.begin(), bytes.end()};
}

inline JobDigest digest_of(std::uint64_t n) { return sha256(text_bytes("job " + std::to_string(n))); }

inline NewJob job_of(std::uint64_t n, std::uint32_t partitions = 1) {
  NewJob job;
  job.digest = digest_of(n);
  job.label = "label-" + std::to_string(n);
  job.kind = "porep";
  job.circuit = "porep-2k";
  job.partitions = partitions;
  job.metadata = bytes_of("metadata " + std::to_string(n));
  job.payloads = {sha256(text_bytes("payload " + std::to_string(n)))};
  return job;
}

/// A folder whose files cost no disk: for tests that open very many journals.
inline cuzk::test::TemporaryFolder memory_folder() {
  struct Elsewhere {
    const char* former = std::getenv("TMPDIR");
    std::string kept = former != nullptr ? former : "";
    Elsewhere() { ::setenv("TMPDIR", std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp", 1); }
    ~Elsewhere() { former != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR"); }
  };
  const Elsewhere elsewhere;
  return {};
}

/// A wall clock that moves when it is told to; may be read by the journal's thread.
class ManualClock {
 public:
  WallTime now() const { return WallTime(milliseconds(now_.load())); }
  void advance(milliseconds by) { now_ += by.count(); }
  std::function<WallTime()> reader() {
    return [this] { return now(); };
  }

 private:
  std::atomic<std::int64_t> now_{1'700'000'000'000};
};

/// With patience for other processes, however busy they keep the file.
inline SqliteJournalOptions patient() {
  SqliteJournalOptions options;
  options.busy_timeout = cuzk::test::kPatience;
  return options;
}

inline std::unique_ptr<Journal> open(const std::string& path, SqliteJournalOptions options = patient()) {
  return must(open_sqlite_journal(path, std::move(options)));
}

/// Accepts and leases a new job.
inline Lease lease_new(Journal& journal, NewJob job, milliseconds lease = kLease) {
  job.lease = lease;
  return must(journal.accept(job)).lease.value();
}

/// All partitions with their number as the proof, then the result.
inline Status prove(Journal& journal, const Lease& lease, std::uint32_t partitions, std::string_view result) {
  for (std::uint32_t i = 0; i < partitions; ++i) {
    CUZK_CHECK_OK(journal.partition_started(lease, i));
    CUZK_CHECK_OK(journal.partition_finished(lease, i, text_bytes("proof " + std::to_string(i))));
  }
  return journal.complete(lease, text_bytes(result));
}

inline JobRecord found(Journal& journal, std::uint64_t n) {
  auto record = must(journal.find(digest_of(n)));
  if (!record) throw std::runtime_error("job " + std::to_string(n) + " is not in the journal");
  return *std::move(record);
}

}  // namespace cuzk::store::test
