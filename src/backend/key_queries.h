// The queries of a proving key as backends read them: their sizes checked, their points in our memory layout.
//
// Errors: as said below. Thread-safety: pure functions on the view's bytes.
#pragma once

#include <span>
#include <string_view>

#include "curve/encoding.h"
#include "groth16/proving_key.h"
#include "support/parallel.h"
#include "support/stop.h"

namespace cuzk::backend {

/// malformed / bad_count when counts of the view contradict each other; unsupported when the curve has no such
/// encoding.
template <class C> Status check_queries(const groth16::ProvingKeyView<C>& view);

/// Where a query lies: its name, its bytes, their encoding, and the file that they are part of or null.
struct QueryPlace {
  std::string_view name;
  Bytes bytes;
  groth16::PointEncoding encoding{};
  const MappedFile* file = nullptr;
};

/// Points [first, first + to.size()) of a query, in parallel; pages of a file are given back to the system. Encoded
/// points are decoded, with that validation: the error is that of the first bad one, at its place in the file (in the
/// query when there is none). cancelled. precondition: they lie within the query.
template <class Point>
Status read_points(Arena& arena, const QueryPlace& query, std::size_t first, std::span<Point> to, Validation validation,
                   const StopToken& stop);

}  // namespace cuzk::backend
