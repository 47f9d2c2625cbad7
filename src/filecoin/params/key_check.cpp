#include "filecoin/params/key_check.h"

#include <algorithm>

#include "formats/bellperson_params.h"
#include "formats/bellperson_vk.h"
#include "support/blake2b.h"
#include "support/hex.h"
#include "support/mapped_file.h"

namespace cuzk::filecoin {
namespace {

constexpr std::size_t kDigestBytes = 16;
constexpr std::size_t kHashStep = std::size_t{1} << 24;  // 16 MiB: 20 ms

Error at_file(Kind kind, std::string message, const std::string& path, std::string expected, std::string found) {
  return Error(Code::malformed, kind, std::move(message))
      .at({.file = path, .section = {}, .offset = 0, .expected = std::move(expected), .found = std::move(found)});
}

/// One check of one file.
class KeyCheck {
 public:
  KeyCheck(Arena& arena, const Circuit& circuit, KeyPart part, const std::string& folder,
           const KeyCheckOptions& options, ProgressRef progress)
      : arena_(arena),
        circuit_(circuit),
        part_(part),
        files_(key_files(circuit, folder)),
        expected_(expected_key(circuit, part, folder)),
        options_(options),
        progress_(progress) {}

  KeyVerdict run() && {
    Status status = check();
    if (!status) verdict_.fault = std::move(status).error();
    return std::move(verdict_);
  }

 private:
  Status check() {
    Result<MappedFile> mapped = MappedFile::open(expected_.path);
    verdict_.missing = !mapped && nothing_at(expected_.path);
    if (verdict_.missing) return fail(missing_key(circuit_, expected_.path));
    if (!mapped) return fail(std::move(mapped).error().in_file(expected_.path));
    const auto file = std::make_shared<const MappedFile>(*std::move(mapped));
    verdict_.bytes = file->size();
    verdict_.development = formats::has_development_marker(files_.params);
    if (expected_.bytes != 0 && file->size() != expected_.bytes) {
      return fail(at_file(Kind::bad_length, "wrong size of a key file", expected_.path,
                          std::to_string(expected_.bytes) + " bytes", std::to_string(file->size())));
    }
    CUZK_CHECK_OK(part_ == KeyPart::vk ? check_vk(*file) : check_params(file));
    if (options_.digests) CUZK_CHECK_OK(check_digest(*file));
    return file->still_whole();
  }

  Status check_vk(const MappedFile& file) {
    Result<groth16::VerifyingKey<Bls12_381>> vk = formats::read_bellperson_vk(arena_, file.bytes());
    if (!vk) return fail(std::move(vk).error().in_file(expected_.path));
    return check_inputs(vk->num_public());
  }

  Status check_params(const std::shared_ptr<const MappedFile>& file) {
    CUZK_TRY(const auto params, formats::ParamsFile::open(arena_, formats::KeySource(file)));
    CUZK_CHECK_OK(check_inputs(params.view().num_public()));
    CUZK_CHECK_OK(check_vk_beside(*file));
    return options_.points ? params.check_points(arena_, progress_) : Status();
  }

  Status check_inputs(std::size_t found) const {
    if (found == circuit_.num_public()) return {};
    return fail(at_file(Kind::circuit_mismatch, "not a key of " + circuit_.id(), expected_.path,
                        std::to_string(circuit_.num_public()) + " public inputs", std::to_string(found)));
  }

  /// A .vk that is missing or damaged is told on its own.
  Status check_vk_beside(const MappedFile& params) const {
    const Result<MappedFile> vk = MappedFile::open(files_.vk);
    if (!vk || vk->size() > params.size()) return {};
    if (std::ranges::equal(vk->bytes(), params.bytes().first(static_cast<std::size_t>(vk->size())))) return {};
    return fail(at_file(Kind::circuit_mismatch, "proving key and verifying key are not of one setup", expected_.path,
                        "to begin with " + files_.vk, "other points"));
  }

  Status check_digest(const MappedFile& file) {
    verdict_.digest = key_digest(file, progress_);
    if (verdict_.development || expected_.digest.empty() || verdict_.digest == expected_.digest) return {};
    return fail(
        at_file(Kind::digest_mismatch, "not the published file", expected_.path, expected_.digest, verdict_.digest));
  }

  Arena& arena_;
  const Circuit& circuit_;
  KeyPart part_;
  KeyFiles files_;
  KeyExpectation expected_;
  const KeyCheckOptions& options_;
  ProgressRef progress_;
  KeyVerdict verdict_;
};

}  // namespace

KeyExpectation expected_key(const Circuit& circuit, KeyPart part, const std::string& folder) {
  KeyFiles files = key_files(circuit, folder);
  const std::optional<PublishedKey> published = published_key(circuit);
  const bool is_vk = part == KeyPart::vk;
  KeyExpectation expected{.path = is_vk ? std::move(files.vk) : std::move(files.params),
                          .bytes = is_vk ? vk_bytes(circuit) : 0,
                          .digest = {}};
  if (!published) return expected;
  if (!is_vk) expected.bytes = published->params_bytes;
  expected.digest = is_vk ? published->vk_digest : published->params_digest;
  return expected;
}

KeyVerdict check_key_file(Arena& arena, const Circuit& circuit, KeyPart part, const std::string& folder,
                          const KeyCheckOptions& options, ProgressRef progress) {
  return KeyCheck(arena, circuit, part, folder, options, progress).run();
}

std::string key_digest(const MappedFile& file, ProgressRef progress) {
  progress.begin("digest of " + file.path().substr(file.path().find_last_of('/') + 1), file.size());
  file.advise_sequential(file.bytes());
  Blake2b512 hash;
  for (Bytes rest = file.bytes(); !rest.empty();) {
    const Bytes part = rest.first(std::min(kHashStep, rest.size()));
    hash.update(part);
    file.drop(part);
    rest = rest.subspan(part.size());
    progress.advance(part.size());
  }
  progress.end();
  const auto digest = hash.finish();
  return encode_hex(Bytes(digest).first(kDigestBytes));
}

}  // namespace cuzk::filecoin
