// HttpConnection: one client's socket, with an end to every wait.
//
// A client has a limited time for all of what it sends or takes at once, whatever it trickles meanwhile. Bytes that
// came with the head belong to the body. Errors: deadline, unavailable (the client has gone), exhausted (a head above
// its limit), malformed. Thread-safety: one thread; interrupt() from any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "support/bytes.h"
#include "support/file_descriptor.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::server {

class HttpConnection {
 public:
  static constexpr std::size_t kMaxHeadBytes = std::size_t{16} << 10;

  /// A connected stream socket; it is made non-blocking.
  explicit HttpConnection(FileDescriptor socket);

  /// Request line and headers with the empty line that ends them. malformed: a line that does not end with CRLF.
  Result<std::string> read_head(Deadline deadline);
  /// Exactly as many bytes as `out` has.
  Status read(MutableBytes out, Deadline deadline);
  Status write(Bytes bytes, Deadline deadline);

  /// False once the client has closed its side.
  bool is_open() const;
  /// Takes what has come, without waiting.
  void discard_received();
  /// Tells the client that all has been said, and takes what it still sends for that long: a reset would take away
  /// what it has not read yet.
  void close_gently(Deadline deadline);
  /// Ends whatever waits, now and later.
  void interrupt() noexcept;

 private:
  Status wait(short events, Deadline deadline) const;
  /// At least one byte, or the end: 0.
  Result<std::size_t> receive(MutableBytes out, Deadline deadline);

  FileDescriptor socket_;
  std::string ahead_;  // received after the head
};

}  // namespace cuzk::server
