#include "filecoin/vanilla/findings.h"

#include <algorithm>

#include "support/bytes.h"
#include "support/hex.h"

namespace cuzk::filecoin {
namespace {

constexpr std::size_t kShown = 8;  // findings in a message

std::string line_of(const Finding& finding) {
  std::string text;
  if (finding.sector) text += "sector " + std::to_string(*finding.sector) + " ";
  text += finding.place + " " + std::string(to_string(finding.kind));
  if (!finding.expected.empty()) text += ", expected " + finding.expected + ", found " + finding.found;
  return text;
}

std::string faulty_sectors(const Findings& findings) {
  std::vector<std::uint64_t> sectors;
  for (const Finding& finding : findings)
    if (finding.sector) sectors.push_back(*finding.sector);
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  if (sectors.empty()) return {};
  std::string text = sectors.size() == 1 ? " in sector" : " in sectors";
  for (const std::uint64_t sector : sectors) text += " " + std::to_string(sector);
  return text;
}

}  // namespace

std::string node_text(const Node& node) { return encode_hex(object_bytes(node)); }

FindingsBelow FindingsBelow::at(std::string_view name) const {
  return {findings_, place_.empty() ? std::string(name) : place_ + "." + std::string(name), sector_};
}

FindingsBelow FindingsBelow::at(std::string_view name, std::size_t index) const {
  FindingsBelow below = at(name);
  below.place_ += "[" + std::to_string(index) + "]";
  return below;
}

void FindingsBelow::add(Kind kind, std::string expected, std::string found) const {
  findings_.push_back({kind, place_, sector_, std::move(expected), std::move(found)});
}

void FindingsBelow::expect_equal(Kind kind, const Node& expected, const Node& found) const {
  if (expected != found) add(kind, node_text(expected), node_text(found));
}

void FindingsBelow::expect_equal(Kind kind, std::uint64_t expected, std::uint64_t found) const {
  if (expected != found) add(kind, std::to_string(expected), std::to_string(found));
}

void FindingsBelow::expect_not_zero(const Node& commitment) const {
  if (commitment.is_zero()) add(Kind::zero_commitment, "not all zero", "zeros");
}

Status no_findings(const Findings& findings) {
  if (findings.empty()) return {};
  std::string message = std::to_string(findings.size()) + (findings.size() == 1 ? " fault" : " faults") +
                        " in the vanilla proof" + faulty_sectors(findings);
  for (std::size_t i = 0; i < std::min(kShown, findings.size()); ++i) message += "; " + line_of(findings[i]);
  if (findings.size() > kShown) message += "; and " + std::to_string(findings.size() - kShown) + " more";
  const Finding& first = findings.front();
  return fail(
      Error(Code::malformed, first.kind, std::move(message))
          .at(Where{
              .file = {}, .section = first.place, .offset = 0, .expected = first.expected, .found = first.found}));
}

}  // namespace cuzk::filecoin
