#include "server/listen_sockets.h"

#include <errno.h>
#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "support/os_error.h"

namespace cuzk::server {
namespace {

Error cannot_listen(int number, const std::string& where) {
  const std::string doing = "cannot listen at " + where;
  if (number == EADDRINUSE || number == EADDRNOTAVAIL) return {Code::conflict, doing + ": " + std::strerror(number)};
  return os_error(number, doing);
}

/// None, and errno says why.
FileDescriptor bound_socket(const sockaddr& address, socklen_t length) {
  FileDescriptor bound(socket(address.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (bound && setsockopt(bound.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
      bind(bound.get(), &address, length) == 0 && listen(bound.get(), SOMAXCONN) == 0) {
    return bound;
  }
  const int number = errno;
  bound.close();
  errno = number;
  return {};
}

/// An address with its port, of either family.
class PortAddress {
 public:
  explicit PortAddress(const addrinfo& from) : length_(std::min<socklen_t>(from.ai_addrlen, sizeof(storage_))) {
    std::memcpy(&storage_, from.ai_addr, length_);
  }
  explicit PortAddress(const FileDescriptor& bound) : length_(sizeof(storage_)) {
    if (getsockname(bound.get(), &get(), &length_) != 0) length_ = 0;
  }

  sockaddr& get() noexcept { return reinterpret_cast<sockaddr&>(storage_); }
  socklen_t length() const noexcept { return length_; }
  std::uint16_t port() noexcept { return ntohs(network_port()); }
  void set_port(std::uint16_t port) noexcept { network_port() = htons(port); }
  bool operator==(const PortAddress& other) const noexcept {
    return length_ == other.length_ && std::memcmp(&storage_, &other.storage_, length_) == 0;
  }

 private:
  in_port_t& network_port() noexcept {
    return storage_.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(storage_).sin6_port
                                          : reinterpret_cast<sockaddr_in&>(storage_).sin_port;
  }

  sockaddr_storage storage_{};
  socklen_t length_;
};

/// A name may have an address twice.
Result<std::vector<PortAddress>> addresses_of(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int fault = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (fault != 0) return fail(Code::not_found, "no address of " + address.host + ": " + gai_strerror(fault));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, &freeaddrinfo);
  std::vector<PortAddress> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const PortAddress next(*one);
    if (std::find(addresses.begin(), addresses.end(), next) == addresses.end()) addresses.push_back(next);
  }
  return addresses;
}

bool is_of_no_family_here(int number) noexcept { return number == EAFNOSUPPORT || number == EADDRNOTAVAIL; }

}  // namespace

Result<ListenSockets> listen_at_port(const ListenAddress& address) {
  CUZK_TRY(std::vector<PortAddress> addresses, addresses_of(address));
  ListenSockets listening;
  listening.port = address.port;
  int number = EADDRNOTAVAIL;
  for (PortAddress& one : addresses) {
    one.set_port(listening.port);
    FileDescriptor bound = bound_socket(one.get(), one.length());
    if (!bound) {
      number = errno;
      if (!is_of_no_family_here(number)) return fail(cannot_listen(number, address.to_string()));
      continue;
    }
    listening.port = PortAddress(bound).port();
    listening.sockets.push_back(std::move(bound));
  }
  if (listening.sockets.empty()) return fail(cannot_listen(number, address.to_string()));
  return listening;
}

Result<FileDescriptor> listen_at_path(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof(address.sun_path)) return fail(Code::invalid_argument, path + " is too long for a socket");
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  FileDescriptor bound = bound_socket(reinterpret_cast<const sockaddr&>(address), sizeof(address));
  if (!bound) return fail(cannot_listen(errno, path));
  return bound;
}

}  // namespace cuzk::server
