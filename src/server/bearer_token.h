// What "Authorization: Bearer <token>" shows.
//
// Thread-safety: concurrently.
#pragma once

#include <string>
#include <string_view>

#include "support/mutex.h"

namespace cuzk::server {

/// Whether a header's value shows this token. The scheme is "Bearer" in any case (RFC 6750); the comparison takes the
/// same time for every token of a length.
bool shows_token(std::string_view header, std::string_view token) noexcept;

/// The token that callers must show; it may be replaced.
class WantedToken {
 public:
  /// Empty: none is wanted, and none ever will be.
  explicit WantedToken(std::string token) : is_wanted_(!token.empty()), token_(std::move(token)) {}

  bool is_wanted() const noexcept { return is_wanted_; }
  bool is_shown_by(std::string_view header) const {
    const MutexLock lock(mutex_);
    return shows_token(header, token_);
  }
  /// An empty one changes nothing.
  void replace(std::string token) {
    const MutexLock lock(mutex_);
    if (is_wanted_ && !token.empty()) token_ = std::move(token);
  }

 private:
  const bool is_wanted_;
  mutable Mutex mutex_;
  std::string token_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace cuzk::server
