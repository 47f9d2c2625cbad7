// JobContent: all that a job is, as it came in and as the journal keeps it; its digest is the job's identity.
//
// A JobKind turns content into a Statement, for a job that has just come and for one that a former process left. Kinds
// are registered by name (EngineOptions::kinds): adding one touches nothing else. Thread-safety: values; JobKind
// concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/statement.h"
#include "memory/memory_tag.h"
#include "store/job.h"
#include "support/bytes.h"
#include "support/function_ref.h"
#include "support/parallel.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::engine {

/// Bytes that were received, where they lie; `owner` keeps them there (a message, a mapped file). Never copied.
struct Payload {
  Bytes bytes;
  std::shared_ptr<const void> owner;
};

/// Of a circuit whose key was not there.
inline constexpr store::KeyDigest kNoKey{};

struct JobContent {
  std::string kind;               // a registered one: "porep-c2", "circom"
  std::string circuit;            // that proves it
  store::KeyDigest key = kNoKey;  // of the circuit: the engine fills it in
  std::uint32_t partitions = 1;
  std::vector<std::byte> metadata;  // what the kind needs beside the payloads
  std::vector<Payload> payloads;

  std::uint64_t payload_bytes() const noexcept;
};

/// SHA-256 of each payload, in order.
std::vector<store::PayloadHash> payload_hashes(const JobContent& content);
/// SHA-256 over all members, the payloads by their hashes, each part with its length before it.
store::JobDigest digest_of(const JobContent& content, const std::vector<store::PayloadHash>& payloads);

class JobKind {
 public:
  JobKind() = default;
  JobKind(const JobKind&) = delete;
  JobKind& operator=(const JobKind&) = delete;
  virtual ~JobKind() = default;

  virtual const std::string& name() const noexcept = 0;
  /// Of jobs that name none.
  virtual memory::Priority default_priority() const noexcept = 0;
  /// Whether a job is accepted while its circuit is not there: the key's file may come.
  virtual bool may_want_circuit() const noexcept { return true; }

  /// Memory that a statement takes at most, beside the payloads, when it was made of so many bytes of them.
  virtual std::uint64_t statement_bytes(std::uint64_t payload_bytes) const noexcept { return payload_bytes; }

  /// What read() works with. It calls decoded() once between decoding and checking.
  struct Reading {
    Arena& arena;
    StopToken stop;
    FunctionRef<void()> decoded;
  };
  /// Decodes and checks everything that can be known before proving. Errors are the caller's faults.
  virtual Result<std::shared_ptr<const Statement>> read(const JobContent& content, const Reading& reading) const = 0;
};

}  // namespace cuzk::engine
