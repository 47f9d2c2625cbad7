// SocketPlace: the path of a unix socket, taken without doing harm to what is there.
//
// A live socket, or anything that is no socket, stays untouched; a dead socket is replaced. The new one is bound under
// another name in a folder that only its owner can enter, gets mode and group, and is then moved to the path: at no
// time can others connect who should not. A lock beside the path ("<path>.lock") keeps two of ours apart.
// Thread-safety: external.
#pragma once

#include <string>

#include "support/file_descriptor.h"
#include "support/result.h"

namespace cuzk::server {

class SocketPlace {
 public:
  /// Makes the folder where it is missing. Errors: conflict (a live process answers there), invalid_argument (what is
  /// there is no socket; the path is too long; no such group), those of the file system.
  static Result<SocketPlace> claim(std::string path, unsigned mode, const std::string& group);

  SocketPlace(SocketPlace&& other) noexcept;
  SocketPlace& operator=(SocketPlace&&) = delete;
  /// Removes the socket, when it is still the one that was published.
  ~SocketPlace();

  /// Where to bind.
  std::string bind_path() const { return folder_ + "/s"; }
  /// After binding.
  Status publish();

  /// Whether what was published still lies at its path.
  bool is_there() const noexcept;
  /// Where it does not: takes the path as claim() did, and with the same errors. To be bound and published again.
  Status renew();

 private:
  SocketPlace(std::string path, unsigned mode) : path_(std::move(path)), mode_(mode) {}
  Status take();
  void remove_folder() noexcept;

  std::string path_;
  std::string folder_;  // of bind_path(); empty: removed
  unsigned mode_;
  unsigned group_ = ~0U;  // none
  FileDescriptor lock_;
  unsigned long inode_ = 0;  // of the published socket; 0: none
};

}  // namespace cuzk::server
