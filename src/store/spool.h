// Spool: payloads of jobs in a folder, each under the SHA-256 of its bytes.
//
// A payload appears complete or not at all, and is on the disk when put() returns. The same bytes are kept once. A
// journal counts the references: collect() removes what no job refers to. Between put() and the journal's accept() a
// payload is held by its PayloadPin, which all processes see; `grace` is how long what no job came to refer to stays.
// The folder is readable for its owner alone (a payload may hold a witness). Names: 64 hexadecimal digits; anything
// else in the folder is left alone but for temporary files older than `grace`. The quota counts the payloads that this
// process knows; what others put is counted from the next collect() on. Thread-safety: concurrently.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/job.h"
#include "store/journal.h"
#include "support/bytes.h"
#include "support/file_descriptor.h"
#include "support/mapped_file.h"
#include "support/result.h"

namespace cuzk::store {

class Spool;

/// Holds a payload in the spool while no job refers to it yet. May outlive the Spool.
class PayloadPin {
 public:
  PayloadPin(PayloadPin&&) noexcept = default;
  PayloadPin& operator=(PayloadPin&& other) noexcept;
  PayloadPin(const PayloadPin&) = delete;
  PayloadPin& operator=(const PayloadPin&) = delete;
  ~PayloadPin();

  const PayloadHash& hash() const noexcept { return hash_; }

 private:
  friend class Spool;
  struct Shared;
  PayloadPin(std::shared_ptr<Shared> shared, const PayloadHash& hash) noexcept
      : shared_(std::move(shared)), hash_(hash) {}
  void release() noexcept;

  std::shared_ptr<Shared> shared_;
  PayloadHash hash_;
};

class Spool {
 public:
  struct Options {
    std::string folder;             // made (mode 0700) when it is missing; its parent exists
    std::uint64_t quota_bytes = 0;  // 0: no limit
    std::chrono::seconds grace{3600};
  };

  struct Collected {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };

  static Result<std::unique_ptr<Spool>> open(Options options);

  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool();

  /// exhausted: quota (with the numbers) or disk full.
  Result<PayloadPin> put(Bytes payload);

  /// Maps a payload and compares its bytes with its hash (one pass over them). not_found; malformed / digest_mismatch.
  Result<MappedFile> map(const PayloadHash& hash) const;

  /// Bytes of a payload, unread. not_found.
  Result<std::uint64_t> size_of(const PayloadHash& hash) const;

  /// Removes payloads that no pin holds and no job refers to, those that are older than `grace` and, of whatever age,
  /// `dropped`: what the journal's expire() has returned. Counts afresh.
  Result<Collected> collect(Journal& journal, std::span<const PayloadHash> dropped = {}, const Call& call = {});

  /// Bytes of the payloads that this process knows of.
  std::uint64_t used_bytes() const;

 private:
  Spool(Options options, FileDescriptor lock_file);
  std::string path_of(const PayloadHash& hash) const;
  Status reserve(const PayloadHash& hash, std::uint64_t bytes);
  Status write(const PayloadHash& hash, Bytes payload) const;
  Result<bool> is_pinned(const PayloadHash& hash) const;
  Status remove_unused(const PayloadHash& hash, Journal& journal, const Call& call, Collected& collected);
  Status remove_abandoned(const std::string& path) const;
  Result<std::vector<PayloadHash>> scan();
  void note(const std::map<PayloadHash, std::uint64_t>& seen);

  Options options_;
  std::shared_ptr<PayloadPin::Shared> shared_;
};

}  // namespace cuzk::store
