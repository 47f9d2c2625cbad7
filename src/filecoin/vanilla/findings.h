// What is wrong with a vanilla proof: every fault with its kind and place, not only the first.
//
// Thread-safety: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filecoin/vanilla/proofs.h"
#include "support/result.h"

namespace cuzk::filecoin {

struct Finding {
  Kind kind;
  std::string place;  // names as on the wire: "vanilla_proofs[0][3].comm_d_proofs"
  std::optional<std::uint64_t> sector;
  std::string expected;
  std::string found;
};

using Findings = std::vector<Finding>;

/// Appends findings below a place.
class FindingsBelow {
 public:
  FindingsBelow(Findings& findings, std::string place, std::optional<std::uint64_t> sector = {})
      : findings_(findings), place_(std::move(place)), sector_(sector) {}

  /// A part of this place: "root", "[3]".
  FindingsBelow at(std::string_view name) const;
  FindingsBelow at(std::string_view name, std::size_t index) const;

  void add(Kind kind, std::string expected, std::string found) const;
  void expect_equal(Kind kind, const Node& expected, const Node& found) const;
  void expect_equal(Kind kind, std::uint64_t expected, std::uint64_t found) const;
  void expect_not_zero(const Node& commitment) const;

 private:
  Findings& findings_;
  std::string place_;
  std::optional<std::uint64_t> sector_;
};

/// Hexadecimal digits of the 32 bytes, as commitments are written.
std::string node_text(const Node& node);

/// Nothing when there are none; else malformed with the first finding's kind and place, all faulty sectors and the
/// first findings in the message.
Status no_findings(const Findings& findings);

}  // namespace cuzk::filecoin
