#include "engine/timing_record.h"

#include <array>
#include <cstdio>

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

}  // namespace

std::string timing_record(const TimingSubject& subject, const PartitionTimeline& timeline) {
  const auto ms = [&](Phase phase) {
    const PhaseSpan& span = timeline[phase];
    return span.duration_ns(span.end_ns) / 1'000'000;
  };
  const std::uint64_t start = ms(Phase::start);
  const std::uint64_t compute = start + ms(Phase::finish);
  const std::uint64_t wait = ms(Phase::device_queue);
  const std::uint64_t moved = timeline.pinned_bytes + timeline.pageable_bytes;
  Lines lines(subject);
  lines.line({{"split_vectors_ms", 0}, {"setup_to_split_ms", 0}})
      .line({{"prep_msm_ms", 0}})
      .line({{"b_g2_msm_ms", 0}, {"num_circuits", 1}})
      .line({{"pre_lock_cpu_ms", ms(Phase::evaluate)}, {"mutex_wait_ms", wait}})
      .line({{"gpu_tid", 0}, {"ntt_msm_h_ms", 0}})
      .line({{"gpu_tid", 0}, {"barrier_wait_ms", 0}})
      .line({{"gpu_tid", 0}, {"batch_add_ms", 0}})
      .line({{"gpu_tid", 0}, {"tail_msm_ms", 0}, {"gpu_total_ms", subject.is_cpu ? 0 : compute}})
      .line({{"mutex_held_ms", start}, {"total_start_fn_ms", wait + start}})
      .line({{"async_dealloc_ms", 0}})
      .line({{"h2d_abc_ms", 0},
             {"h2d_abc_bytes", moved},
             {"h2d_key_bytes", 0},
             {"pageable_bytes", timeline.pageable_bytes},
             {"compute_ms", compute},
             {"idle_ms", 0}})
      .line({{"d_b_alloc", 0},
             {"ntt_kernels", 0},
             {"coset_intt_sync", 0},
             {"msm_init", 0},
             {"msm_invoke", 0},
             {"msm_dtor", 0},
             {"total", 0}},
            "CUZK_NTT_H:", "ms");
  return lines.take();
}

void write_timing_record(std::string_view record) { std::fwrite(record.data(), 1, record.size(), stderr); }

}  // namespace cuzk::engine
