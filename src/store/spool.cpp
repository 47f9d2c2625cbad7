#include "store/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <map>
#include <string_view>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

#include "support/atomic_file.h"
#include "support/hex.h"
#include "support/mutex.h"
#include "support/os_error.h"

namespace cuzk::store {

namespace {

constexpr std::size_t kHashDigits = 64;

std::optional<PayloadHash> parse_name(std::string_view name) {
  PayloadHash hash;
  if (name.size() != kHashDigits || !decode_hex(name, hash)) return std::nullopt;
  if (encode_hex(hash) != name) return std::nullopt;  // upper case is not ours
  return hash;
}

/// A temporary file that AtomicFile left when its process was killed.
bool is_abandoned(std::string_view name) noexcept {
  return name.size() > kHashDigits && name[kHashDigits] == '.' && name.ends_with(".tmp");
}

std::chrono::seconds age_of(const struct stat& status) noexcept {
  return std::chrono::seconds(std::time(nullptr) - status.st_mtim.tv_sec);
}

/// Its user's, and nobody else's.
Status make_private(const std::string& folder) {
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) return fail(os_error(errno, "cannot open folder " + folder));
  if (status.st_uid != ::geteuid()) {
    return fail(Code::invalid_argument, "the folder " + folder + " belongs to user " + std::to_string(status.st_uid) +
                                            ", expected " + std::to_string(::geteuid()) +
                                            ": payloads may hold witnesses");
  }
  if ((status.st_mode & 0777U) != 0700U && ::fchmod(fd.get(), 0700) != 0) {
    return fail(os_error(errno, "cannot make folder " + folder + " its user's alone"));
  }
  return {};
}

/// A link, a pipe or the like under a payload's name is none.
Result<MappedFile> map_payload(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return fail(os_error(errno, "cannot read " + path));
  if (!S_ISREG(status.st_mode)) return fail(Code::malformed, path + " is no regular file");
  return MappedFile::open(path);
}

/// Nothing but a regular file or a folder stays: a writer would follow it.
Status remove_irregular(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return {};
  if (::unlink(path.c_str()) != 0) return fail(os_error(errno, "cannot remove " + path));
  return {};
}

Result<FileDescriptor> open_lock_file(const std::string& folder) {
  const std::string path = folder + "/lock";
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return fail(os_error(errno, "cannot open " + path));
  return fd;
}

/// The lock between those who put payloads (shared) and one who removes them (exclusive), in whatever process.
Result<FileDescriptor> lock_folder(const std::string& folder, int how) {
  CUZK_TRY(FileDescriptor fd, open_lock_file(folder));
  while (::flock(fd.get(), how) != 0) {
    if (errno != EINTR) return fail(os_error(errno, "cannot lock the folder " + folder));
  }
  return fd;
}

/// What is pinned, as others see it: a lock of the open file on one byte for each payload, at a place that its hash
/// says. They end with the process.
class HashLocks {
 public:
  explicit HashLocks(FileDescriptor fd) noexcept : fd_(std::move(fd)) {}

  /// F_RDLCK: ours too; F_UNLCK.
  Status set(const PayloadHash& hash, short type) const {
    struct flock lock = lock_of(hash, type);
    if (::fcntl(fd_.get(), F_OFD_SETLK, &lock) != 0) return fail(os_error(errno, "cannot hold a payload in the spool"));
    return {};
  }
  /// By others; those of this object are not seen.
  Result<bool> is_held(const PayloadHash& hash) const {
    struct flock lock = lock_of(hash, F_WRLCK);
    if (::fcntl(fd_.get(), F_OFD_GETLK, &lock) != 0) return fail(os_error(errno, "cannot ask for locks of the spool"));
    return lock.l_type != F_UNLCK;
  }

 private:
  static struct flock lock_of(const PayloadHash& hash, short type) noexcept {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    for (std::size_t i = 0; i < 7; ++i) lock.l_start = lock.l_start << 8 | std::to_integer<off_t>(hash[i]);
    return lock;
  }

  FileDescriptor fd_;
};

}  // namespace

struct PayloadPin::Shared {
  struct Entry {
    std::uint64_t bytes = 0;
    unsigned pins = 0;
    bool present = false;  // complete in the folder
  };

  explicit Shared(FileDescriptor lock_file) noexcept : locks(std::move(lock_file)) {}

  void unpin(const PayloadHash& hash) noexcept {
    const MutexLock lock(mutex);
    const auto found = entries.find(hash);
    if (found == entries.end() || --found->second.pins > 0) return;
    static_cast<void>(locks.set(hash, F_UNLCK));
    if (found->second.present) return;
    used -= found->second.bytes;
    entries.erase(found);
  }

