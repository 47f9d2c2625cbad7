// Writing of .params files chunk by chunk, for keys that need not fit into memory; the reader is bellperson_params.h.
//
// A sink of groth16::setup(): identities of a and b are left out. For a development key the marker file is written
// before the key appears. Errors: invalid_argument (a key not in the coset-monomial basis with bellperson's roots),
// unsupported (a variable in no constraint: its l or ic would be the identity; counts above 32 bits), those of
// AtomicFile. Memory: one chunk's bytes. Thread-safety: external.
#pragma once

#include <string>
#include <vector>

#include "formats/bellperson_params.h"
#include "groth16/key_sink.h"
#include "r1cs/density.h"
#include "support/atomic_file.h"
#include "support/parallel.h"

namespace cuzk::formats {

/// Size of the file of a circuit's key.
std::uint64_t params_bytes(const r1cs::CompiledCircuit<Bls12_381::Fr>& circuit, const r1cs::DensityCounts& dense);

class ParamsWriter final : public groth16::KeySink<Bls12_381> {
 public:
  static Result<ParamsWriter> create(Arena& arena, const std::string& path, KeyOrigin origin = KeyOrigin::development);

  /// Room on the disk, before the work; AtomicFile::reserve().
  Status reserve(std::uint64_t bytes) { return file_.reserve(bytes); }

  Status begin(const groth16::KeyShape& shape, const groth16::VerifyingKey<Bls12_381>& vk) override;
  Status begin_query(groth16::KeyQuery query, std::size_t size, std::size_t finite) override;
  Status append(std::span<const std::uint32_t> positions, std::span<const G1> points) override;
  Status append(std::span<const std::uint32_t> positions, std::span<const G2> points) override;

  /// Makes the key appear. precondition: all queries were written.
  Status commit();

  /// After begin().
  const groth16::KeyShape& shape() const noexcept { return shape_; }
  const groth16::VerifyingKey<Bls12_381>& vk() const noexcept { return vk_; }
  std::uint64_t bytes() const noexcept { return file_.position(); }

 private:
  ParamsWriter(Arena& arena, std::string path, KeyOrigin origin, AtomicFile file)
      : arena_(&arena), path_(std::move(path)), origin_(origin), file_(std::move(file)) {}
  template <class G> Status append_points(std::span<const G> points);
  Status write_marker() const;

  Arena* arena_;
  std::string path_;
  KeyOrigin origin_;
  AtomicFile file_;
  groth16::KeyShape shape_;
  groth16::VerifyingKey<Bls12_381> vk_;
  std::vector<std::byte> buffer_;
  std::size_t missing_ = 0;  // points of the query at hand
};

}  // namespace cuzk::formats
