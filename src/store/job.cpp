#include "store/job.h"

namespace cuzk::store {

namespace {

constexpr std::array<std::string_view, 5> kJobStates = {"accepted", "running", "completed", "failed", "cancelled"};
constexpr std::array<std::string_view, 4> kPartitionStates = {"waiting", "running", "finished", "failed"};
constexpr std::array<std::string_view, 3> kFailureClasses = {"caller", "transient", "defect"};

template <class E, std::size_t N>
std::optional<E> parse(const std::array<std::string_view, N>& names, std::string_view text) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(JobState state) noexcept { return kJobStates[static_cast<std::size_t>(state)]; }
std::string_view to_string(PartitionState state) noexcept { return kPartitionStates[static_cast<std::size_t>(state)]; }
std::string_view to_string(FailureClass failure) noexcept { return kFailureClasses[static_cast<std::size_t>(failure)]; }

std::optional<JobState> parse_job_state(std::string_view text) noexcept { return parse<JobState>(kJobStates, text); }

std::optional<PartitionState> parse_partition_state(std::string_view text) noexcept {
  return parse<PartitionState>(kPartitionStates, text);
}

std::optional<FailureClass> parse_failure_class(std::string_view text) noexcept {
  return parse<FailureClass>(kFailureClasses, text);
}

}  // namespace cuzk::store
