// What the commands that speak to a service were asked to do.
//
// Thread-safety: values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cuzk::cli {

using Milliseconds = std::chrono::milliseconds;

/// Where the service is, and how it is spoken to.
struct ServiceOptions {
  std::string address;     // empty: CUZK_ADDRESS, else the default one
  std::string token_file;  // empty: none; these are paths
  std::string tls_ca, tls_cert, tls_key;
  Milliseconds retry{0};  // client::Connection::patience
};

/// What is to be proved: a Filecoin proof of `kind`, or a circom circuit's.
struct ProofInput {
  std::string kind;         // empty: circom
  std::string key;          // circom: id of a key that the service has
  std::string witness;      // circom: .wtns
  std::string vanilla;      // a file
  std::string public_data;  // a file; empty: the numbers below say it
  std::optional<std::uint64_t> registered_proof, miner_id, sector_number, sector_size, partition;
  std::string randomness, comm_r_old, comm_r_new, comm_d_new;  // hexadecimal; empty: not given
  std::string label;                                           // empty: the service makes one
  std::string priority;                                        // empty: that of the kind
  Milliseconds deadline{0};                                    // from the acceptance; 0: none
};

/// cuzk submit
struct SubmitOptions {
  ServiceOptions service;
  ProofInput input;
};

/// Files of a finished proof; empty: not written.
struct ResultFiles {
  std::string proof;
  std::string public_inputs;  // circom
};

/// cuzk prove --remote ADDRESS
struct ProveRemoteOptions {
  ServiceOptions service;
  ProofInput input;
  ResultFiles files;
};

/// cuzk await JOB
struct AwaitOptions {
  ServiceOptions service;
  std::string job;
  ResultFiles files;
  Milliseconds timeout{0};  // 0: none
};

/// cuzk cancel JOB
struct CancelOptions {
  ServiceOptions service;
  std::string job;
};

/// cuzk jobs
struct JobsOptions {
  ServiceOptions service;
  std::string kind;
  std::vector<std::string> states;
  std::uint32_t limit = 0;
  bool partitions = false;
};

/// cuzk status, devices, metrics
struct StatusOptions {
  ServiceOptions service;
};
struct DevicesOptions {
  ServiceOptions service;
};
struct MetricsOptions {
  ServiceOptions service;
};

/// cuzk top
struct TopOptions {
  ServiceOptions service;
  Milliseconds interval{1000};
  bool once = false;
};

/// cuzk preload, evict
struct PreloadOptions {
  ServiceOptions service;
  std::string circuit;
};
struct EvictOptions {
  ServiceOptions service;
  std::string circuit;
};

/// cuzk bench single|batch|stress
struct BenchOptions {
  enum class Mode : std::uint8_t { single, batch, stress };
  ServiceOptions service;
  Mode mode = Mode::single;
  ProofInput input;
  std::string workload;  // stress: a file; empty: `input`
  std::uint64_t count = 1;
  unsigned concurrency = 1;
  Milliseconds duration{0};  // stress: no proof is begun after it; 0: none
  std::uint64_t seed = 1;    // stress: of the order
  bool same = false;         // send the same content again: what was proved is not proved again
};

using RemoteCommand =
    std::variant<SubmitOptions, ProveRemoteOptions, AwaitOptions, CancelOptions, JobsOptions, StatusOptions,
                 DevicesOptions, MetricsOptions, TopOptions, PreloadOptions, EvictOptions, BenchOptions>;

}  // namespace cuzk::cli
