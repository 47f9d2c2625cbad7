// SHA-256 (FIPS 180-4) of a circuit's bits. Bits stand in the order in which the standard numbers them: the most
// significant bit of the first byte first. Variables and constraints, in order: docs/circuits.md, "SHA-256".
//
// One compression takes about 26,000 of each, fewer where bits of the message are constants. Structure as in
// bellpepper-core, so that keys made for its circuits fit.
#pragma once

#include <span>
#include <vector>

#include "gadgets/boolean.h"
#include "gadgets/num.h"

namespace cuzk::gadgets {

/// The digest, 256 bits. Each compression is a Block. precondition: whole bytes (CUZK_REQUIRE).
template <r1cs::ConstraintSystem CS> std::vector<Boolean> sha256(CS& cs, std::span<const Boolean> message);

/// A node of a SHA-256 tree: the digest of both children's 32 little-endian bytes, its two highest bits dropped, as a
/// number.
template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> sha256_pair(CS& cs, const Num<typename CS::Field>& left, const Num<typename CS::Field>& right);

}  // namespace cuzk::gadgets

#include "gadgets/sha256_impl.h"
