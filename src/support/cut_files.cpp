#include "support/cut_files.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sys/mman.h>

namespace cuzk {
namespace {

/// Free: begin and end are 0.
struct Place {
  std::atomic<std::uintptr_t> begin = 0, end = 0;
  std::atomic<bool> taken = false, cut = false;
};

constexpr std::size_t kPlaces = 4096;
std::array<Place, kPlaces> places;
struct sigaction former{};
std::uintptr_t page_mask = 4095;

std::uintptr_t address_of(const void* pointer) noexcept { return reinterpret_cast<std::uintptr_t>(pointer); }

Place* place_of(std::uintptr_t address) noexcept {
  for (Place& place : places) {
    if (place.begin <= address && address < place.end) return &place;
  }
  return nullptr;
}

/// Behind the first missing page all are missing: one call for them all.
bool put_zeros(std::uintptr_t address) noexcept {
  Place* const place = place_of(address);
  if (place == nullptr) return false;
  const std::uintptr_t begin = address & ~page_mask;
  place->cut = true;
  return ::mmap(reinterpret_cast<void*>(begin), place->end - begin, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

/// Async-signal-safe: atomics and one system call.
void on_bus_error(int, siginfo_t* info, void*) noexcept {
  const int saved = errno;
  const bool repaired = info->si_code == BUS_ADRERR && put_zeros(address_of(info->si_addr));
  errno = saved;
  if (!repaired) ::sigaction(SIGBUS, &former, nullptr);  // the instruction is run again, and is theirs
}

}  // namespace

void survive_cut_files() noexcept {
  page_mask = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)) - 1;
  struct sigaction action{};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGBUS, &action, &former);
}

void watch_mapping(Bytes mapping) noexcept {
  for (Place& place : places) {
    if (place.taken.exchange(true)) continue;
    place.cut = false;
    place.begin = address_of(mapping.data());
    place.end = address_of(mapping.data()) + mapping.size();  // from here on it is found
    return;
  }
}

void forget_mapping(Bytes mapping) noexcept {
  Place* const place = place_of(address_of(mapping.data()));
  if (place == nullptr) return;
  place->end = 0;
  place->begin = 0;
  place->taken = false;
}

bool was_cut(Bytes mapping) noexcept {
  const Place* const place = place_of(address_of(mapping.data()));
  return place != nullptr && place->cut;
}

}  // namespace cuzk
