#include "engine/timing_record.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "backend/busy_time.h"

namespace cuzk::engine {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c > ' ' && c < '\x7f' && c != '%' && c != '=') {
      out += c;
      continue;
    }
    std::array<char, 4> code{};
    std::snprintf(code.data(), code.size(), "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += code.data();
  }
  return out;
}

/// Lines of one record.
class Lines {
 public:
  explicit Lines(const TimingSubject& subject)
      : end_(" job=" + escaped(subject.job) + " part=" + std::to_string(subject.partition) +
             " gpu=" + (subject.is_cpu ? "-1" : std::to_string(subject.device)) + "\n") {}

  struct Field {
    std::string_view name;
    std::uint64_t value;
  };
  Lines& line(std::initializer_list<Field> fields,
              std::string_view prefix = "CUZK_TIMING:", std::string_view unit = {}) {
    text_ += prefix;
    for (const Field& field : fields) {
      text_ += ' ';
      text_ += field.name;
      text_ += '=';
      text_ += std::to_string(field.value);
      text_ += unit;
    }
    text_ += end_;
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  const std::string end_;
  std::string text_;
};

using backend::DevicePhase;
using backend::DeviceTimes;

/// What is told of a device's own clock; all 0 without one.
struct OnDevice {
  std::uint64_t split = 0, b_g2 = 0, ntt_msm_h = 0, ones = 0, general = 0, total = 0, busy = 0;
  std::uint64_t inputs = 0, key_bytes = 0;
  std::uint64_t to_product = 0, after_product = 0, msm_h = 0;  // what ntt_msm_h is made of
};

std::uint64_t ns_of(const std::optional<DeviceTimes::Span>& span) { return span ? span->ns() : 0; }

OnDevice on_device(const DeviceTimes& times) {
  OnDevice all;
  const auto is_quotient = [](DevicePhase phase) {
    return phase == DevicePhase::h2d_abc || phase == DevicePhase::evaluate || phase == DevicePhase::ntt;
  };
  all.ntt_msm_h = ns_of(times.extent([&](DevicePhase p) { return is_quotient(p) || p == DevicePhase::msm_h; }));
  all.total = ns_of(times.extent([](DevicePhase p) { return p != DevicePhase::finish; }));
  for (const DeviceTimes::Span& span : times.spans) {
    if (span.phase == DevicePhase::ntt) all.after_product = span.ns();  // the last one's
  }
  all.to_product = ns_of(times.extent(is_quotient)) - all.after_product;
  all.split = times.ns(DevicePhase::split);
  all.b_g2 = times.ns(DevicePhase::msm_b_g2);
  all.ones = times.ns(DevicePhase::subset_sums);
  all.general = times.ns(DevicePhase::msm_general);
  all.msm_h = times.ns(DevicePhase::msm_h);
  all.inputs = times.ns(DevicePhase::h2d_witness) + times.ns(DevicePhase::h2d_abc);
  all.key_bytes = times.bytes_by(backend::Way::key);
  backend::BusyTime busy;
  busy.add(times);
  all.busy = busy.total_ns();
  return all;
}

}  // namespace

std::string timing_record(const TimingSubject& subject, const PartitionTimeline& timeline) {
  const auto whole = [](std::uint64_t ns) { return ns / 1'000'000; };
  const auto ms = [&](Phase phase) {
    const PhaseSpan& span = timeline[phase];
    return whole(span.duration_ns(span.end_ns));
  };
  const bool has_clock = timeline.on_device != nullptr;
  const OnDevice device = has_clock ? on_device(*timeline.on_device) : OnDevice();
  const std::uint64_t start = ms(Phase::start);
  const std::uint64_t proving = start + ms(Phase::finish);
  const std::uint64_t total = has_clock ? whole(device.total) : proving;
  const std::uint64_t compute = has_clock ? whole(device.busy) : proving;
  const std::uint64_t wait = ms(Phase::device_queue);
  const std::uint64_t moved = timeline.pinned_bytes + timeline.pageable_bytes;
  Lines lines(subject);
  lines.line({{"split_vectors_ms", 0}, {"setup_to_split_ms", 0}})
      .line({{"prep_msm_ms", whole(device.split)}})
      .line({{"b_g2_msm_ms", whole(device.b_g2)}, {"num_circuits", 1}})
      .line({{"pre_lock_cpu_ms", ms(Phase::evaluate)}, {"mutex_wait_ms", wait}})
      .line({{"gpu_tid", 0}, {"ntt_msm_h_ms", whole(device.ntt_msm_h)}})
      .line({{"gpu_tid", 0}, {"barrier_wait_ms", 0}})
      .line({{"gpu_tid", 0}, {"batch_add_ms", whole(device.ones)}})
      .line({{"gpu_tid", 0}, {"tail_msm_ms", whole(device.general)}, {"gpu_total_ms", subject.is_cpu ? 0 : total}})
      .line({{"mutex_held_ms", start}, {"total_start_fn_ms", wait + start}})
      .line({{"async_dealloc_ms", 0}})
      .line({{"h2d_abc_ms", whole(device.inputs)},
             {"h2d_abc_bytes", moved},
             {"h2d_key_bytes", device.key_bytes},
             {"pageable_bytes", timeline.pageable_bytes},
             {"compute_ms", compute},
             {"idle_ms", total - std::min(total, compute)}})
      .line({{"d_b_alloc", 0},
             {"ntt_kernels", whole(device.to_product)},
             {"coset_intt_sync", whole(device.after_product)},
             {"msm_init", 0},
             {"msm_invoke", whole(device.msm_h)},
             {"msm_dtor", 0},
             {"total", whole(device.ntt_msm_h)}},
            "CUZK_NTT_H:", "ms");
  return lines.take();
}

void write_timing_record(std::string_view record) { std::fwrite(record.data(), 1, record.size(), stderr); }

}  // namespace cuzk::engine
