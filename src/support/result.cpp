#include "support/result.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

namespace cuzk {

struct Error::Payload {
  Code code;
  Kind kind;
  std::string message;
  std::optional<Where> where;
  std::vector<std::string> contexts;
};

Error::Error(Code code, std::string message) : Error(code, Kind::none, std::move(message)) {}
Error::Error(Code code, Kind kind, std::string message)
    : p_(std::make_unique<Payload>(Payload{code, kind, std::move(message), std::nullopt, {}})) {}
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Code Error::code() const noexcept { return p_->code; }
Kind Error::kind() const noexcept { return p_->kind; }
const std::string& Error::message() const noexcept { return p_->message; }
const Where* Error::where() const noexcept { return p_->where ? &*p_->where : nullptr; }

Error&& Error::at(Where where) && {
  if (!p_->where) p_->where = std::move(where);
  return std::move(*this);
}

Error&& Error::in_file(std::string_view path) && {
  if (!p_->where) p_->where.emplace();
  if (p_->where->file.empty()) p_->where->file = path;
  return std::move(*this);
}

Error&& Error::context(std::string_view what) && {
  p_->contexts.emplace_back(what);
  return std::move(*this);
}

namespace {

std::string describe(const Where& where) {
  std::string text = " [" + where.file;
  if (!where.section.empty()) text += ":" + where.section;
  text += "@" + std::to_string(where.offset);
  if (!where.expected.empty()) text += " expected " + where.expected;
  if (!where.found.empty()) text += " found " + where.found;
  return text + "]";
}

}  // namespace

std::string Error::explanation() const {
  std::string text = p_->message;
  for (const std::string& context : p_->contexts) text += "; " + context;
  return text;
}

std::string Error::to_string() const {
  std::string text = p_->message;
  if (p_->where) text += describe(*p_->where);
  for (const std::string& context : p_->contexts) text += "; " + context;
  return text;
}

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "cuzk: broken invariant: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace cuzk
