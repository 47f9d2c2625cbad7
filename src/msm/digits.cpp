#include "msm/digits.h"

#include <algorithm>
#include <cstring>

#include "support/result.h"

namespace cuzk {

namespace {

constexpr std::size_t kGrain = 8192;  // scalars a chunk, some 100 us

struct SignedMagnitude {
  U256 magnitude;
  bool negative;
};

/// k or r - k, the smaller one.
SignedMagnitude signed_magnitude(const U256& k, const U256& r) noexcept {
  U256 rest = r;
  if (rest.sub(k) != 0) [[unlikely]] {  // not canonical
    U256 reduced = k;
    while (!(reduced < r)) reduced.sub(r);
    return signed_magnitude(reduced, r);
  }
  // Nearly always the top limbs decide; the branch on the result would be mispredicted half the time.
  const bool negative = rest.limb[3] != k.limb[3] ? rest.limb[3] < k.limb[3] : rest < k;
  const u64 mask = u64{0} - static_cast<u64>(negative);
  SignedMagnitude s{k, negative};
  for (std::size_t i = 0; i < U256::limbs; ++i) s.magnitude.limb[i] ^= (k.limb[i] ^ rest.limb[i]) & mask;
  return s;
}

/// 2^(at + bits - 1) of all windows but the last.
U256 shift_of(std::span<const Window> windows) noexcept {
  U256 shift = U256::zero();
  for (std::size_t w = 0; w + 1 < windows.size(); ++w) {
    const unsigned bit = windows[w].at + windows[w].bits - 1;
    shift.limb[bit / 64] |= u64{1} << (bit % 64);
  }
  return shift;
}

/// Reads one window's digit out of shifted magnitudes.
class DigitReader {
 public:
  DigitReader(const Window& window, bool last) noexcept
      : byte_(std::min(window.at / 8, 24u)),
        shift_(window.at - 8 * byte_),
        mask_((u64{1} << window.bits) - 1),
        zero_(last ? 0 : static_cast<std::int32_t>(window.buckets())) {}

  std::int32_t operator()(const U256& shifted) const noexcept {
    u64 v;
    std::memcpy(&v, reinterpret_cast<const std::byte*>(&shifted) + byte_, sizeof v);
    return static_cast<std::int32_t>(v >> shift_ & mask_) - zero_;
  }

 private:
  unsigned byte_, shift_;
  u64 mask_;
  std::int32_t zero_;
};

}  // namespace

Digits::Digits(Arena& arena, std::span<const U256> scalars, const U256& r) {
  CUZK_REQUIRE(scalars.size() <= kMaxScalars);
  const std::size_t chunks = (scalars.size() + kGrain - 1) / kGrain;
  const auto chunk_of = [&](std::size_t c) {
    return scalars.subspan(c * kGrain, std::min(kGrain, scalars.size() - c * kGrain));
  };

  std::vector<std::array<std::uint32_t, 257>> lengths(chunks);
  parallel_tasks(arena, chunks, [&](std::size_t c) {
    lengths[c].fill(0);
    for (const U256& k : chunk_of(c)) ++lengths[c][signed_magnitude(k, r).magnitude.bit_length()];
  });
  LengthCounts counts{};
  for (const auto& chunk : lengths)
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += chunk[i];
  size_ = scalars.size() - counts[0];
  windows_ = plan_windows(counts);

  std::array<unsigned, 257> needs{};
  for (unsigned length = 0; length < needs.size(); ++length) needs[length] = windows_of_length(windows_, length);

  // next[c * stride + need]: where chunk c puts its next scalar that needs so many windows.
  const std::size_t stride = windows_.size() + 1;
  std::vector<std::size_t> next(chunks * stride, 0);
  for (std::size_t c = 0; c < chunks; ++c)
    for (std::size_t length = 1; length < needs.size(); ++length)
      next[c * stride + needs[length]] += lengths[c][length];
  entries_.resize(windows_.size());
  std::size_t position = 0;
  for (std::size_t need = windows_.size(); need > 0; --need) {
    for (std::size_t c = 0; c < chunks; ++c) position += std::exchange(next[c * stride + need], position);
    entries_[need - 1] = position;
  }

  indices_ = std::make_unique_for_overwrite<SignedIndex[]>(size_);
  shifted_ = std::make_unique_for_overwrite<U256[]>(size_);
  const U256 shift = shift_of(windows_);
  parallel_tasks(arena, chunks, [&](std::size_t c) {
    std::size_t index = c * kGrain;
    for (const U256& k : chunk_of(c)) {
      SignedMagnitude s = signed_magnitude(k, r);
      const unsigned need = needs[s.magnitude.bit_length()];
      if (need != 0) {
        const std::size_t at = next[c * stride + need]++;
        s.magnitude.add(shift);
        shifted_[at] = s.magnitude;
        indices_[at] = SignedIndex(index, s.negative);
      }
      ++index;
    }
  });
}

void BucketOrder::sort(const Digits& digits, std::size_t w) {
  const Window window = digits.windows()[w];
  const DigitReader digit(window, w + 1 == digits.windows().size());
  const auto shifted = digits.shifted().first(digits.entries(w));
  if (capacity_ < shifted.size()) {
    capacity_ = shifted.size();
    entries_ = std::make_unique_for_overwrite<BucketEntry[]>(capacity_);
  }
  buckets_ = window.buckets();
  counts_.clear();
  for (std::size_t first = 0; first < shifted.size(); first += kChunk) {
    const auto chunk = shifted.subspan(first, std::min(kChunk, shifted.size() - first));
    // next_[d + 1] counts digit d, then next_[d] is where its next entry goes; zeros go behind the others.
    next_.assign(buckets_ + 2, 0);
    for (const U256& s : chunk) ++next_[static_cast<std::uint32_t>(std::abs(digit(s))) + 1];
    const std::uint32_t zeros = std::exchange(next_[1], 0);
    for (std::uint32_t d = 1; d <= buckets_; ++d) next_[d + 1] += next_[d];
    const auto count = static_cast<std::uint32_t>(chunk.size()) - zeros;
    next_[0] = count;
    const SignedIndex* index = digits.indices().data() + first;
    for (const U256& s : chunk) {
      const std::int32_t d = digit(s);
      const auto size = static_cast<std::uint32_t>(std::abs(d));
      entries_[first + next_[size]++] = {size - 1, (index++)->negated_if(d < 0)};
    }
    counts_.push_back(count);
  }
}

}  // namespace cuzk
