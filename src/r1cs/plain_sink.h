// The sink that writes every variable as a canonical 256-bit integer, the form of witness.h.
//
// Bits go past the caches where the destination is aligned to 16 bytes: a partition is many times larger than they are,
// and nobody reads it soon. Precondition: the destination holds what is put. Thread-safety: as witness_sink.h says;
// sinks over disjoint destinations concurrently.
#pragma once

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "field/fp_batch.h"
#include "r1cs/witness_sink.h"
#include "support/bytes.h"

namespace cuzk::r1cs {

template <class Fr> class PlainSink {
 public:
  using Field = Fr;

  /// For the variables from `first` on; `aux` is where number 0 goes.
  PlainSink(std::span<U256> aux, std::size_t first) noexcept
      : first_(aux.data()),
        next_(aux.data() + first),
        streams_((reinterpret_cast<std::uintptr_t>(aux.data()) & 15) == 0) {}

  void bits(u64 word, unsigned count) noexcept {
#if defined(__x86_64__)
    if (streams_) [[likely]]
      return stream_bits(word, count);
#endif
    for (unsigned i = 0; i < count; ++i) *next_++ = U256::from_u64(word >> i & 1);
  }
  void value(const U256& value) noexcept { *next_++ = value; }
  std::span<U256> values(std::size_t count) noexcept {
    const std::span<U256> chosen(next_, count);
    next_ += count;
    return chosen;
  }
  void element(const Fr& element) noexcept { value(element.canonical()); }
  void elements(std::span<const Fr> elements) noexcept { to_canonical_n(values(elements.size()), elements); }

  /// Makes what bypassed the caches visible to whoever synchronises with this thread.
  void finish() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
  }

  /// Number of the next variable.
  std::size_t position() const noexcept { return static_cast<std::size_t>(next_ - first_); }

 private:
#if defined(__x86_64__)
  void stream_bits(u64 word, unsigned count) noexcept {
    auto* to = reinterpret_cast<__m128i*>(next_);
    for (unsigned i = 0; i < count; ++i) {
      _mm_stream_si128(to++, _mm_cvtsi64_si128(static_cast<long long>(word >> i & 1)));
      _mm_stream_si128(to++, _mm_setzero_si128());
    }
    next_ += count;
  }
#endif

  U256* first_;
  U256* next_;
  bool streams_;
};

}  // namespace cuzk::r1cs
