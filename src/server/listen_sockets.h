// Sockets that listen, for servers that accept by themselves.
//
// Non-blocking, close-on-exec. Errors: conflict (the address is taken, or not of this machine), not_found (no such
// host), invalid_argument (a path too long), those of the system. Thread-safety: concurrently.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/listen_address.h"
#include "support/file_descriptor.h"
#include "support/result.h"

namespace cuzk::server {

struct ListenSockets {
  std::vector<FileDescriptor> sockets;
  std::uint16_t port = 0;  // the same of all
};

/// At every address that the host's name has ("localhost": 127.0.0.1 and ::1); those of a family that the machine does
/// not speak are left out.
Result<ListenSockets> listen_at_port(const ListenAddress& address);
/// A unix socket, bound at this path.
Result<FileDescriptor> listen_at_path(const std::string& path);

}  // namespace cuzk::server