  const HashLocks locks;  // of pins
  mutable Mutex mutex;    // nothing else is taken while it is held
  std::map<PayloadHash, Entry> entries CUZK_GUARDED_BY(mutex);
  std::uint64_t used CUZK_GUARDED_BY(mutex) = 0;
};

PayloadPin& PayloadPin::operator=(PayloadPin&& other) noexcept {
  if (this != &other) {
    release();
    shared_ = std::move(other.shared_);
    hash_ = other.hash_;
  }
  return *this;
}

PayloadPin::~PayloadPin() { release(); }

void PayloadPin::release() noexcept {
  if (shared_) shared_->unpin(hash_);
  shared_.reset();
}

Spool::Spool(Options options, FileDescriptor lock_file)
    : options_(std::move(options)), shared_(std::make_shared<PayloadPin::Shared>(std::move(lock_file))) {}

Spool::~Spool() = default;

Result<std::unique_ptr<Spool>> Spool::open(Options options) {
  if (options.folder.empty()) return fail(Code::invalid_argument, "a spool needs the name of a folder");
  if (::mkdir(options.folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(os_error(errno, "cannot make folder " + options.folder));
  }
  CUZK_CHECK_OK(make_private(options.folder));
  CUZK_TRY(FileDescriptor lock_file, open_lock_file(options.folder));
  std::unique_ptr<Spool> spool(new Spool(std::move(options), std::move(lock_file)));
  CUZK_CHECK_OK(spool->scan());
  return spool;
}

std::string Spool::path_of(const PayloadHash& hash) const { return options_.folder + "/" + encode_hex(hash); }

std::uint64_t Spool::used_bytes() const {
  const MutexLock lock(shared_->mutex);
  return shared_->used;
}

Status Spool::reserve(const PayloadHash& hash, std::uint64_t bytes) {
  const MutexLock lock(shared_->mutex);
  const auto known = shared_->entries.find(hash);
  if (known != shared_->entries.end()) {
    if (known->second.pins == 0) CUZK_CHECK_OK(shared_->locks.set(hash, F_RDLCK));
    ++known->second.pins;
    return {};
  }
  const std::uint64_t quota = options_.quota_bytes;
  if (quota != 0 && (bytes > quota || shared_->used > quota - bytes)) {
    return fail(Code::exhausted, "the spool " + options_.folder + " holds " + std::to_string(shared_->used) + " of " +
                                     std::to_string(quota) + " bytes: no room for " + std::to_string(bytes) + " more");
  }
  CUZK_CHECK_OK(shared_->locks.set(hash, F_RDLCK));
  shared_->entries.emplace(hash, PayloadPin::Shared::Entry{.bytes = bytes, .pins = 1, .present = false});
  shared_->used += bytes;
  return {};
}

/// Under the shared lock: what is there already and whole is only made young again.
Status Spool::write(const PayloadHash& hash, Bytes payload) const {
  CUZK_TRY(const FileDescriptor lock, lock_folder(options_.folder, LOCK_SH));
  const std::string path = path_of(hash);
  if (const auto old = map_payload(path); old && std::ranges::equal(old->bytes(), payload)) {
    if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) != 0) return fail(os_error(errno, "cannot touch " + path));
    return {};
  }
  CUZK_CHECK_OK(remove_irregular(path));
  CUZK_CHECK_OK(write_file_atomically(path, payload));
  if (::chmod(path.c_str(), 0600) != 0) return fail(os_error(errno, "cannot make " + path + " its user's alone"));
  return {};
}

Result<PayloadPin> Spool::put(Bytes payload) {
  const PayloadHash hash = sha256(payload);
  CUZK_CHECK_OK(reserve(hash, payload.size()));
  PayloadPin pin(shared_, hash);
  CUZK_CHECK_OK(write(hash, payload));
  const MutexLock lock(shared_->mutex);
  shared_->entries[hash].present = true;
  return pin;
}

Result<MappedFile> Spool::map(const PayloadHash& hash) const {
  CUZK_TRY(MappedFile file, map_payload(path_of(hash)));
  file.advise_sequential(file.bytes());
  if (sha256(file.bytes()) != hash) {
    return fail(Error(Code::malformed, Kind::digest_mismatch, "a payload in the spool is damaged: send the job again")
                    .at({.file = file.path(),
                         .section = "payload",
                         .expected = encode_hex(hash),
                         .found = encode_hex(sha256(file.bytes()))}));
  }
  return file;
}

