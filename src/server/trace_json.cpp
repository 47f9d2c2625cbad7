#include "server/trace_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/json_writer.h"

namespace cuzk::server {
namespace {

using engine::JobStatus;
using engine::PartitionStatus;
using engine::Phase;
using engine::PhaseSpan;

constexpr std::uint64_t kJobTrack = 0;  // of the job's own phases; its partitions follow

// Phases that come one after the other share a track.
constexpr std::array<std::string_view, 4> kDeviceTracks = {"copies", "quotient", "sums", "B in G2"};

std::size_t device_track(backend::DevicePhase phase) {
  using backend::DevicePhase;
  switch (phase) {
    case DevicePhase::h2d_witness:
    case DevicePhase::h2d_abc:
    case DevicePhase::h2d_key:
      return 0;
    case DevicePhase::evaluate:
    case DevicePhase::ntt:
    case DevicePhase::msm_h:
    case DevicePhase::finish:
      return 1;
    case DevicePhase::split:
    case DevicePhase::subset_sums:
    case DevicePhase::msm_general:
      return 2;
    case DevicePhase::msm_b_g2:
      break;
  }
  return 3;
}

/// A track of the trace.
struct Track {
  std::uint64_t process;
  std::uint64_t thread;
};

class Trace {
 public:
  Trace(JsonWriter& json, std::uint64_t origin_ns, std::uint64_t now_ns)
      : json_(json), origin_ns_(origin_ns), now_ns_(now_ns) {}

  void write_job(std::uint64_t process, const JobStatus& job) {
    const Track own{process, kJobTrack};
    name(own, "process_name", "job " + job.job_id + " (" + job.kind + ")");
    sort_index(own, "process_sort_index", process);
    name(own, "thread_name", "job");
    sort_index(own, "thread_sort_index", kJobTrack);
    const std::uint64_t end = job.timeline.finished_ns == 0 ? now_ns_ : job.timeline.finished_ns;
    write_whole(own, job, end);
    write_phase(own, Phase::decode, job.timeline.decode, end);
    write_phase(own, Phase::check, job.timeline.check, end);
    for (std::size_t i = 0; i < job.partitions.size(); ++i) {
      const Track track{process, i + 1};
      write_partition(track, i, job.partitions[i], end);
      const std::uint64_t below = job.partitions.size() + 1 + i * kDeviceTracks.size();
      const auto* const times = job.partitions[i].timeline.on_device.get();
      if (times != nullptr) write_on_device({process, below}, sort_place(track.thread), *times);
    }
  }

 private:
  JsonWriter& event(const Track& track, std::string_view type, std::string_view name) {
    json_.begin_object();
    json_.key("ph").string(type).key("name").string(name);
    json_.key("pid").integer(track.process).key("tid").integer(track.thread);
    return json_;
  }

  void name(const Track& track, std::string_view what, std::string_view text) {
    event(track, "M", what).key("args").begin_object().key("name").string(text).end_object().end_object();
  }
  void sort_index(const Track& track, std::string_view what, std::uint64_t index) {
    event(track, "M", what).key("args").begin_object().key("sort_index").integer(index).end_object().end_object();
  }

  /// Leaves the event open for its args.
  JsonWriter& slice(const Track& track, std::string_view name, std::string_view category, const PhaseSpan& span) {
    event(track, "X", name).key("cat").string(category);
    json_.key("ts").real(static_cast<double>(span.begin_ns - std::min(span.begin_ns, origin_ns_)) / 1e3);
    json_.key("dur").real(static_cast<double>(span.end_ns - std::min(span.end_ns, span.begin_ns)) / 1e3);
    return json_;
  }

  void write_whole(const Track& track, const JobStatus& job, std::uint64_t end_ns) {
    slice(track, std::string(store::to_string(job.state)), "job", {job.timeline.accepted_ns, end_ns});
    json_.key("args").begin_object();
    json_.key("job_id").string(job.job_id).key("label").string(job.label).key("proof_kind").string(job.kind);
    json_.key("circuit").string(job.circuit).key("priority").string(to_string(job.priority));
    if (!job.error.empty()) json_.key("error").string(job.error);
    json_.end_object().end_object();
  }

  void write_phase(const Track& track, Phase phase, PhaseSpan span, std::uint64_t end_ns) {
    if (span.begin_ns == 0) return;
    const bool runs = span.end_ns == 0;
    if (runs) span.end_ns = end_ns;
    slice(track, to_string(phase), "phase", span);
    if (runs) json_.key("args").begin_object().key("unfinished").boolean(true).end_object();
    json_.end_object();
  }

  void write_partition(const Track& track, std::size_t index, const PartitionStatus& partition, std::uint64_t end_ns) {
    const engine::PartitionTimeline& timeline = partition.timeline;
    std::string title = "partition " + std::to_string(index);
    if (!timeline.device.empty()) title += " on " + timeline.device;
    if (timeline.attempts > 1) title += ", attempt " + std::to_string(timeline.attempts);
    name(track, "thread_name", title);
    sort_index(track, "thread_sort_index", sort_place(track.thread));
    for (std::size_t i = 0; i < engine::kPhases; ++i) {
      write_phase(track, static_cast<Phase>(i), timeline.phases[i], end_ns);
    }
  }

  /// Leaves room for the tracks of the device below each partition's.
  static std::uint64_t sort_place(std::uint64_t thread) { return thread * (kDeviceTracks.size() + 1); }

  void write_on_device(const Track& first, std::uint64_t place, const backend::DeviceTimes& times) {
    for (std::size_t i = 0; i < kDeviceTracks.size(); ++i) {
      const Track track{first.process, first.thread + i};
      bool named = false;
      for (const backend::DeviceTimes::Span& span : times.spans) {
        if (device_track(span.phase) != i) continue;
        if (!std::exchange(named, true)) {
          name(track, "thread_name", "on the device: " + std::string(kDeviceTracks[i]));
          sort_index(track, "thread_sort_index", place + 1 + i);
        }
        slice(track, to_string(span.phase), "device", {span.begin_ns, span.end_ns}).end_object();
      }
    }
  }

  JsonWriter& json_;
  const std::uint64_t origin_ns_;
  const std::uint64_t now_ns_;
};

}  // namespace

std::string trace_json(const std::vector<const JobStatus*>& jobs, std::uint64_t now_ns) {
  std::uint64_t origin_ns = now_ns;
  for (const JobStatus* job : jobs) origin_ns = std::min(origin_ns, job->timeline.accepted_ns);
  JsonWriter json;
  json.begin_object().key("displayTimeUnit").string("ms").key("traceEvents").begin_array();
  Trace trace(json, origin_ns, now_ns);
  for (std::size_t i = 0; i < jobs.size(); ++i) trace.write_job(i + 1, *jobs[i]);
  json.end_array().end_object();
  return json.take();
}

}  // namespace cuzk::server
