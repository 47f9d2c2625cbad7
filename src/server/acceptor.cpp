#include "server/acceptor.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "support/os_error.h"
#include "support/thread.h"

namespace cuzk::server {
namespace {

/// Descriptors are given from the lowest number on, so that the number of a new one says how many there are.
bool is_kept(int client, Acceptor::Use use) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  rlim_t kept = std::min<rlim_t>(Acceptor::kKeptDescriptors, limit.rlim_cur / 4);
  if (use == Acceptor::Use::pages) kept /= 2;
  return static_cast<rlim_t>(client) >= limit.rlim_cur - kept;
}

}  // namespace

Acceptor::Acceptor(Use use, std::vector<FileDescriptor> listeners, FileDescriptor wake, Take take)
    : use_(use), listeners_(std::move(listeners)), wake_(std::move(wake)), take_(std::move(take)) {}

Result<std::unique_ptr<Acceptor>> Acceptor::start(std::string_view thread, Use use,
                                                  std::vector<FileDescriptor> listeners, Take take) {
  FileDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return fail(os_error(errno, "cannot make an event"));
  std::unique_ptr<Acceptor> acceptor(new Acceptor(use, std::move(listeners), std::move(wake), std::move(take)));
  acceptor->thread_ = named_thread(thread, [&running = *acceptor](const StopToken& stop) { running.run(stop); });
  return acceptor;
}

Acceptor::~Acceptor() {
  thread_.request_stop();
  eventfd_write(wake_.get(), 1);
}  // joins

void Acceptor::run(const StopToken& stop) const {
  std::vector<pollfd> waited = {{wake_.get(), POLLIN, 0}};
  for (const FileDescriptor& listener : listeners_) waited.push_back({listener.get(), POLLIN, 0});
  while (!stop.stop_requested()) {
    if (poll(waited.data(), waited.size(), -1) <= 0) continue;
    for (const pollfd& one : waited) {
      if (one.fd != wake_.get() && one.revents != 0) accept_from(one.fd);
    }
  }
}

void Acceptor::accept_from(int listener) const {
  const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client >= 0) {
    is_kept(client, use_) ? static_cast<void>(close(client)) : take_(client);
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
    pollfd pause{wake_.get(), POLLIN, 0};  // until others close
    poll(&pause, 1, 100);
  }
}

}  // namespace cuzk::server
