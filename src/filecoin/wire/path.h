// The place of a value in nested data, for messages: "vanilla_proofs[0][3].comm_d_proofs.data.Single.root".
//
// Steps live on the stack of the function that reads the value and are turned into text when something is wrong.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cuzk::filecoin {

struct PathStep {
  const PathStep* up;
  std::string_view name;  // empty: an element of an array
  std::size_t index = 0;
};

inline std::string path_text(const PathStep* step) {
  if (step == nullptr) return {};
  std::string text = path_text(step->up);
  if (step->name.empty()) return text + "[" + std::to_string(step->index) + "]";
  if (!text.empty()) text += '.';
  return text + std::string(step->name);
}

/// Makes a step the current one as long as it lives.
class PathScope {
 public:
  PathScope(const PathStep*& current, std::string_view name, std::size_t index = 0) noexcept
      : current_(current), step_{current, name, index} {
    current_ = &step_;
  }
  ~PathScope() { current_ = step_.up; }
  PathScope(const PathScope&) = delete;
  PathScope& operator=(const PathScope&) = delete;

 private:
  const PathStep*& current_;
  PathStep step_;
};

}  // namespace cuzk::filecoin
