// A packed witness (r1cs/packed_witness.h) in the memory of a device, and what makes it one there.
//
// The two bitmaps of the packed form are woven: a cell has both words of 32 variables, so that one load of 8 bytes
// tells a bit's value. Cells of 130 million variables are 33 MB and stay in a device's cache. A general variable j is
// general[ranks[j / 64] + general ones of its 64 before it].
//
// A witness comes packed from the host, or plain (32 bytes a variable) and is packed on the device by value, in chunks
// of any size, so that the plain form need not be in the device's memory as a whole.
//
// Memory is the caller's: witness_bytes() of it, given to the constructor and left alone while the object is used. All
// work is queued; sources must stay until it has run. Copies run beside other work from page-locked memory alone.
// Errors: device. Thread-safety: one thread at a time; views concurrently.
#pragma once

#include <cstdint>

#include "backend/cuda/runtime.h"
#include "field/big_int.h"
#include "r1cs/packed_witness.h"

namespace cuzk::cuda {

/// 32 auxiliary variables, least significant bit first: which are general, and the values of those that are not.
struct WitnessCell {
  std::uint32_t general;
  std::uint32_t bits;
};

/// What kernels read. Cells beyond the last variable are zero.
struct WitnessView {
  DeviceSpan<const U256> inputs;          // ONE first
  std::size_t num_aux = 0;                //
  DeviceSpan<const WitnessCell> cells;    // 2 packed_words(num_aux)
  DeviceSpan<const std::uint32_t> ranks;  // packed_words(num_aux)
  DeviceSpan<const U256> general;         // canonical
};

struct WitnessShape {
  std::size_t num_inputs = 1;
  std::size_t num_aux = 0;
  std::size_t most_general = 0;  // for a plain witness that nothing is known of: num_aux
};

std::size_t witness_bytes(const WitnessShape& shape);

class DeviceWitness {
 public:
  /// precondition: memory.size >= witness_bytes(shape), at a multiple of 256 bytes.
  DeviceWitness(const WitnessShape& shape, DeviceSpan<std::byte> memory);

  /// From the host's packed form. precondition: of this shape, at most most_general general variables.
  Status upload(const Stream& stream, const r1cs::PackedView& packed);

  // From a plain witness: begin_plain, then pack for all auxiliary variables in order, on one stream.
  /// `inputs`: host memory.
  Status begin_plain(const Stream& stream, std::span<const U256> inputs);
  /// Variables [first_aux, first_aux + values.size), in device memory, canonical. precondition: first_aux is a multiple
  /// of 64 and follows the chunk before.
  Status pack(const Stream& stream, DeviceSpan<const U256> values, std::size_t first_aux);

  /// How many general variables there are, when the stream has come so far: one word of device memory. Above
  /// most_general when that was too low for a plain witness: values are then missing, and the witness must not be used.
  DeviceSpan<const std::uint32_t> general_count() const { return {count_.data, 1}; }
  /// Its `general` is as long as the memory for it.
  WitnessView view() const;
  const WitnessShape& shape() const { return shape_; }

 private:
  WitnessShape shape_;
  DeviceSpan<U256> inputs_;
  DeviceSpan<WitnessCell> cells_;
  DeviceSpan<std::uint32_t> ranks_;
  DeviceSpan<U256> general_;
  DeviceSpan<u64> words_;           // of an upload: general map, then bits
  DeviceSpan<std::uint32_t> sums_;  // of a pack: general variables of each block
  DeviceSpan<std::uint32_t> count_;
};

}  // namespace cuzk::cuda