Result<std::uint64_t> Spool::size_of(const PayloadHash& hash) const {
  struct stat status{};
  const std::string path = path_of(hash);
  if (::lstat(path.c_str(), &status) != 0) return fail(os_error(errno, "cannot read " + path));
  return static_cast<std::uint64_t>(status.st_size);
}

/// Counts what is in the folder, removes abandoned temporary files, and returns what may be collected by its age.
Result<std::vector<PayloadHash>> Spool::scan() {
  struct Close {
    void operator()(DIR* stream) const noexcept { ::closedir(stream); }
  };
  const std::unique_ptr<DIR, Close> stream(::opendir(options_.folder.c_str()));
  if (!stream) return fail(os_error(errno, "cannot read folder " + options_.folder));
  std::vector<PayloadHash> old;
  std::map<PayloadHash, std::uint64_t> seen;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    const std::string path = options_.folder + "/" + std::string(name);
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const bool is_old = age_of(status) >= options_.grace;
    if (const auto hash = parse_name(name)) {
      seen.emplace(*hash, static_cast<std::uint64_t>(status.st_size));
      if (is_old) old.push_back(*hash);
    } else if (is_abandoned(name) && is_old) {
      CUZK_CHECK_OK(remove_abandoned(path));
    }
  }
  note(seen);
  return old;
}

/// Under the exclusive lock nobody writes, so that what still has a temporary name is nobody's.
Status Spool::remove_abandoned(const std::string& path) const {
  CUZK_TRY(const FileDescriptor lock, lock_folder(options_.folder, LOCK_EX));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail(os_error(errno, "cannot remove " + path));
  return {};
}

/// Others may have put and removed payloads since the folder was read last.
void Spool::note(const std::map<PayloadHash, std::uint64_t>& seen) {
  const MutexLock lock(shared_->mutex);
  std::erase_if(shared_->entries,
                [&](const auto& known) { return known.second.pins == 0 && !seen.contains(known.first); });
  for (const auto& [hash, bytes] : seen) {
    auto& entry = shared_->entries[hash];
    entry.present = true;
    entry.bytes = bytes;
  }
  shared_->used = 0;
  for (const auto& [hash, entry] : shared_->entries) shared_->used += entry.bytes;
}

Result<bool> Spool::is_pinned(const PayloadHash& hash) const {
  {
    const MutexLock lock(shared_->mutex);
    const auto known = shared_->entries.find(hash);
    if (known != shared_->entries.end() && known->second.pins > 0) return true;
  }
  return shared_->locks.is_held(hash);
}

/// Under the exclusive lock: whoever puts the same payload now finds it gone, and writes it. A pin ends when a job
/// refers to its payload: whether one does is asked after it was seen that there is no pin.
Status Spool::remove_unused(const PayloadHash& hash, Journal& journal, const Call& call, Collected& collected) {
  CUZK_TRY(const FileDescriptor folder_lock, lock_folder(options_.folder, LOCK_EX));
  CUZK_TRY(const bool pinned, is_pinned(hash));
  if (pinned) return {};
  CUZK_TRY(const std::vector<PayloadHash> unused, journal.unreferenced({&hash, 1}, call));
  if (unused.empty()) return {};
  const std::string path = path_of(hash);
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return {};
  if (::unlink(path.c_str()) != 0) return fail(os_error(errno, "cannot remove " + path));
  ++collected.files;
  collected.bytes += static_cast<std::uint64_t>(status.st_size);
  const MutexLock lock(shared_->mutex);
  const auto known = shared_->entries.find(hash);
  if (known == shared_->entries.end()) return {};
  known->second.present = false;
  if (known->second.pins > 0) return {};  // since then: it is about to be written again
  shared_->used -= known->second.bytes;
  shared_->entries.erase(known);
  return {};
}

Result<Spool::Collected> Spool::collect(Journal& journal, std::span<const PayloadHash> dropped, const Call& call) {
  CUZK_TRY(std::vector<PayloadHash> candidates, scan());
  candidates.insert(candidates.end(), dropped.begin(), dropped.end());
  CUZK_TRY(const std::vector<PayloadHash> unused, journal.unreferenced(candidates, call));
  Collected collected;
  for (const PayloadHash& hash : unused) {
    CUZK_CHECK_OK(check_stop(call.stop, "collecting payloads"));
    CUZK_CHECK_OK(remove_unused(hash, journal, call, collected));
  }
  return collected;
}

}  // namespace cuzk::store
