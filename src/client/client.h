// Client: the calls of cuzk.v1.ProvingEngine, each of which waits for its answer.
//
// What fails: invalid_argument, not_found (no such job, circuit or key), exhausted (no room: try later), conflict,
// cancelled (the stop token), deadline (the deadline of the call), internal: as the service says. unavailable: it does
// not answer at its address, or is stopping; the message has the address and what the system said. permission is
// invalid_argument with the service's text. A proof that fails is no error: Outcome::end says so.
//
// A call has a deadline of its own where nothing is waited for (Connection::call_timeout); what waits for a proof has
// none. A connection that dies is noticed by pings. gRPC's headers stay in client.cpp. Thread-safety: concurrently.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/address.h"
#include "client/job.h"
#include "support/function_ref.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::client {

struct Connection {
  Address address;
  std::string token{};  // sent as "authorization: Bearer"; empty: none
  // PEM texts. TLS is used when the address asks for it or one of these is given; without roots those of the system.
  std::string tls_roots{}, tls_certificate{}, tls_key{};
  std::chrono::milliseconds call_timeout = std::chrono::seconds{30};
  /// How long in all a proof is given, or waited for, again: where there is no room, each time when the service has
  /// said; where none answers (it is being started again), after rests of at most two seconds.
  std::chrono::milliseconds patience{0};
};

class Client {
 public:
  /// Connects with the first call. invalid_argument: TLS over a unix socket, a certificate without its key.
  static Result<std::unique_ptr<Client>> create(Connection connection);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  // Proofs, given and waited for with Connection::patience. submit() returns when the job is accepted. Its deadline is
  // none: a payload takes as long as it takes.

  Result<Accepted> submit(const FilecoinProof& proof, const StopToken& stop = {}) const;
  Result<Accepted> submit(const CircomProof& proof, const StopToken& stop = {}) const;
  /// Waits for the end: of the job, or, as End::timeout, of a timeout that is not 0.
  Result<Outcome> await(std::string_view job_id, std::chrono::milliseconds timeout = {},
                        const StopToken& stop = {}) const;
  /// In one call, as other clients of the service do it. When its caller leaves, the job is cancelled after a while.
  Result<Outcome> prove(const FilecoinProof& proof, const StopToken& stop = {}) const;
  Result<Outcome> prove(const CircomProof& proof, const StopToken& stop = {}) const;

  // Jobs.

  /// True when it was open. not_found where the service knows no such job.
  Result<bool> cancel(std::string_view job_id) const;
  Result<std::vector<JobState>> jobs(const JobFilter& filter = {}) const;
  /// Calls `told` with the state now, after changes and at the end; ends with the job, or when `told` returns false.
  Status watch(std::string_view job_id, FunctionRef<bool(const JobState&)> told, const StopToken& stop = {}) const;

  // The service.

  Result<ServiceState> status() const;
  /// In Prometheus' text form.
  Result<std::string> metrics() const;
  /// Waits until it is resident.
  Result<Preloaded> preload(std::string_view circuit, const StopToken& stop = {}) const;
  Result<Evicted> evict(std::string_view circuit) const;

 private:
  struct Parts;
  explicit Client(std::unique_ptr<Parts> parts) noexcept;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cuzk::client
