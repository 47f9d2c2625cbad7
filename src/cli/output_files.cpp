#include "cli/output_files.h"

namespace cuzk::cli {
namespace {

Status open_if_named(const std::string& path, std::optional<AtomicFile>& to) {
  if (path.empty()) return {};
  CUZK_TRY(AtomicFile file, AtomicFile::create(path));
  to.emplace(std::move(file));
  return {};
}

Status settle(std::optional<AtomicFile>& file, Bytes bytes) {
  if (!file) return {};
  CUZK_CHECK_OK(file->append(bytes));
  return file->settle();
}

}  // namespace

Result<OutputFiles> OutputFiles::open(const std::string& proof, const std::string& public_inputs) {
  OutputFiles outputs;
  CUZK_CHECK_OK(open_if_named(proof, outputs.proof_));
  CUZK_CHECK_OK(open_if_named(public_inputs, outputs.public_inputs_));
  return outputs;
}

Status OutputFiles::write(Bytes proof, std::string_view public_json) {
  CUZK_CHECK_OK(settle(proof_, proof));
  CUZK_CHECK_OK(settle(public_inputs_, text_bytes(public_json)));
  if (proof_) CUZK_CHECK_OK(proof_->commit());
  return public_inputs_ ? public_inputs_->commit() : Status();
}

}  // namespace cuzk::cli
