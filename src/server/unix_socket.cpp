#include "server/unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "support/os_error.h"

namespace cuzk::server {
namespace {

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof(address.sun_path)) {
    return fail(Code::invalid_argument, "the path of a unix socket has at most " +
                                            std::to_string(sizeof(address.sun_path) - 1) + " bytes; " + path + " has " +
                                            std::to_string(path.size()));
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

/// conflict: somebody listens there.
Status check_dead(const std::string& path) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return fail(os_error(errno, "cannot look at " + path));
  }
  if (!S_ISSOCK(found.st_mode)) {
    return fail(Code::invalid_argument, path + " is there and is no socket; it stays as it is");
  }
  CUZK_TRY(const sockaddr_un address, address_of(path));
  const FileDescriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) return fail(os_error(errno, "cannot make a socket"));
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 || errno == EAGAIN) {
    return fail(Code::conflict, "another process listens at " + path);
  }
  if (errno != ECONNREFUSED && errno != ENOENT) return fail(os_error(errno, "cannot ask who listens at " + path));
  return {};
}

Result<unsigned> group_number(const std::string& name) {
  const group* const found = getgrnam(name.c_str());  // at the start, before there are threads of ours
  if (found == nullptr) return fail(Code::invalid_argument, "there is no group " + name);
  return found->gr_gid;
}

}  // namespace

Result<SocketPlace> SocketPlace::claim(std::string path, unsigned mode, const std::string& group) {
  SocketPlace place(std::move(path), mode);
  CUZK_CHECK_OK(address_of(place.path_));
  if (!group.empty()) {
    CUZK_TRY(place.group_, group_number(group));
  }
  CUZK_CHECK_OK(place.take());
  return place;
}

Status SocketPlace::take() {
  const std::string parent = std::filesystem::path(path_).parent_path().string();
  std::error_code fault;
  std::filesystem::create_directories(parent, fault);
  if (fault) return fail(os_error(fault.value(), "cannot make the folder " + parent));

  const std::string lock = path_ + ".lock";
  lock_ = FileDescriptor(open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_) return fail(os_error(errno, "cannot open " + lock));
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(Code::conflict, "another process listens at " + path_ + " (it holds " + lock + ")");
  }
  CUZK_CHECK_OK(check_dead(path_));

  std::string folder = (parent == "/" ? "" : parent) + "/.cXXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return fail(os_error(errno, "cannot make a folder in " + parent));
  folder_ = std::move(folder);
  CUZK_CHECK_OK(address_of(bind_path()));
  return {};
}

SocketPlace::SocketPlace(SocketPlace&& other) noexcept
    : path_(std::move(other.path_)),
      folder_(std::exchange(other.folder_, {})),
      mode_(other.mode_),
      group_(other.group_),
      lock_(std::move(other.lock_)),
      inode_(std::exchange(other.inode_, 0)) {}

SocketPlace::~SocketPlace() {
  remove_folder();
  if (is_there()) unlink(path_.c_str());
}

bool SocketPlace::is_there() const noexcept {
  struct stat found{};
  return inode_ != 0 && lstat(path_.c_str(), &found) == 0 && found.st_ino == inode_;
}

Status SocketPlace::renew() {
  remove_folder();
  inode_ = 0;
  lock_.close();  // its file may be another one by now
  return take();
}

Status SocketPlace::publish() {
  const std::string bound = bind_path();
  struct stat found{};
  if (lstat(bound.c_str(), &found) != 0) return fail(os_error(errno, "cannot look at " + bound));
  if (group_ != ~0U && chown(bound.c_str(), ~0U, group_) != 0) {
    return fail(os_error(errno, "cannot give " + path_ + " to its group"));
  }
  if (chmod(bound.c_str(), mode_) != 0) return fail(os_error(errno, "cannot set the mode of " + path_));
  if (rename(bound.c_str(), path_.c_str()) != 0) return fail(os_error(errno, "cannot move a socket to " + path_));
  inode_ = found.st_ino;
  remove_folder();
  return {};
}

void SocketPlace::remove_folder() noexcept {
  if (folder_.empty()) return;
  unlink(bind_path().c_str());
  rmdir(folder_.c_str());
  folder_.clear();
}

}  // namespace cuzk::server
