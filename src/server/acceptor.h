// Acceptor: takes the connections that come at some listening sockets, and hands them on.
//
// A process has only so many descriptors. The last ones are not for clients, who could otherwise keep it from its
// journal and its keys: a connection that would take one is closed at once. One that cannot be taken at all is left
// waiting, and asked for again when others have closed. Thread-safety: external.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "support/file_descriptor.h"
#include "support/result.h"
#include "support/stop.h"

namespace cuzk::server {

class Acceptor {
 public:
  /// Gets the descriptor of a connection, non-blocking and close-on-exec, and owns it. Must not wait.
  using Take = std::function<void(int client)>;
  /// Descriptors that no client gets; a quarter of them where there are few.
  static constexpr unsigned long kKeptDescriptors = 64;
  /// Pages may take half of those that are kept from calls: the process tells how it is when callers have all others.
  enum class Use : std::uint8_t { calls, pages };

  /// On a thread of that name, until the end. The sockets are non-blocking. Errors: those of the system.
  static Result<std::unique_ptr<Acceptor>> start(std::string_view thread, Use use,
                                                 std::vector<FileDescriptor> listeners, Take take);
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;
  /// Stops; the sockets are closed.
  ~Acceptor();

 private:
  Acceptor(Use use, std::vector<FileDescriptor> listeners, FileDescriptor wake, Take take);
  void run(const StopToken& stop) const;
  void accept_from(int listener) const;

  const Use use_;
  const std::vector<FileDescriptor> listeners_;
  const FileDescriptor wake_;  // readable: look at the stop token
  const Take take_;
  std::jthread thread_;  // ends first
};

}  // namespace cuzk::server
